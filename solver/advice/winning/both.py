"""The end of a game in which both play to win: they take turns, and each sees the other's card.

A draw is half a win. Of either side the cards that can follow are listed once, those whose bonus is
decided as one, with the bonus among the points of the turn that secures it; then every pair of them
is worked out, the fullest first, for all differences of points that can be reached and leave the
end open (``dp.alternating``). ``against`` answers another question: there the other one plays for
points whatever happens, and its turns are seen when all is over.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from solver.advice.winning.ends import NOWHERE, Ends, ends_of
from solver.dp import arrays, lanes
from solver.dp.arrays import Floats, Ints
from solver.dp.sides import SideCards
from solver.dp.space import MOST_BYTES, TILE, Space
from solver.dp.sweep import cores, in_parts
from solver.dp.turn import Turn
from solver.rules.position import checked_card
from solver.rules.rulesets import Ruleset

DECIDED = -1  # the upper total of a card whose bonus is secured, or out of reach
PAIRS_AT_ONCE = 64
LARGE = 1 << 30
FLOAT = np.dtype(np.float64).itemsize
MOST_OPEN_OF_BOTH = 7  # about a minute


class NoTurns(ValueError):
    """Two who take turns never have such cards."""


class NoRoom(ValueError):
    """Two layers of such cards do not fit."""


@dataclass(frozen=True)
class CardLevel:
    """Equally full cards of one player: the points that have led there, and may still come."""

    side: SideCards
    least: Ints
    most: Ints
    to_come: Ints


@dataclass(frozen=True)
class CardOf:
    """One player's card before a turn, and its total with a bonus that is secured."""

    filled: int
    upper: int
    total: int
    chips_won: bool = False


class Both:
    """``first`` moves; the other has as many boxes open, or one less."""

    def __init__(
        self,
        rules: Ruleset,
        first: CardOf,
        second: CardOf,
        *,
        threads: int | None = None,
        compiled: bool = True,
    ) -> None:
        for card in (first, second):
            checked_card(rules, card.filled, card.upper, card.chips_won)
        self.rules, self.space, self.first = rules, Space(rules), first
        self.lead = first.total - second.total
        self.levels = _levels(rules, first), _levels(rules, second)
        self.moves = len(self.levels[0]) + len(self.levels[1]) - 2
        if len(self.levels[0]) - len(self.levels[1]) not in (0, 1) or not self.moves:
            raise NoTurns("they take turns: the other has as many boxes open, or one less")
        self.threads, self._fill = threads or cores(), self._quickly if compiled else self._plainly
        self.room = TILE + 1 + max(int(one.side.gain.max(initial=0)) for one in self._each_level())
        self.cells = 0
        self._check_room()
        self.after_turn = self._worked_out()

    @property
    def turn(self) -> Turn:
        """The turn of who moves, valued in chances instead of points."""
        card, side = self.first, self.levels[0][0].side
        column = self.space.column(card.upper)
        turn = Turn(self.space, card.filled, column, card.chips_won, _no_table)
        at = self.lead + side.gain[0] - self._lowest(1)
        at = np.clip(at, 0, self.after_turn.shape[1] - 1)
        known = np.append(self.after_turn[side.child[0], at], -np.inf)
        turn.scores = known[side.of[0]]
        return turn

    @property
    def chance(self) -> float:
        return self.turn.start

    def _each_level(self) -> Iterator[CardLevel]:
        return (level for levels in self.levels for level in levels)

    def _worked_out(self) -> Floats:
        """[card of the first, x]: its chance once its turn is done, from the end back to there."""
        table = self._undecided(self.moves)
        table[:, -self._lowest(self.moves)] = 0.5
        for move in range(self.moves - 1, 0, -1):
            table = self._layer(move, table)
        return table

    def _at(self, move: int) -> tuple[CardLevel, CardLevel]:
        """The cards of who makes this move, and those of the other."""
        both = self.levels[0][(move + 1) // 2], self.levels[1][move // 2]
        return both if move % 2 == 0 else both[::-1]

    def _lowest(self, move: int) -> int:
        """The lowest x in the table of this move, where the one reads it who moved before."""
        return -int(self._at(move - 1)[0].to_come.max())

    def _leads(self, move: int) -> range:
        """The x of the table of this move."""
        return range(self._lowest(move), int(self._at(move)[0].to_come.max()) + self.room)

    def _check_room(self) -> None:
        """Two tables are there at once."""
        sizes = [
            FLOAT * len(self._leads(move)) * _cards(self._at(move)[0]) * _cards(self._at(move)[1])
            for move in range(1, self.moves + 1)
        ]
        most = max(map(sum, pairwise([0, *sizes])))
        if most > MOST_BYTES:
            raise NoRoom(
                f"these cards take {most / 1e9:.1f} GB, and {MOST_BYTES / 1e9:.1f} are allowed: "
                "fewer open upper boxes take less"
            )

    def _undecided(self, move: int) -> Floats:
        """[pair, x]: the table as it is begun, 1 where x is more than can come."""
        mover, other = self._at(move)
        x = np.array(self._leads(move))
        won = np.broadcast_to(x > mover.to_come[:, None], (*map(_cards, (other, mover)), len(x)))
        return np.array(won, dtype=np.float64, order="C").reshape(-1, len(x))

    def _spans(self, move: int) -> Ints:
        """[pair]: the first and last x that can be reached and leave the end open."""
        mover, other = self._at(move)
        lead = self.lead if move % 2 == 0 else -self.lead
        lowest = lead + mover.least[:, None] - other.most
        highest = lead + mover.most[:, None] - other.least
        least = np.maximum(lowest, -mover.to_come[:, None])
        return np.stack((least, np.minimum(highest, other.to_come)), axis=-1).reshape(-1, 2)

    def _layer(self, move: int, table: Floats) -> Floats:
        spans, out = self._spans(move), self._undecided(move)
        self.cells += int(np.maximum(spans[:, 1] - spans[:, 0] + 1, 0).sum())
        self._fill(move, spans, table, out)
        return out

    def _quickly(self, move: int, spans: Ints, table: Floats, out: Floats) -> None:
        from solver.dp.alternating import layer  # loads the compiler

        mover, other = self._at(move)
        lows = self._lowest(move + 1), table.shape[1], self._lowest(move), out.shape[1]
        side, moves = mover.side._replace(others=_cards(other)), arrays.moves(self.rules.dice)
        facts = *lows, self.rules.throws

        def some(part: slice) -> None:
            last = min(part.stop, len(spans))
            layer(part.start, last, side, spans, table.ravel(), facts, out.ravel(), moves)

        in_parts(some, len(spans), PAIRS_AT_ONCE, self.threads)

    def _plainly(self, move: int, spans: Ints, table: Floats, out: Floats) -> None:
        """Without the compiler, in thirty times as long."""
        mover, others = self._at(move)[0], _cards(self._at(move)[1])
        counts = np.maximum(spans[:, 1] - spans[:, 0] + 1, 0)
        pairs = np.arange(len(spans)).repeat(counts)
        begun = (counts.cumsum() - counts).repeat(counts)
        every = np.arange(len(pairs)) - begun + spans[pairs, 0]
        for at in range(0, len(pairs), lanes.LANES):
            (i, j), x = divmod(pairs[at : at + lanes.LANES], others), every[at : at + lanes.LANES]
            worth = self._scores(mover.side, table, i, j, x - self._lowest(move + 1), others)
            to = j * _cards(mover) + i, -x - self._lowest(move)
            out[to] = 1.0 - lanes.start(worth, self.rules.throws, self.rules.dice)

    def _scores(
        self, side: SideCards, table: Floats, i: Ints, j: Ints, at: Ints, others: int
    ) -> Floats:
        """[roll, cell]: the best box."""
        after = table[side.child[i] * others + j[:, None], at[:, None] + side.gain[i]]
        known = np.pad(after, ((0, 0), (0, 1)), constant_values=-np.inf)
        of, best = side.of[side.row[i]], np.full((len(i), side.of.shape[2]), -np.inf)
        for box in range(side.of.shape[1]):
            np.maximum(best, np.take_along_axis(known, of[:, box], axis=1), out=best)
        return best.T


def _cards(level: CardLevel) -> int:
    return len(level.side.row)


def _no_table(rows: Ints) -> Floats:
    raise AssertionError("the scores of this turn are known")


# The cards of one player


def _levels(rules: Ruleset, card: CardOf) -> list[CardLevel]:
    """From the card as it is to the full one."""
    row = Space(rules).row(card.filled, chips_won=card.chips_won)
    cards = {(row, _upper(rules, row, card.upper)): 0}
    sides = []
    while cards:
        following: dict[tuple[int, int], int] = {}
        sides.append(_side(rules, list(cards), following))
        cards = following
    return _with_points(sides)


def _upper(rules: Ruleset, row: int, total: int) -> int:
    """As far as it matters: not where the bonus is decided."""
    highest = total + max(rules.upper_totals(rules.full & ~row))
    return total if total < rules.bonus_threshold <= highest else DECIDED


def _side(
    rules: Ruleset, cards: list[tuple[int, int]], following: dict[tuple[int, int], int]
) -> SideCards:
    """``following`` gets the cards that come next, numbered."""
    rows = {row: number for number, row in enumerate(dict(cards))}
    boxes = [ends_of(rules, row) for row in rows]
    ends = np.array([sum(len(box.gain) for box in open_boxes) for open_boxes in boxes])
    child, gain = np.zeros((2, len(cards), ends.max(initial=0)), dtype=np.int64)
    for number, (row, upper) in enumerate(cards):
        every = (end for box in boxes[rows[row]] for end in box.each())
        for at, (points, step, after) in enumerate(every):
            total = DECIDED if upper == DECIDED else _upper(rules, after, upper + step)
            secured = upper != DECIDED and upper + step >= rules.bonus_threshold
            child[number, at] = following.setdefault((after, total), len(following))
            gain[number, at] = points + secured * rules.bonus_points
    of = np.array([_numbered(open_boxes, int(ends.max(initial=0))) for open_boxes in boxes])
    return SideCards(np.array([rows[row] for row, _ in cards]), of, ends, child, gain, 0)


def _numbered(open_boxes: tuple[Ends, ...], nowhere: int) -> list[Ints]:
    """[box][roll]: which of the ends of all boxes."""
    starts = np.cumsum([0, *(len(box.gain) for box in open_boxes)])
    pairs = zip(open_boxes, starts.tolist(), strict=False)
    return [np.where(box.of == NOWHERE, nowhere, box.of + start) for box, start in pairs]


def _with_points(sides: list[SideCards]) -> list[CardLevel]:
    """What has led to every card and what may still come: forwards, then backwards."""
    led = [(np.zeros(1, dtype=np.int64),) * 2]
    for side, after in pairwise(sides):
        least, most = np.full(len(after.row), LARGE), np.zeros(len(after.row), dtype=np.int64)
        for card, count in enumerate(side.ends[side.row].tolist()):
            child, gain = side.child[card, :count], side.gain[card, :count]
            np.minimum.at(least, child, led[-1][0][card] + gain)
            np.maximum.at(most, child, led[-1][1][card] + gain)
        led.append((least, most))
    to_come = [np.zeros(len(sides[-1].row), dtype=np.int64)]
    for side in sides[-2::-1]:
        there = np.arange(side.child.shape[1]) < side.ends[side.row][:, None]
        to_come.append(np.where(there, side.gain + to_come[-1][side.child], 0).max(axis=1))
    return [
        CardLevel(side, *points, still)
        for side, points, still in zip(sides, led, reversed(to_come), strict=True)
    ]
