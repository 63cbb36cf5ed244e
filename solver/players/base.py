"""The registry of players: each entry has a player's name and rulesets, and loads no compiler."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path

from solver import Refusal
from solver.players.agent import Agent, Tabular
from solver.players.files import TRAINED
from solver.players.rules import Choices
from solver.rules import PLAYED, RULESETS, Ruleset

# Ids of the rulesets without saved rolls, because decision tables ignore saved rolls.
EVENLY = tuple(name for name, rules in PLAYED.items() if not rules.stock)


def gettext_noop(text: str) -> str:
    """Return the text unchanged. The call only marks the text for translation."""
    return text


class UnknownPlayer(Refusal, ValueError):
    """The error for the name of a player or a reading that does not exist."""


class CannotPlay(Refusal, ValueError):
    """The error for a player that does not know these rules or cannot do what was requested."""


@dataclass(frozen=True)
class PlayerEntry:
    """A player in the registry. The docstring of the file that defines ``make`` describes the
    player.

    ``make`` receives a ruleset and the name of a reading. ``rulesets`` lists the ids of the
    rulesets that the player knows.
    """

    id: str
    title: str
    summary: str
    make: Callable[[Ruleset, str], Agent]
    # name of a reading -> how this reading interprets the study's text
    readings: Mapping[str, str] = field(default_factory=dict)
    rulesets: tuple[str, ...] = tuple(RULESETS)
    reading: str = ""
    taken: str = ""  # the text interpretation of the default reading, shown in the lab
    choices: Choices | None = None  # all readings, while ``readings`` has only those in the lab
    worked_out: Path | None = None  # file with the exact distribution of the player's scores
    alone: str = ""  # id of another player that makes the same decisions when it has no opponents

    @property
    def name(self) -> str:
        default = not self.reading or self.reading == next(iter(self.readings))
        return self.id if default else f"{self.id}:{self.reading}"

    @property
    def description(self) -> str:
        return (import_module(self.make.__module__).__doc__ or "").strip()

    def plays(self, rules: Ruleset) -> bool:
        return rules.id in self.rulesets

    def open(self, rules: Ruleset) -> Agent:
        """Return the agent with its tables. Load the compiler if the agent needs it."""
        if not self.plays(rules):
            others = ", ".join(p.id for p in PLAYERS.values() if p.plays(rules)) or "nobody"
            why = " (its decisions know no saved throws)" * bool(rules.stock)
            raise CannotPlay(
                f"{self.id} plays {', '.join(self.rulesets)} only{why}; {rules.id}: {others}"
            )
        return _open_agent(self.make, rules, self.reading or next(iter(self.readings), ""))

    def open_tabular(self, rules: Ruleset) -> Tabular:
        """Return the agent if it has a decision table, else raise CannotPlay."""
        agent = self.open(rules)
        if not isinstance(agent, Tabular):
            raise CannotPlay(f"{self.id} has no table of its decisions: simulate its games instead")
        return agent


def make_trained_entry(
    name: str, title: str, summary: str, make: Callable[[Ruleset, str], Agent]
) -> PlayerEntry:
    """Return the entry of a trained player. The name ends with the ruleset, as in ``td-yatzy``."""
    stored = TRAINED / f"{name}.json"
    ruleset = name.partition("-")[2]
    return PlayerEntry(name, title, summary, make, rulesets=(ruleset,), worked_out=stored)


PLAYERS: dict[str, PlayerEntry] = {}  # filled by ``players/__init__.py``


@cache
def _open_agent(make: Callable[[Ruleset, str], Agent], rules: Ruleset, reading: str) -> Agent:
    return make(rules, reading)
