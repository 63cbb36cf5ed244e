"""The outcomes of a turn. An outcome is an open box that is filled with a number of points.

The outcomes of a ruleset are numbered box by box, and within a box by points from 0 up. Points
include a joker's chip. The chances of a card are stored in this order, only for its open boxes.
"""

from collections.abc import Sequence, Sized
from functools import cache
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from solver.dp import arrays
from solver.dp.arrays import Floats, Ints
from solver.dp.space import PREFER_LOWER_BOX, TILE
from solver.rules.rulesets import Ruleset

Index = npt.NDArray[np.int32]


class Policy(Protocol):
    """A player whose decisions depend only on card, dice and rolls left, as exact results require.

    ``write_outcomes`` writes the chances of the open boxes' outcomes to
    chance[chance_start[state]:], for all states of the rows. index[row, column] is the number of a
    state. If a player ignores the upper total, the states of a row have the same start.
    """

    @property
    def rules(self) -> Ruleset: ...

    @property
    def looks_at_upper(self) -> bool: ...

    def write_outcomes(
        self, rows: Ints, index: Index, chance_start: Ints, chance: Floats
    ) -> None: ...


class Outcomes(NamedTuple):
    """All outcomes of a turn. Box c has the outcomes start[c]:start[c + 1]. An outcome adds
    ``step`` to the upper total and the bits of ``row`` to the filled boxes."""

    start: Ints
    points: Ints
    step: Ints
    row: Ints
    by_roll: Ints  # [box, roll]: the outcome of each roll that is not a joker


class Jokers(NamedTuple):
    """``arrays.JokerMoves`` with the number of the roll and the outcome of every entry. The
    preference for lower boxes is subtracted from ``points``."""

    start: Ints
    target: Ints
    roll: Ints
    box: Ints
    row: Ints
    points: Floats
    step: Ints
    outcome: Ints


class Entries(NamedTuple):
    """The rolls that may fill box c. The entries start[c]:nil[c] score points, and the entries
    nil[c]:start[c + 1] score 0.

    An entry has the offset of a roll in a work array, its points minus the preference for lower
    boxes, the step in ``values`` to the next card, and its outcome. ``zero[c]`` and
    ``zero_step[c]`` are for scoring 0 with any roll. Points that lead to another card than 0 points
    may be worth less than 0 points. ``risk_step`` and ``risk_gain`` list each such case once.
    """

    start: Ints
    nil: Ints
    target: Ints
    points: Floats
    step: Ints
    outcome: Ints
    zero: Floats
    zero_step: Ints
    risk_start: Ints
    risk_step: Ints
    risk_gain: Floats


class Solving(NamedTuple):
    """The input of the kernels of ``dp.flow``: a game, and the values by which a player decides.

    ``values`` are flat, in rows of length ``stride``. ``prefer`` is the preference of each hold,
    tile by tile.
    """

    values: Floats
    stride: int
    moves: arrays.Moves
    entries: Entries
    jokers: Jokers
    prefer: Floats
    outcomes: Outcomes
    first_throw: Floats


@cache
def build_outcomes(rules: Ruleset) -> Outcomes:
    possible = [
        sorted(list_gains(rules, box, chips_won=True)) for box in range(len(rules.categories))
    ]
    number = _number_outcomes(rules)
    naturally = zip(
        arrays.calculate_points(rules), arrays.calculate_upper_steps(rules), strict=True
    )
    ends = [
        (box, points) for box, gains_of_box in enumerate(possible) for points, _ in gains_of_box
    ]
    return Outcomes(
        start=_find_starts(possible),
        points=np.array([points for gains_of_box in possible for points, _ in gains_of_box]),
        step=np.array([step for gains_of_box in possible for _, step in gains_of_box]),
        row=np.array([_find_row_gained(rules, box, points) for box, points in ends]),
        by_roll=np.array(
            [
                [number[box, *gain] for gain in zip(*rolls, strict=True)]
                for box, rolls in enumerate(naturally)
            ]
        ),
    )


def list_gains(rules: Ruleset, box: int, *, chips_won: bool) -> set[tuple[int, int]]:
    """Return a box's possible results: (points with the chip, increase of the upper total)."""
    points, steps = arrays.calculate_points(rules)[box], arrays.calculate_upper_steps(rules)[box]
    pairs = {(0, 0), *zip(points.tolist(), steps.tolist(), strict=True)}
    moves = arrays.build_joker_moves(rules)
    here = moves.box == box
    if not chips_won:
        here = here & (moves.row >> len(rules.categories) == 0)
    return pairs | set(zip(moves.points[here].astype(int), moves.step[here].tolist(), strict=True))


def _find_row_gained(rules: Ruleset, box: int, points: int) -> int:
    chips = rules.joker is not None and box == rules.index[rules.joker.box] and points > 0
    return 1 << box | chips << len(rules.categories)


@cache
def _number_outcomes(rules: Ruleset) -> dict[tuple[int, int, int], int]:
    """Map (box, points, increase of the upper total) to the number of this outcome."""
    boxes = range(len(rules.categories))
    outcomes = [
        (box, *gain) for box in boxes for gain in sorted(list_gains(rules, box, chips_won=True))
    ]
    return {outcome: number for number, outcome in enumerate(outcomes)}


@cache
def build_jokers(rules: Ruleset) -> Jokers:
    moves, number = arrays.build_joker_moves(rules), _number_outcomes(rules)
    moved = zip(moves.box.tolist(), moves.points.astype(int), moves.step.tolist(), strict=True)
    return Jokers(
        start=moves.start,
        target=moves.target,
        roll=moves.target // TILE - rules.cup.first_roll,
        box=moves.box,
        row=moves.row,
        points=moves.points - PREFER_LOWER_BOX * moves.box,
        step=moves.step,
        outcome=np.array([number[entry] for entry in moved], dtype=np.int64),
    )


def build_entries(rules: Ruleset, stride: int, *, upper: bool, credit: Floats | None) -> Entries:
    """Return the ``Entries`` for values that are stored in rows of length ``stride``.

    A player adds ``credit[box, roll]`` to the points of an entry. ``upper`` is False for a player
    that ignores the upper total.
    """
    outcomes, first_roll = build_outcomes(rules), rules.cup.first_roll
    zero = np.arange(len(rules.categories)) * np.float64(-PREFER_LOWER_BOX)
    zero_step = (1 << np.arange(len(zero))) * stride
    fills, risks = [], []
    for box, points in enumerate(arrays.calculate_points(rules)):
        rolls, none = np.flatnonzero(points), np.flatnonzero(points == 0)
        liked = points[rolls] + zero[box] + (0 if credit is None else credit[box, rolls])
        moved = arrays.calculate_upper_steps(rules)[box, rolls]
        scored = _find_row_gained(rules, box, points=1) * stride
        step = scored + moved * upper
        same = np.ones_like(none)
        fills.append((rolls, liked, step, outcomes.by_roll[box, rolls]))
        fills.append((none, same * zero[box], same * zero_step[box], same * outcomes.start[box]))
        risky = scored != zero_step[box] or moved.any()
        risks.append(sorted(set(zip(step, liked - zero[box], strict=True))) if risky else [])
    ends = _find_starts([rolls for rolls, *_ in fills])
    roll, liked, step, outcome = map(np.concatenate, zip(*fills, strict=True))
    return Entries(
        start=ends[::2].copy(),
        nil=ends[1::2].copy(),
        target=(roll + first_roll) * TILE,
        points=liked,
        step=step,
        outcome=outcome,
        zero=zero,
        zero_step=zero_step,
        risk_start=_find_starts(risks),
        risk_step=np.array([step for risk in risks for step, _ in risk], dtype=np.int64),
        risk_gain=np.array([gain for risk in risks for _, gain in risk], dtype=np.float64),
    )


def _find_starts(parts: Sequence[Sized]) -> Ints:
    return np.cumsum([0, *map(len, parts)]).astype(np.int64)


def count_outcomes(rules: Ruleset) -> Ints:
    """Return an array [row]: the number of outcomes of the row's open boxes."""
    sizes = np.diff(build_outcomes(rules).start)
    rows = np.arange((rules.full + 1) << (rules.joker is not None))
    return sum((sizes[n] * (~rows >> n & 1) for n in range(len(sizes))), start=np.zeros_like(rows))


def find_extra_points(rules: Ruleset) -> Ints:
    """Return the most points that the upper column does not show, as an array [row, n]. These are
    the points of lower boxes and chips (n = 0). The last column represents many totals, so for this
    column (n = 1) they include the upper points above the threshold."""
    rows = np.arange((rules.full + 1) << (rules.joker is not None))
    chips = rows > rules.full
    extra, upper = np.zeros_like(rows), np.zeros_like(rows)
    for box in range(len(rules.categories)):
        filled = rows >> box & 1
        for won in (False, True):
            pairs = list_gains(rules, box, chips_won=won)
            extra += max(points - step for points, step in pairs) * filled * (chips == won)
        upper += max(step for _, step in list_gains(rules, box, chips_won=False)) * filled
    return np.stack((extra, extra + np.maximum(0, upper - rules.bonus_threshold)), axis=1)


def bound_score(rules: Ruleset) -> int:
    """Return a number of points that is at least as high as every final score."""
    return rules.bonus_threshold + rules.bonus_points + int(find_extra_points(rules)[:, 1].max())
