"""The same-value test as its page shows it, read from the file that ``lab_prepare`` has kept."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from game.coach import words
from game.lab_labels import PLAYERS
from solver.lab.results import path_named
from solver.rules import YATZY

COMMAND = "python manage.py lab_prepare --same-value 5 --seed %s"
SHOWN = 0.005  # points; what costs less is rounding


@dataclass(frozen=True, slots=True)
class Step:
    """A throw and what was done with it; ``differs`` from what the last player did."""

    dice: tuple[int, ...]
    deed: str
    cost: str
    differs: bool


@dataclass(frozen=True, slots=True)
class Turn:
    number: int
    cells: tuple[tuple[Step, ...], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the totals: each player's score, and what its decisions cost together."""

    number: int
    scores: tuple[int, ...]
    costs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Game:
    number: int
    turns: tuple[Turn, ...]
    differences: tuple[str, ...]
    bonuses: tuple[int, ...]
    scores: tuple[int, ...]


@dataclass(frozen=True)
class SameDice:
    """``facts`` are those of the file; reading a page's part of them raises where it is unsound."""

    seed: int
    facts: dict[str, Any]

    @property
    def names(self) -> list[str]:
        return [str(PLAYERS[name].name) for name in self.facts["players"]]

    @property
    def games(self) -> list[dict[str, Any]]:
        games: list[dict[str, Any]] = self.facts["games"]
        return games

    def totals(self) -> list[Line]:
        return [
            Line(
                number,
                tuple(game["score"] for game in row["players"]),
                tuple(words.points(game["regret"]) for game in row["players"]),
            )
            for number, row in enumerate(self.games, start=1)
        ]

    def means(self) -> list[str]:
        rows = [line.scores for line in self.totals()]
        return [words.points(sum(scores) / len(rows)) for scores in zip(*rows, strict=True)]

    def game(self, number: int) -> Game:
        row = self.games[number - 1]
        players = row["players"]
        turns = zip(*(player["turns"] for player in players), strict=True)
        return Game(
            number,
            tuple(Turn(n, tuple(_cells(turn))) for n, turn in enumerate(turns, start=1)),
            tuple(self._differences(row["first_differences"])),
            tuple(player["bonus"] for player in players),
            tuple(player["score"] for player in players),
        )

    def _differences(self, found: Sequence[dict[str, Any] | None]) -> Iterator[str]:
        last = self.names[-1]
        for name, first in zip(self.names, found, strict=False):
            if first is None:
                told = _("%(name)s decides here exactly as %(other)s does.")
                yield told % {"name": name, "other": last}
            else:
                told = _("%(name)s first differs from %(other)s in turn %(turn)s.")
                yield told % {"name": name, "other": last, "turn": first["turn"]}


def path_of_test(seed: int) -> Path:
    return path_named(f"same-value-{seed}")


def stored_test(seed: int) -> SameDice | None:
    """None where nothing is kept, or nothing that can be shown whole."""
    try:
        test = SameDice(seed, json.loads(path_of_test(seed).read_text()))
        test.means()
        for number in range(1, len(test.games) + 1):
            test.game(number)
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None
    return test if test.games else None


def _cells(turns: Sequence[dict[str, Any]]) -> Iterator[tuple[Step, ...]]:
    reference = turns[-1]["decisions"]
    for turn in turns:
        decisions = turn["decisions"]
        yield tuple(
            _step(decision, turn["points"], _other(reference, place))
            for place, decision in enumerate(decisions)
        )


def _other(decisions: Sequence[dict[str, Any]], place: int) -> Any:
    return decisions[place]["choice"] if place < len(decisions) else None


def _step(decision: dict[str, Any], points: int, other: Any) -> Step:
    choice, regret = decision["choice"], decision["regret"]
    scored = isinstance(choice, str)
    deed = words.scored(YATZY, choice, points) if scored else words.held(tuple(choice))
    cost = ""
    if regret >= SHOWN:
        cost = _("costs %(points)s points") % {"points": words.points(regret, 2)}
    return Step(tuple(decision["dice"]), deed, cost, choice != other)
