"""An entry of the registry: who a player is and what it plays, known without a compiler."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path

from solver import Refusal
from solver.players.agent import Agent, Tabular
from solver.players.rules import Choices
from solver.rules import PLAYED, RULESETS, Ruleset

# Turns of so many throws and no more, with any dice: saved throws have no place in a table of
# decisions by card, dice and throws left.
EVENLY = tuple(name for name, rules in PLAYED.items() if not rules.stock)


def gettext_noop(text: str) -> str:
    """Mark a text that readers in other languages are shown; it is translated where that is."""
    return text


class UnknownPlayer(Refusal, ValueError):
    """No player, or no reading, of that name."""


class CannotPlay(Refusal, ValueError):
    """The player does not know these rules, or cannot be asked for this."""


@dataclass(frozen=True)
class PlayerEntry:
    """``make`` lies in the file of the strategy, whose docstring is the description.

    It is given a ruleset and the name of a reading. ``rulesets`` are the ids of those it plays.
    """

    id: str
    title: str
    summary: str
    make: Callable[[Ruleset, str], Agent]
    readings: Mapping[str, str] = field(default_factory=dict)  # id: what it takes the text to say
    rulesets: tuple[str, ...] = tuple(RULESETS)
    reading: str = ""
    taken: str = ""  # what the first of its readings takes the text to say, for readers of the lab
    choices: Choices | None = None  # every reading that there is; ``readings`` are those listed
    worked_out: Path | None = None  # its exact distribution, which comes with it
    alone: str = ""  # whom it plays like where it plays against nobody

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
        """Ready to play; tables and the compiler are loaded now, where it needs them."""
        if not self.plays(rules):
            others = ", ".join(p.id for p in PLAYERS.values() if p.plays(rules)) or "nobody"
            why = " (its decisions know no saved throws)" * bool(rules.stock)
            raise CannotPlay(
                f"{self.id} plays {', '.join(self.rulesets)} only{why}; {rules.id}: {others}"
            )
        return _opened(self.make, rules, self.reading or next(iter(self.readings), ""))

    def tabular(self, rules: Ruleset) -> Tabular:
        """Ready to be worked out exactly."""
        agent = self.open(rules)
        if not isinstance(agent, Tabular):
            raise CannotPlay(f"{self.id} has no table of its decisions: its games can be simulated")
        return agent


PLAYERS: dict[str, PlayerEntry] = {}  # filled by the package


@cache
def _opened(make: Callable[[Ruleset, str], Agent], rules: Ruleset, reading: str) -> Agent:
    return make(rules, reading)
