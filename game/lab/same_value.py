"""The same-value test as its page shows it, read from the file that ``lab_prepare`` has kept."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from game.lab.addresses import lab_url
from game.lab.labels import PLAYERS as WORDS
from game.selectors.dice import lab_block
from game.words import phrases
from solver.arena.facts import game_of_facts
from solver.making.same_dice import path_of_test
from solver.rules import Ruleset

MOST_SEED = 2**63 - 1
MOST_GAMES = 100  # on one page of totals
SHOWN = 0.005  # points; what costs less is rounding
YOU = "you"  # the person, among the names of players


@dataclass(frozen=True, slots=True)
class SharedStep:
    """A throw and what was done with it; ``differs`` from what the last player did."""

    dice: tuple[int, ...]
    deed: str
    cost: str
    differs: bool


@dataclass(frozen=True, slots=True)
class SharedTurn:
    number: int
    cells: tuple[tuple[SharedStep, ...], ...]


@dataclass(frozen=True, slots=True)
class TotalsLine:
    """A row of the totals: each player's score, and what its decisions cost together.

    None and nothing stand where the person has not played.
    """

    number: int
    scores: tuple[int | None, ...]
    costs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SharedGame:
    number: int
    names: tuple[str, ...]
    turns: tuple[SharedTurn, ...]
    differences: tuple[str, ...]
    bonuses: tuple[int, ...]
    scores: tuple[int, ...]


@dataclass(frozen=True)
class SameDice:
    """``facts`` are those of the file; reading a page's part of them raises where it is unsound."""

    seed: int
    rules: Ruleset
    facts: dict[str, Any]

    @property
    def csv(self) -> str:
        return lab_url("same_value_file", self.rules, self.seed, "test.csv")

    @property
    def json(self) -> str:
        return lab_url("same_value_file", self.rules, self.seed, "test.json")

    @property
    def players(self) -> list[str]:
        players: list[str] = self.facts["players"]
        return players

    @property
    def names(self) -> list[str]:
        return [_("You") if name == YOU else str(WORDS[name].name) for name in self.players]

    @property
    def games(self) -> list[dict[str, Any]]:
        games: list[dict[str, Any]] = self.facts["games"]
        return games

    def can_be_played(self, number: int) -> bool:
        """Whether a game that somebody plays now would have the very dice of this one."""
        if not 1 <= number <= len(self.games):
            return False
        block = lab_block(self.seed, number, self.rules)
        listed = [[list(throw) for throw in throws] for throws in block]
        return bool(self.games[number - 1]["dice"] == listed)

    def totals(self) -> list[TotalsLine]:
        return [
            TotalsLine(
                number,
                tuple(game["score"] if game else None for game in row["players"]),
                tuple(phrases.points(game["regret"]) if game else "" for game in row["players"]),
            )
            for number, row in enumerate(self.games, start=1)
        ]

    def means(self) -> list[str]:
        """Of all games; nothing for a person who has not played them all."""
        columns = zip(*(line.scores for line in self.totals()), strict=True)
        return ["" if None in column else _mean(column) for column in columns]

    def own_means(self) -> list[str]:
        """Of the games that the person has played, where these are only some of them."""
        rows = [line.scores for line in self.totals()]
        own = [scores for scores in rows if None not in scores]
        return [_mean(column) for column in zip(*own, strict=True)] if len(own) < len(rows) else []

    def game(self, number: int) -> SharedGame:
        row = self.games[number - 1]
        names = zip(self.names, row["players"], strict=True)
        players = [player for player in row["players"] if player]
        turns = zip(*(player["turns"] for player in players), strict=True)
        return SharedGame(
            number,
            tuple(name for name, player in names if player),
            tuple(SharedTurn(n, tuple(self._cells(turn))) for n, turn in enumerate(turns, start=1)),
            tuple(self._differences(row)),
            tuple(player["bonus"] for player in players),
            tuple(player["score"] for player in players),
        )

    def _cells(self, turns: Sequence[dict[str, Any]]) -> Iterator[tuple[SharedStep, ...]]:
        reference = turns[-1]["decisions"]
        for turn in turns:
            yield tuple(
                _step(self.rules, decision, turn["points"], _other(reference, place))
                for place, decision in enumerate(turn["decisions"])
            )

    def _differences(self, row: dict[str, Any]) -> Iterator[str]:
        columns = (self.players, self.names, row["players"], row["first_differences"])
        for player, name, game, first in zip(*columns, strict=False):
            if game:
                yield _difference(player, name, self.names[-1], first)


def stored_test(seed: int, rules: Ruleset) -> SameDice | None:
    """None where nothing is kept, or nothing that can be shown whole."""
    try:
        test = SameDice(seed, rules, json.loads(path_of_test(seed, rules).read_text()))
        test.means()
        for number in range(1, len(test.games) + 1):
            test.game(number)
        for row in test.games:
            for game in row["players"]:
                game_of_facts(game)
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None
    return test if test.games else None


def _mean(scores: Sequence[int | None]) -> str:
    known = [score for score in scores if score is not None]
    return phrases.points(sum(known) / len(known))


def _difference(player: str, name: str, last: str, first: dict[str, Any] | None) -> str:
    """Where a player first leaves the last one, in words."""
    facts = {"name": name, "other": last, "turn": first["turn"] if first else 0}
    if player == YOU and first:
        return _("You first differ from %(other)s in turn %(turn)s.") % facts
    if player == YOU:
        return _("You decide here exactly as %(other)s does.") % facts
    if first:
        return _("%(name)s first differs from %(other)s in turn %(turn)s.") % facts
    return _("%(name)s decides here exactly as %(other)s does.") % facts


def _other(decisions: Sequence[dict[str, Any]], place: int) -> Any:
    return decisions[place]["choice"] if place < len(decisions) else None


def _plain(choice: Any) -> Any:
    """Dice held are a list in a file, and a tuple where a game was judged just now."""
    return tuple(choice) if isinstance(choice, list) else choice


def _step(rules: Ruleset, decision: dict[str, Any], points: int, other: Any) -> SharedStep:
    choice, regret = decision["choice"], decision["regret"]
    scored = isinstance(choice, str)
    held = phrases.held(tuple(choice), rules)
    deed = phrases.scored(rules, choice, points) if scored else held
    cost = ""
    if regret >= SHOWN:
        cost = phrases.unbroken(
            _("costs %(points)s points") % {"points": phrases.points(regret, 2)}
        )
    return SharedStep(tuple(decision["dice"]), deed, cost, _plain(choice) != _plain(other))
