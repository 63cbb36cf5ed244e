"""The standing tournament of the lab: who beats whom, from the exact results that are stored."""

from dataclasses import dataclass

from django.utils.functional import Promise

from game.lab.labels import PLAYERS
from game.lab.players import percent
from game.words import phrases
from solver.arena.standing import ExactStanding, standing
from solver.rules import Ruleset

GAMES = 1000  # of which the page tells the points that are due


@dataclass(frozen=True, slots=True)
class StandingRow:
    """``chances`` are those to score more than each of the players, empty against itself."""

    name: Promise
    mean: str
    points: str
    chances: tuple[str, ...]


def standing_rows(rules: Ruleset) -> list[StandingRow]:
    found = standing(rules)
    return [_row(found, number) for number in range(len(found.names))]


def _row(found: ExactStanding, number: int) -> StandingRow:
    chances = tuple(
        "" if other == number else percent(float(chance))
        for other, chance in enumerate(found.wins[number])
    )
    return StandingRow(
        PLAYERS[found.names[number]].name,
        phrases.points(found.means[number], 2),
        phrases.points(GAMES * float(found.points[number]), 1),
        chances,
    )
