"""Advice on many positions at once, for programs that ask by the thousand.

What ``Advisor.advise`` says of each of them, by ``dp.turns``; where only the best options are asked
for, the others are never more than numbers.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.advice import Advisor
from solver.dp.arrays import Floats, Ints
from solver.dp.space import TIE
from solver.dp.turn import holds_of_rolls, holds_padded
from solver.dp.turns import Expected, ManyTurns, StartCards
from solver.options import Advice, Option, Outlook
from solver.rules.dice import HOLDS, ROLL_INDEX
from solver.rules.position import Position

TOGETHER = 128  # positions; what is worked out for them stays in the cache of a core


class Offered(NamedTuple):
    """[option, position]: the holds, as many as any roll has, then the boxes.

    Where there is no such option it is worth minus infinity.
    """

    holds: int  # how many of the options are holds
    number: Ints  # of the hold, or the box
    points: Ints
    worth: Expected


def advise_many(
    advisor: Advisor,
    positions: Sequence[Position],
    *,
    top: int | None = None,
    outlook: bool = False,
) -> list[Advice]:
    """In their order, each with so many of its best options; the positions are trusted."""
    found: dict[int, Advice] = {}
    moments = advisor.outlook.rows if outlook and advisor.outlook else None
    for throws in range(advisor.rules.throws):
        numbers = [n for n, position in enumerate(positions) if position.rolls_left == throws]
        for first in range(0, len(numbers), TOGETHER):
            some = numbers[first : first + TOGETHER]
            asked = [positions[n] for n in some]
            turns = ManyTurns(advisor.space, cards_of(asked), advisor.values.rows, moments)
            told = _advices(asked, offered(turns, asked, throws), top)
            found.update(zip(some, told, strict=True))
    return [found[number] for number in range(len(positions))]


def cards_of(positions: Sequence[Position]) -> StartCards:
    facts = [(one.filled, one.upper, one.chips_won) for one in positions]
    filled, upper, chips_won = np.array(facts, dtype=np.int64).T
    return StartCards(filled, upper, chips_won.astype(np.bool_))


def offered(turns: ManyTurns, positions: Sequence[Position], throws: int) -> Offered:
    """All of these positions have so many throws left."""
    rolls = np.array([ROLL_INDEX[tuple(sorted(one.dice))] for one in positions])
    points, scored = turns.boxes(rolls)
    boxes = np.repeat(np.arange(len(points))[:, None], len(rolls), axis=1)
    if not throws:
        return Offered(0, boxes, points, scored)
    holds = holds_padded()[:, rolls]
    held = turns.holds(throws).at(holds, np.arange(len(rolls)))
    many = np.array([len(found) for found in holds_of_rolls()])[rolls]
    held.value[np.arange(len(holds))[:, None] >= many] = -np.inf
    return Offered(
        holds=len(holds),
        number=np.concatenate((holds, boxes)),
        points=np.concatenate((np.zeros_like(holds), points)),
        worth=held.above(scored),
    )


def _advices(positions: Sequence[Position], found: Offered, top: int | None) -> Iterator[Advice]:
    best = found.worth.value.max(axis=0)
    regret = best - found.worth.value
    order = np.argsort(np.where(regret < TIE, 0.0, regret), axis=0, kind="stable")[:top]
    columns = (found.number, found.points, found.worth.value, regret)
    kept = [_of_positions(one, order) for one in columns]
    outlooks = _of_positions(_outlooks(found), order)
    rows = zip(positions, best.tolist(), order.T.tolist(), *kept, outlooks, strict=True)
    for position, value, *options in rows:
        yield Advice(value, tuple(_options(position, found.holds, zip(*options, strict=True))))


def _of_positions(found: npt.NDArray[Any], order: Ints) -> list[Any]:
    """[position][option], the best options first."""
    wanted = order if found.ndim == order.ndim else order[..., None]
    listed: list[Any] = np.take_along_axis(found, wanted, axis=0).swapaxes(0, 1).tolist()
    return listed


def _outlooks(found: Offered) -> Floats:
    """[option, position, :]: the three numbers of an outlook, or none."""
    if not found.worth.carried:
        return np.empty((*found.points.shape, 0))
    chance, second = found.worth.carried
    value = np.where(np.isfinite(found.worth.value), found.worth.value, 0.0)
    deviation = np.sqrt(np.maximum(0.0, second - value * value))
    return np.stack((np.clip(chance, 0.0, 1.0), value - found.points, deviation), axis=-1)


def _options(position: Position, holds: int, rows: Iterator[Any]) -> Iterator[Option]:
    boxes, dice = position.rules.categories, tuple(sorted(position.dice))
    for at, number, points, value, regret, seen in rows:
        if value == -np.inf:
            return  # the last of them
        outlook = Outlook(*seen) if seen else None
        if at < holds:
            yield Option("hold", HOLDS[number], "", 0, value, regret, outlook)
        else:
            yield Option("score", dice, boxes[number].id, points, value, regret, outlook)
