"""Advice on many positions at once, for programs that ask by the thousand.

What ``Advisor.advise`` says of each of them, by ``dp.turns``; where only the best options are asked
for, the others are never more than numbers.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from solver.advice.advisor import Advisor
from solver.advice.options import Advice, Option, Outlook
from solver.dp.arrays import Floats, Ints
from solver.dp.space import TIED_DIGITS
from solver.dp.turn import Rows, holds_of_rolls, holds_padded
from solver.dp.turns import Expected, ManyTurns, StartCards, Ways
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
    """In their order, each with so many of its best options; the positions are trusted.

    Where throws are saved they are worked out one after another.
    """
    if advisor.rules.stock:
        told = map(advisor.advise, positions)
        return [Advice(advice.value, advice.options[:top]) for advice in told]
    found: dict[int, Advice] = {}
    moments = advisor.outlook.rows if outlook and advisor.outlook else None
    for throws in range(advisor.rules.throws):
        numbers = [n for n, position in enumerate(positions) if position.rolls_left == throws]
        for first in range(0, len(numbers), TOGETHER):
            some = numbers[first : first + TOGETHER]
            asked = [positions[n] for n in some]
            found.update(zip(some, _told(advisor, asked, top, moments), strict=True))
    return [found[number] for number in range(len(positions))]


def _told(
    advisor: Advisor, asked: Sequence[Position], top: int | None, moments: Rows | None
) -> Iterator[Advice]:
    """All of them have as many throws left. Where one option of each is told, it is followed to
    where it ends, and nobody works out what else could be seen."""
    throws, follow = asked[0].rolls_left, top == 1 and moments is not None
    beside = None if follow else moments
    turns = ManyTurns(advisor.space, cards_of(asked), advisor.values.rows, beside)
    found = offered(turns, asked, throws)
    regret = found.worth.value.max(axis=0) - found.worth.value
    order = np.argsort(regret.round(TIED_DIGITS), axis=0, kind="stable")[:top]
    if follow and moments is not None:
        one = _followed(turns, found, order, asked, moments)
        return _advices(asked, found, regret, order, _outlooks(*one))
    outlooks = _outlooks(found.worth, found.points)
    some = np.take_along_axis(outlooks, order[..., None], axis=0)
    return _advices(asked, found, regret, order, some)


def _followed(
    turns: ManyTurns, found: Offered, order: Ints, asked: Sequence[Position], moments: Rows
) -> tuple[Expected, Ints]:
    """[1, position]: what the option that is told is worth, and its points."""
    value = np.take_along_axis(found.worth.value, order, axis=0)
    points = np.take_along_axis(found.points, order, axis=0)
    number = np.take_along_axis(found.number, order, axis=0)
    is_hold, card = order[0] < found.holds, np.arange(len(asked))
    boxes, holds = card[~is_hold], card[is_hold]
    ways = Ways(rolls_of(asked)[boxes], boxes, number[0, boxes], np.ones(len(boxes)))
    if len(holds):
        ways = ways.and_also(turns.ways(asked[0].rolls_left, number[0, holds], holds))
    chance, second = turns.carried(ways, moments)
    return Expected(value, (chance[None], second[None])), points


def rolls_of(positions: Sequence[Position]) -> Ints:
    return np.array([one.rules.cup.roll_index[tuple(sorted(one.dice))] for one in positions])


def cards_of(positions: Sequence[Position]) -> StartCards:
    facts = [(one.filled, one.upper, one.chips_won) for one in positions]
    filled, upper, chips_won = np.array(facts, dtype=np.int64).T
    return StartCards(filled, upper, chips_won.astype(np.bool_))


def offered(turns: ManyTurns, positions: Sequence[Position], throws: int) -> Offered:
    """All of these positions have so many throws left."""
    rolls = rolls_of(positions)
    points, scored = turns.boxes(rolls)
    boxes = np.repeat(np.arange(len(points))[:, None], len(rolls), axis=1)
    if not throws:
        return Offered(0, boxes, points, scored)
    dice = turns.rules.dice
    holds = holds_padded(dice)[:, rolls]
    held = turns.holds(throws).at(holds, np.arange(len(rolls)))
    many = np.array([len(found) for found in holds_of_rolls(dice)])[rolls]
    held.value[np.arange(len(holds))[:, None] >= many] = -np.inf
    return Offered(
        holds=len(holds),
        number=np.concatenate((holds, boxes)),
        points=np.concatenate((np.zeros_like(holds), points)),
        worth=held.above(scored),
    )


def _advices(
    positions: Sequence[Position], found: Offered, regret: Floats, order: Ints, outlooks: Floats
) -> Iterator[Advice]:
    """``outlooks`` are those of the options in ``order``."""
    columns = (found.number, found.points, found.worth.value, regret)
    kept = [np.take_along_axis(one, order, axis=0).T.tolist() for one in columns]
    best = found.worth.value.max(axis=0).tolist()
    seen = outlooks.swapaxes(0, 1).tolist()
    rows = zip(positions, best, order.T.tolist(), *kept, seen, strict=True)
    for position, value, *options in rows:
        yield Advice(value, tuple(_options(position, found.holds, zip(*options, strict=True))))


def _outlooks(worth: Expected, points: Ints) -> Floats:
    """[option, position, :]: the three numbers of an outlook, or none."""
    if not worth.carried:
        return np.empty((*points.shape, 0))
    chance, second = worth.carried
    value = np.where(np.isfinite(worth.value), worth.value, 0.0)
    deviation = np.sqrt(np.maximum(0.0, second - value * value))
    return np.stack((np.clip(chance, 0.0, 1.0), value - points, deviation), axis=-1)


def _options(position: Position, holds: int, rows: Iterator[Any]) -> Iterator[Option]:
    boxes, dice = position.rules.categories, tuple(sorted(position.dice))
    all_holds = position.rules.cup.holds
    for at, number, points, value, regret, seen in rows:
        if value == -np.inf:
            return  # the last of them
        outlook = Outlook(*seen) if seen else None
        if at < holds:
            yield Option("hold", all_holds[number], "", 0, value, regret, outlook)
        else:
            yield Option("score", dice, boxes[number].id, points, value, regret, outlook)
