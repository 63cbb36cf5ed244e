"""Expected quantities under perfect play other than points, such as the chance of the bonus.

Let V be the expected points in the rest of a game. A quantity q of the rest of the game has this
value when a roll is scored in the chosen box:

    q = q(after) + a * points + b * (points ** 2 + 2 * points * V(after))

Over rolls and holds, q is averaged and selected as V is. With a = b = 0, and q = 1 on full cards
with the upper bonus, q is the chance of the bonus. With b = 1, and the squared bonus on full cards,
q is the second moment of the remaining points, which gives the standard deviation. With a = 1 for
one box and 0 for all other boxes, q is the expected points of this box.

If several values are equal, the hold with more dice wins, then the lower box. A preference far
below the tie tolerance of 1e-9 breaks the tie.

If the values of a ruleset do not fit into memory (``dp.levels``), the bonus chance and the second
moment are calculated with the values, because rounded values of a table cannot decide ties.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dp import arrays
from solver.dp.arrays import Floats, Ints, find_roll_chances, hold_sizes
from solver.dp.carry import carry_rows
from solver.dp.levels import LevelSweep
from solver.dp.packing import build_lines
from solver.dp.slots import build_game
from solver.dp.space import PREFER_DIE, Space
from solver.dp.sweep import Progress, run_in_levels
from solver.rules.dice import make_cup
from solver.rules.rulesets import Ruleset

PLANES_AT_ONCE = 4


class Quantities(NamedTuple):
    """The input of ``carry_rows``: small preferences that break ties, chances of rolls, and the
    factors a and b of the module's equation. ``linear`` has the factors a of all quantities for
    each box, box by box. ``of_jokers`` has these factors for each joker entry. ``quadratic`` has
    the factor b of each quantity."""

    likes: Floats
    first_throw: Floats
    linear: Floats
    of_jokers: Floats
    quadratic: tuple[float, ...]


def calculate_outlook(
    rules: Ruleset, values: Floats, *, threads: int | None = None, progress: Progress | None = None
) -> Floats:
    """Return the bonus chance and the mean square of the points from now on: [row, column, 2]."""
    linear = np.zeros((2, len(rules.categories)))
    full_card = np.array([1.0, rules.bonus_points**2])
    return carry(rules, values, linear, np.array([0.0, 1.0]), full_card, threads, progress)


def calculate_expected_points(
    rules: Ruleset, values: Floats, *, threads: int | None = None, progress: Progress | None = None
) -> npt.NDArray[np.uint16]:
    """Return an array [row, column, box]: the expected points of each box and, last, of the bonus.

    The chips of jokers belong to no box: they are the difference to the value. The unit is
    ``points_scale``, which keeps the error of all boxes together below 0.01 points. Only a few
    boxes are calculated at a time, because all boxes together would need 600 MB.
    """
    space, boxes = Space(rules), len(rules.categories)
    planes = np.zeros((boxes + 1, boxes))
    planes[:boxes] = np.eye(boxes)
    full_card = np.zeros(boxes + 1)
    full_card[boxes] = rules.bonus_points
    scale = arrays.calculate_scale(rules)
    stored = np.zeros((space.rows, space.columns, boxes + 1), dtype=np.uint16)
    for first in range(0, boxes + 1, PLANES_AT_ONCE):
        some = slice(first, first + PLANES_AT_ONCE)

        def report(done: int, total: int, first: int = first) -> None:
            if progress:
                progress(first * total + done * PLANES_AT_ONCE, (boxes + 1) * total)

        linear, none = planes[some], np.zeros(len(planes[some]))
        carried = carry(rules, values, linear, none, full_card[some], threads, report)
        stored[..., some] = np.rint(np.nan_to_num(carried) / scale[some])
    return stored


def carry(
    rules: Ruleset,
    values: Floats,
    linear: Floats,
    quadratic: Floats,
    full_card: Floats,
    threads: int | None = None,
    progress: Progress | None = None,
    *,
    chips: Floats | None = None,
) -> Floats:
    """Return an array [row, column, n]: the expected quantity n of the rest of the game, with the
    factors a = linear[n, box] and b = quadratic[n] of the module's equation. ``full_card[n]`` is
    the quantity on a full card with the upper bonus. ``chips[n]`` is the factor a for the points of
    chips, which do not belong to the points of their box."""
    lines, game = build_lines(rules), build_game(rules)
    starts, grid = lines.make_grid()
    lines.write_grid(grid, values)
    after = np.full((len(quadratic), *grid.shape), np.nan)
    for plane, quantity in zip(after, full_card.tolist(), strict=True):
        plane.reshape(-1)[lines.find_ends(starts)] = lines.make_end(quantity)
        quantities = build_quantities(rules, linear, quadratic, chips)
    given = grid.reshape(-1), after.reshape(-1), lines.build_arrays(starts)

    def sweep(rows: Ints) -> None:
        carry_rows(rows, *given, rules.throws, game, quantities)

    run_in_levels(lines.list_levels(), sweep, threads=threads, progress=progress)
    return np.stack([lines.read_grid(plane) for plane in after], axis=-1)


def build_quantities(
    rules: Ruleset, linear: Floats, quadratic: Floats, chips: Floats | None = None
) -> Quantities:
    """Return the ``Quantities`` for the arguments of ``carry``."""
    share = arrays.find_chipless_shares(rules)
    of_box: Floats = linear[:, arrays.build_joker_moves(rules).box]
    # A tiny number for each hold except rolls, in the order of ``Moves.mean``: more dice win ties.
    # The value of a hold is a mean of larger holds, so it includes their numbers.
    dice = rules.dice
    sizes = hold_sizes(dice)[make_cup(dice).first_roll - 1 :: -1]
    likes = np.where(sizes == dice - 1, PREFER_DIE * (dice - 1), -PREFER_DIE)
    return Quantities(
        likes,
        find_roll_chances(rules.dice),
        linear.T.ravel(),
        (
            of_box * share
            + (np.zeros(len(quadratic)) if chips is None else chips)[:, None] * (1 - share)
        ).T.ravel(),
        tuple(quadratic.tolist()),
    )


def pad_values(space: Space, values: Floats) -> Floats:
    """Return values[row, column] with the last column repeated to the length that kernels need."""
    return np.pad(values, ((0, 0), (0, space.stride - space.columns)), mode="edge")


QUADRATIC = np.array([0.0, 1.0])  # factor b: 0 for the bonus chance, 1 for the second moment


class StartOutlook(NamedTuple):
    value: float
    deviation: float
    bonus_chance: float


class OutlookSweep(LevelSweep):
    def __init__(self, rules: Ruleset) -> None:
        super().__init__(rules)
        self.after = np.zeros((len(QUADRATIC), len(self.flat)))
        for plane, quantity in zip(self.after, (1.0, rules.bonus_points**2), strict=True):
            plane[self.lines.find_ends(self.starts)] = self.lines.make_end(quantity)
        linear = np.zeros((len(QUADRATIC), len(rules.categories)))
        self.game, self.quantities = build_game(rules), build_quantities(rules, linear, QUADRATIC)

    def rows(self, rows: Ints) -> None:
        """Calculate the values of these lines, and in ``after`` the two quantities of ``carry``."""
        from solver.dp.carry import carry_rows, carry_saved  # slow: loads the compiler

        super().rows(rows)
        lines, throws = self.fixed[:2]
        given = self.flat, self.after.reshape(-1), lines, throws, self.game, self.quantities
        if self.space.rules.stock:
            carry_saved(rows, *given, *self.find_most(rows))
        else:
            carry_rows(rows, *given)

    def start(self) -> StartOutlook:
        at = self.starts[0]
        value, (bonus, second) = float(self.flat[at]), self.after[:, at].tolist()
        return StartOutlook(value, sqrt(max(0.0, second - value * value)), bonus)


def calculate_start_outlook(
    rules: Ruleset, *, threads: int | None = None, progress: Progress | None = None
) -> StartOutlook:
    sweep = OutlookSweep(rules)
    run_in_levels(sweep.levels, sweep.rows, threads=threads, progress=progress)
    return sweep.start()
