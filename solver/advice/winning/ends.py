"""What a turn can end in, for the open boxes of a card: points, a step above, and the next card."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from solver.dp import arrays
from solver.dp.arrays import Ints
from solver.dp.outcomes import gains as gains_of
from solver.dp.space import Space
from solver.dp.turn import Turn
from solver.rules.dice import FACES
from solver.rules.rulesets import Ruleset

NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Ends:
    """Of one open box: ``of[roll]`` is which of the ends, ``NOWHERE`` if it is forbidden.

    ``gain`` is the points with a chip among them, ``step`` moves the upper total, and ``row`` is
    the card that follows.
    """

    box: int
    of: Ints
    gain: Ints
    step: Ints
    row: Ints

    def each(self) -> Iterator[tuple[int, int, int]]:
        """Gain, step and row of every end."""
        return zip(self.gain.tolist(), self.step.tolist(), self.row.tolist(), strict=True)


@lru_cache(maxsize=1 << 12)
def ends_of(rules: Ruleset, row: int) -> tuple[Ends, ...]:
    """Of the open boxes of this row, in the order of the card."""
    space = Space(rules)
    filled, chips_won = row & rules.full, row > rules.full
    turn = Turn(space, filled, 0, chips_won, rows=_no_rows)
    gains = np.where(np.isfinite(turn.gains), turn.gains, NOWHERE).astype(np.int64)
    steps = arrays.upper_steps_of(rules)[turn.boxes]
    rows = np.broadcast_to((row | 1 << turn.boxes)[:, None], gains.shape).copy()
    for dice, option in turn.special_options():
        at = turn.place[option.category], turn.rolls[dice]
        steps[at] = option.points if rules.categories[option.category].face else 0
        rows[at] = turn.follows(option)[0]
    return tuple(
        _distinct(int(box), *facts)
        for box, *facts in zip(turn.boxes, gains, steps, rows, strict=True)
    )


@lru_cache(maxsize=1 << 12)
def columns_of(rules: Ruleset, row: int) -> Ints:
    """[upper total, which may be above the threshold]: the column that stands for it.

    All totals that secure the bonus share the last column, and all that cannot, the first.
    """
    totals = np.arange(rules.bonus_threshold + rules.dice * FACES + 1)
    lost = totals + max(rules.upper_totals(rules.full & ~row)) < rules.bonus_threshold
    return np.where(lost, 0, np.minimum(totals, rules.bonus_threshold))


@lru_cache(maxsize=256)
def most_of(rules: Ruleset, box: int) -> int:
    """No turn that ends in this box brings more; a chip may be part of it."""
    return max(gain for gain, _ in gains_of(rules, box, chips_won=True))


def _distinct(box: int, gains: Ints, steps: Ints, rows: Ints) -> Ends:
    allowed = gains >= 0
    both = steps.max() + 1, rows.max() + 1
    codes = (gains * both[0] + steps) * both[1] + rows
    _, first, inverse = np.unique(codes[allowed], return_index=True, return_inverse=True)
    of = np.full(len(gains), NOWHERE)
    of[allowed] = inverse
    chosen = np.flatnonzero(allowed)[first]
    return Ends(box, of, gains[chosen], steps[chosen], rows[chosen])


def _no_rows(numbers: Ints) -> arrays.Floats:
    raise AssertionError("what a turn ends in asks for no values")
