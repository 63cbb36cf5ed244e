"""The sizes of the sets in the study's graph of states, for any ruleset.

V1 has the cards before a turn: the filled boxes and the upper total. Each roll adds a set of cards
with rolled dice, each hold a set of cards with held dice, so three rolls make V1 to V6; filling a
box leads from the last set back to V1.
"""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from solver.dp.space import TILE, Space
from solver.rules import Ruleset


@dataclass(frozen=True, slots=True)
class Vertices:
    """A set of states (vertices) of the graph, by size. ``defined`` counts all boxes with all upper
    totals, even impossible ones, as the study does. ``reached`` counts the states that some game
    reaches; after a full card there is no roll. ``solved`` counts the states that the solver
    calculates."""

    number: int
    kind: Literal["cards", "rolls", "holds"]
    defined: int
    reached: int
    solved: int

    @property
    def name(self) -> str:
        return f"V{self.number}"


@cache
def count_vertices(rules: Ruleset) -> tuple[Vertices, ...]:
    space, cup = Space(rules), rules.cup
    defined, reached = space.rows * space.columns, int(space.reachable.sum())
    full = int(space.reachable[space.full_rows].sum())
    solved = _count_solved(space)
    sets = [Vertices(1, "cards", defined, reached, solved)]
    for number in range(2, 2 * rules.throws + 1):
        held = number % 2
        each = len(cup.holds if held else cup.rolls)
        counts = (each * cards for cards in (defined, reached - full, solved))
        sets.append(Vertices(number, "holds" if held else "rolls", *counts))
    return tuple(sets)


def _count_solved(space: Space) -> int:
    """Return the number of cards that the solver calculates, in whole tiles. It may be below the
    number of reachable cards: if the bonus is out of reach, one card stands for all totals."""
    last = space.last_column.copy()
    last[space.full_rows] = -1
    tiles = -(-(last - space.first_column + 1) // TILE)
    return int(tiles[last >= 0].sum()) * TILE
