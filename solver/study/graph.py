"""The sizes of the sets in the study's graph of states, for any ruleset.

V1 has the cards before a turn: the filled boxes and the upper total. Each roll adds a set of cards
with rolled dice, each hold a set of cards with held dice, so three rolls make V1 to V6; filling a
box leads from the last set back to V1.
"""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from solver.dp.packing import build_lines
from solver.dp.space import Space
from solver.rules import Ruleset


@dataclass(frozen=True, slots=True)
class Vertices:
    """A set of states (vertices) of the graph, by size. ``defined`` counts all boxes with all upper
    totals, even impossible ones, as the study does. ``reached`` counts the states that some game
    reaches; after a full card there is no roll. ``solved`` counts the states that the solver
    calculates, in whole tiles: it may be less, because one card stands for all upper totals that
    have lost the bonus."""

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
    lines = build_lines(rules)
    solved = sum(int(lines.find_widths(level).sum()) for (level,) in lines.list_levels()[1:])
    sets = [Vertices(1, "cards", defined, reached, solved)]
    for number in range(2, 2 * rules.throws + 1):
        held = number % 2
        each = len(cup.holds if held else cup.rolls)
        counts = (each * cards for cards in (defined, reached - full, solved))
        sets.append(Vertices(number, "holds" if held else "rolls", *counts))
    return tuple(sets)
