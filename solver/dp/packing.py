"""The packed layout of a large table, which stores each different value only once.

The filled upper boxes of a row determine its columns, which are the possible upper totals. All
totals that have lost the bonus share a column. Rows are stored level by level, starting with the
fullest cards. On a level, rows with the same upper boxes are stored together. Each row repeats its
columns for every number of saved rolls.
"""

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from math import prod
from typing import NamedTuple

import numpy as np

from solver.dp.arrays import Floats, Ints, build_joker_moves
from solver.dp.slots import build_slots
from solver.dp.space import CACHED, NEVER, TILE, Space
from solver.rules.rulesets import Ruleset

MOST_EVENLY = 1 << 28  # bytes of a table with all columns in all rows; larger tables are packed


@lru_cache(maxsize=CACHED)
def is_large(rules: Ruleset) -> bool:
    """Return whether the table is large: it is packed, and solved with two levels in memory."""
    space = Space(rules)
    return rules.stock > 0 or space.rows * space.columns * 8 > MOST_EVENLY


class RowGroup(NamedTuple):
    """Rows of a level with the same filled upper boxes, and therefore with the same columns; and
    the most saved rolls."""

    rows: Ints
    columns: Ints
    most_saved: int

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of a row: how many numbers of saved rolls it has, and how many columns."""
        return self.most_saved + 1, len(self.columns)

    @property
    def width(self) -> int:
        return prod(self.shape)


class Packing:
    def __init__(self, space: Space) -> None:
        self.space = space
        alike = space.alike_until[space.upper_cards, None]
        kept = space.upper_columns & (np.arange(space.columns) >= alike)
        self.columns = [np.flatnonzero(columns) for columns in kept]

    @cached_property
    def places(self) -> Ints:
        """The index of a column in its row, as [upper card, column]; -1 if it is unreachable."""
        space, alike = self.space, self.space.alike_until[self.space.upper_cards]
        places = np.full((len(self.columns), space.columns), -1)
        for card, kept in enumerate(self.columns):
            places[card, kept] = np.arange(len(kept))
            places[card, : alike[card]][space.upper_columns[card, : alike[card]]] = 0
        return places

    def list_levels(self) -> Iterator[list[RowGroup]]:
        """Yield each level's groups of rows, in the order of the file."""
        for number, rows in enumerate(self.space.list_levels()):
            card = self.space.upper_card[rows]
            saved = self.space.most_saved(self.space.boxes - number)
            yield [
                RowGroup(rows[card == kind], self.columns[kind], saved) for kind in np.unique(card)
            ]

    def find_places(self, size: Callable[[int, int], int]) -> Ints:
        """Return each row's byte offset, or -1 if no game reaches the row. ``size(stocks,
        columns)`` returns the number of bytes of a row."""
        starts, end = np.full(self.space.rows, -1), 0
        for group in self.list_groups():
            each = size(*group.shape)
            starts[group.rows] = np.arange(end, end + len(group.rows) * each, each)
            end += len(group.rows) * each
        return starts

    def find_shape(self, row: int) -> tuple[int, int]:
        saved = self.space.most_saved((row & self.space.rules.full).bit_count())
        return saved + 1, len(self.columns[self.space.upper_card[row]])

    @cached_property
    def values(self) -> int:
        return sum(len(group.rows) * group.width for group in self.list_groups())

    def list_groups(self) -> Iterator[RowGroup]:
        return (group for level in self.list_levels() for group in level)


@lru_cache(maxsize=16)
def build_packing(rules: Ruleset) -> Packing:
    """Return the packing of a ruleset. It is cached, because that of Maxi Yatzy takes 50 MB."""
    return Packing(Space(rules))


class LineArrays(NamedTuple):
    """The lines of a ruleset, for kernels. A line has the values of similar cards (see ``Lines``).
    A lane is the place of one value, and a tile is TILE neighbouring lanes.

    ``starts[row]`` is the index in memory of the line of this row. Its lanes are in the tiles
    tiles[g]:tiles[g + 1], with g = group[row]. width[g] is the number of lanes. ``upper`` has the
    upper boxes as bits.

    An entry is a possible score in an upper box, with its slot and points, for the lanes of a tile.
    These lanes lead to the lanes ``places`` (TILE numbers per entry) of the line of ``row ^
    change``. Tile t has the entries with 0 points ends[2 * t]:ends[2 * t + 1], and the entries with
    points ends[2 * t + 1]:ends[2 * t + 2]. For each entry of ``arrays.JokerMoves``, ``of_jokers``
    has the number of the entry within its tile, or -1 for lower boxes.
    """

    starts: Ints
    group: Ints
    tiles: Ints
    width: Ints
    upper: int
    ends: Ints
    box: Ints
    slot: Ints
    points: Floats
    change: Ints
    places: Ints
    of_jokers: Ints


class Lines:
    """The order of values in memory during their calculation.

    A line has the values of all cards with the same filled lower boxes (and the same flag) and with
    equally many filled upper boxes. It is divided into tiles of TILE values (lanes), of which few
    are empty. Its lanes are the columns of ``Packing.columns``, upper card by upper card. With
    jokers, whose boxes depend on the upper boxes, a line has only one upper card. Other lines end
    with a lane that belongs to no card. The number of a line is the row of its first upper card.
    """

    def __init__(self, packing: Packing) -> None:
        self.packing, self.space, rules = packing, packing.space, packing.space.rules
        self.cards = cards = np.array(self.space.upper_cards)
        kind = np.arange(len(cards)) if rules.joker else np.bitwise_count(cards)
        _, first, self.group = np.unique(kind, return_index=True, return_inverse=True)
        self.first = cards[first]  # [group]: first upper card of the group
        lanes = np.array([len(columns) for columns in packing.columns])
        self.before = np.zeros_like(lanes)  # [upper card]: first lane of the card in its line
        self.width = np.zeros_like(self.first)  # [group]: number of lanes of the group
        for card, group in enumerate(self.group):
            self.before[card] = self.width[group]
            self.width[group] += lanes[card]
        self.width = -(-(self.width + (rules.joker is None)) // TILE) * TILE

    def list_levels(self) -> list[list[Ints]]:
        """Return the reachable lines by number of filled boxes, starting with full cards. The lines
        of a level are a single block."""
        is_first = (self.cards == self.first[self.group])[self.space.upper_card]
        return [[rows[is_first[rows]]] for rows in self.space.list_levels()]

    def find_widths(self, lines: Ints) -> Ints:
        widths: Ints = self.width[self.group[self.space.upper_card[lines]]]
        return widths

    def find_starts(self, starts: Ints, rows: Ints) -> Ints:
        """Return the index in memory of each row's first lane, given the index of each line."""
        card = self.space.upper_card[rows]
        lanes: Ints = starts[rows ^ self.cards[card] ^ self.first[self.group[card]]]
        lanes += self.before[card]
        return lanes

    def make_grid(self) -> tuple[Ints, Floats]:
        """Return the index of every line, and memory for all lines as [lower boxes, lane]. The last
        lanes remain NaN; they are for positions that no game reaches."""
        first, lanes = self.width.cumsum() - self.width, int(self.width.sum())
        starts, bare = np.zeros(self.space.rows, dtype=np.int64), self._bare_rows
        starts[bare[:, None] | self.first] = first + np.arange(len(bare))[:, None] * (lanes + TILE)
        return starts, np.full((len(bare), lanes + TILE), np.nan)

    def read_grid(self, grid: Floats) -> Floats:
        """Return the values of a grid as [row, column]; NaN if no game reaches the position."""
        values = np.empty((self.space.rows, self.space.columns))
        for row, line in zip(self._bare_rows, grid, strict=True):
            values[row | self.cards] = line.take(self._lanes, mode="wrap")
        return values

    def write_grid(self, grid: Floats, values: Floats) -> None:
        """Copy values[row, column] to their places in a grid of ``make_grid``."""
        kept = self._lanes >= 0
        for row, line in zip(self._bare_rows, grid, strict=True):
            line[self._lanes[kept]] = values[row | self.cards][kept]

    @cached_property
    def _bare_rows(self) -> Ints:
        return np.flatnonzero(self.space.upper_card == 0)

    @cached_property
    def _lanes(self) -> Ints:
        """The index in a grid, as [upper card, column]; -1 if no game reaches the position."""
        places, first = self.packing.places, (self.width.cumsum() - self.width)[self.group]
        return np.where(places < 0, -1, places + (first + self.before)[:, None])

    def find_ends(self, starts: Ints) -> Ints:
        """Return the index of each position in the lines of full cards."""
        ends: Ints = starts[self.space.full_rows, None] + np.arange(self.width[-1])
        return ends

    def make_end(self, quantity: float) -> Floats:
        """Return the line of a full card: ``quantity`` if the bonus is won, otherwise 0."""
        end, columns = np.full(self.width[-1], NEVER), self.packing.columns[-1]
        end[: len(columns)] = quantity * (columns >= self.space.rules.bonus_threshold)
        return end

    def build_arrays(self, starts: Ints) -> LineArrays:
        return self._arrays._replace(starts=starts)

    @cached_property
    def _arrays(self) -> LineArrays:
        space, rules, cards = self.space, self.space.rules, self.cards
        scores, upper = build_slots(rules), np.array(rules.upper, dtype=np.int64)
        box_of = np.repeat(np.arange(space.boxes), np.diff(scores.start))
        scored = np.flatnonzero(np.isin(box_of, upper))
        none, last = np.zeros_like(upper), rules.bonus_threshold
        box, step = np.append(upper, box_of[scored]), np.append(none, scores.step[scored])
        slot = np.append(none + scores.number * TILE, scores.slot[scored])
        ends, chosen, change, places = [none[:0]], [none[:0]], [none[:0]], [none[:0]]
        for group, width in enumerate(self.width):
            card = np.flatnonzero(self.group == group)
            columns = [self.packing.columns[number] for number in card]
            card, column = np.repeat(card, [len(some) for some in columns]), np.concatenate(columns)
            card, column = (np.pad(a, (0, width - len(a)), mode="edge") for a in (card, column))
            filled = cards[card] >> box[:, None] & 1 == 1
            filled[:, sum(map(len, columns)) :] = True
            after = np.searchsorted(cards, cards[card] | 1 << box[:, None])
            following = self.group[after].max(axis=1)
            lane = self.packing.places[after, np.minimum(column + step[:, None], last)]
            lane = np.where(filled, self.width[following, None] - 1, self.before[after] + lane)
            shape = len(box), width // TILE, TILE
            used = ~filled.reshape(shape).all(axis=2).T  # [tile, entry]: True if any lane uses it
            number = np.nonzero(used)[1]
            chosen.append(number)
            change.append((self.first[following] ^ self.first[group])[number])
            places.append(lane.reshape(shape).swapaxes(0, 1)[used].ravel())
            counts = used[:, : len(upper)].sum(axis=1), used[:, len(upper) :].sum(axis=1)
            ends.append(np.transpose(counts).ravel())
        number = np.concatenate(chosen)
        jokers = build_joker_moves(self.space.rules)
        row = np.repeat(np.arange(len(jokers.start) - 1), np.diff(jokers.start))
        of_step = np.full((self.space.boxes, 1 + step.max(initial=0)), -1)
        of_step[box, step] = np.arange(len(box))
        rank = (self.cards[:, None] >> box & 1 == 0).cumsum(axis=1) - 1
        entries = np.pad(rank, ((0, 0), (0, 1)), constant_values=-1)  # the last is for lower boxes
        of_jokers: Ints = entries[self.space.upper_card[row], of_step[jokers.box, jokers.step]]
        return LineArrays(
            starts=none,
            group=self.group[space.upper_card],
            tiles=np.append(0, self.width.cumsum() // TILE),
            width=np.append(self.width, 0),
            upper=cards[-1],
            ends=np.append(0, np.concatenate(ends).cumsum()),
            box=box[number],
            slot=slot[number],
            points=np.append(none * 0.0, scores.points[scored])[number],
            change=np.concatenate(change),
            places=np.concatenate(places).astype(np.int32),
            of_jokers=of_jokers,
        )


@lru_cache(maxsize=16)
def build_lines(rules: Ruleset) -> Lines:
    return Lines(build_packing(rules))
