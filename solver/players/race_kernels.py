"""``players.race`` for many games at once, compiled: how it is graded."""

from typing import Any

import numpy as np

from solver.dp.compiled import inlined
from solver.dp.kernels import box_pass
from solver.players.card_kernels import thrown
from solver.players.compiled import inlined as helper
from solver.players.compiled import kernel
from solver.players.race import POINT, ahead
from solver.rules.dice import FACES

_ahead = helper(ahead)


@inlined
def chances_pass(lead: float, theirs: Any, lumps: Any, worth: Any, seen: Any) -> None:
    """``worth[0, box, roll]``, points to begin with, becomes chances; the others are the tables.

    What a box brings says what follows, so every number of points is worked out once for a box.
    """
    of_bonus, of_prize = lumps
    for box in range(worth.shape[1]):
        seen[:] = -1.0
        for roll in range(worth.shape[2]):
            if worth[0, box, roll] == -np.inf:
                continue
            mean, second, bonus, prize, gain = worth[:, box, roll]
            mean, at = mean - gain, int(gain)
            if seen[at, 0] != mean:
                seen[at, 0] = mean
                seen[at, 1] = _ahead(
                    lead + gain,
                    mean,
                    second - gain - mean * mean,
                    bonus - gain,
                    prize - gain,
                    theirs[0],
                    theirs[1],
                    theirs[2],
                    theirs[3],
                    of_bonus,
                    of_prize,
                )
            worth[0, box, roll] = seen[at, 1] + POINT * worth[0, box, roll]


@inlined
def mean_and_best(best: Any, holds: Any, dice: Any, within: Any) -> None:
    """From w to e, and from e to the w of one throw more."""
    holds[dice.stop :] = best
    for hold in range(dice.stop - 1, -1, -1):
        total = 0.0
        for face in range(1, FACES + 1):
            total += holds[dice.more[hold, face]]
        holds[hold] = total / FACES
    for roll in range(best.shape[0]):
        for n in range(within.shape[0]):
            best[roll] = max(best[roll], holds[within[n, roll]])


@kernel
def race_turns(
    cards: Any,
    leads: Any,
    theirs: Any,
    throws: Any,
    tables: Any,
    stride: int,
    lumps: Any,
    game: Any,
    dice: Any,
    within: Any,
    last: Any,
) -> None:
    """last[game] is the roll, and the box, that the turn of this game ends with.

    ``cards[game]`` are row and column. Where the bonus of ``lumps`` is less than nothing it is
    played for points. ``tables`` are V, the second moment, both chances, and nothing.
    """
    boxes, rolls = game.scores.start.shape[0] - 1, within.shape[1]
    worth = np.empty((len(tables), boxes, rolls))
    best, holds = np.empty(rolls), np.empty((throws.shape[0], dice.more.shape[0]))
    seen = np.empty((4096, 2))
    for number in range(cards.shape[0]):
        row, column = cards[number]
        for table in range(len(tables) if lumps[0] >= 0 else 1):
            box_pass(tables[table], row, column, stride, game, worth[table])
        if lumps[0] >= 0:
            chances_pass(leads[number], theirs[number], lumps, worth, seen)
        for roll in range(rolls):
            best[roll] = worth[0, :, roll].max()
        for left in range(1, throws.shape[0]):
            mean_and_best(best, holds[left], dice, within)
        roll = thrown(0, throws[0, number], dice)
        for left in range(throws.shape[0] - 1, 0, -1):
            hold = within[0, roll]
            for n in range(1, within.shape[0]):
                if holds[left, within[n, roll]] > holds[left, hold] + 1e-12:
                    hold = within[n, roll]
            roll = thrown(hold, throws[throws.shape[0] - left, number], dice)
        last[number, 0] = roll
        last[number, 1] = worth[0, :, roll].argmax()
