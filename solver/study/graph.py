"""The graph of states that the study plays by, set by set, for any ruleset.

V1 has the cards before a turn: which boxes are filled, and the upper total. Each throw adds a set
of cards with the roll that lies, each hold one of cards with the dice that stay, so that three
throws make V1 to V6; a box leads from the last set back to V1. Nothing is counted by hand.
"""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from solver.dp.space import TILE, Space
from solver.rules import Ruleset


@dataclass(frozen=True, slots=True)
class Vertices:
    """One of the sets. ``defined`` are all boxes with all upper totals, whether they can hold them
    or not, as the study defines it; ``reached`` are those that some play leads to, where a full
    card has no throw any more; ``solved`` are those that the sweep goes through."""

    number: int
    kind: Literal["cards", "rolls", "holds"]
    defined: int
    reached: int
    solved: int

    @property
    def name(self) -> str:
        return f"V{self.number}"


@cache
def graph(rules: Ruleset) -> tuple[Vertices, ...]:
    space, cup = Space(rules), rules.cup
    defined, reached = space.rows * space.columns, int(space.reachable.sum())
    full = int(space.reachable[space.full_rows].sum())
    solved = _solved(space)
    sets = [Vertices(1, "cards", defined, reached, solved)]
    for number in range(2, 2 * rules.throws + 1):
        held = number % 2
        each = len(cup.holds if held else cup.rolls)
        counts = (each * cards for cards in (defined, reached - full, solved))
        sets.append(Vertices(number, "holds" if held else "rolls", *counts))
    return tuple(sets)


def _solved(space: Space) -> int:
    """Cards that are at work, in whole tiles. It is fewer than can be reached: where the bonus is
    lost whatever comes, one upper total stands for all."""
    last = space.last_column.copy()
    last[space.full_rows] = -1
    tiles = -(-(last - space.first_column + 1) // TILE)
    return int(tiles[last >= 0].sum()) * TILE
