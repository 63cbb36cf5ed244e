"""Players that list all their decisions in a table. The base class derives everything else."""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Floats, Ints, build_throws, find_roll_chances
from solver.dp.outcomes import Index, build_jokers, build_outcomes
from solver.dp.space import Space
from solver.dp.sweep import run_in_parts
from solver.players.agent import Card, GamesInPlay, Luck, Throws
from solver.rules import Action, Hold, Ruleset, Score, State

GAMES_AT_ONCE = 8192
CARDS_AT_ONCE = 64
OUTCOMES_AT_ONCE = 512
Numbers = npt.NDArray[np.int16]
Tables = tuple[Ints, Numbers, Numbers]


class CardPlay:
    """A player that decides by a table. A subclass defines either ``card``, which returns the table
    of one card, or ``cards``, for many cards. It may also have faster versions of other methods."""

    looks_at_upper = True
    uses_luck = False

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.space = Space(rules)
        self.cup = rules.cup

    @cached_property
    def _remembered(self) -> Callable[[int, int], Card]:
        """The method ``card`` with a cache, made on first use. The cache refers to the player, so
        both stay in memory (up to a gigabyte) until Python collects reference cycles."""
        return lru_cache(maxsize=4096)(self.card)

    def card(self, row: int, column: int) -> Card:
        holds, boxes = self.cards(np.array([row]), np.array([column]))
        return Card(holds[0].astype(np.int64), boxes[0].astype(np.int64))

    def cards(self, rows: Ints, columns: Ints) -> tuple[Numbers, Numbers]:
        """Return ``Card.holds`` and ``Card.boxes`` of these cards, stacked along a new first axis.
        If all cards have the same holds, the first axis of the holds has length 1."""
        cards = [self.card(*place) for place in zip(rows.tolist(), columns.tolist(), strict=True)]
        holds = stack_tables([card.holds for card in cards])
        return holds, stack_tables([card.boxes for card in cards])

    def make_tables(self, rows: Ints, columns: Ints) -> Tables:
        """Return arrays (number, holds, boxes). number[card] is the card's index in ``holds``."""
        holds, boxes = self.cards(rows, columns)
        return np.minimum(np.arange(len(rows)), len(holds) - 1), holds, boxes

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        row = self.space.find_row(state.filled, chips_won=state.chips_won)
        card = self._remembered(row, self.space.find_column(state.upper))
        roll = self.cup.roll_index[tuple(sorted(state.dice))]
        if state.throws_left:
            hold = self._draw_choice(card.holds[:, state.throws_left - 1, roll], rng)
            if hold < self.cup.first_roll:
                return Hold.from_faces(self.cup.holds[hold], state.dice, state.held)
        return Score(self.rules.categories[self._draw_choice(card.boxes[:, roll], rng)].id)

    def _draw_choice(self, choices: Ints, rng: np.random.Generator) -> int:
        """Return one of the equally likely choices of an array [way] that is padded with -1."""
        if not self.uses_luck:
            return int(choices[0])
        return int(choices[rng.integers(np.count_nonzero(choices >= 0))])

    def write_outcomes(self, rows: Ints, index: Index, chance_start: Ints, chance: Floats) -> None:
        from solver.players.card_kernels import write_card_outcomes  # slow: loads the compiler

        at, columns = np.nonzero(index[rows] >= 0)
        if not self.looks_at_upper:
            at, first = np.unique(at, return_index=True)
            columns = columns[first]
        cards = rows[at]
        starts = chance_start[index[cards, columns]]
        for first_card in range(0, len(cards), OUTCOMES_AT_ONCE):
            some = slice(first_card, first_card + OUTCOMES_AT_ONCE)
            tables = self.make_tables(cards[some], columns[some])
            first_rolls = find_roll_chances(self.rules.dice)
            write_card_outcomes(
                cards[some], starts[some], *tables, chance, first_rolls, *self._scoring
            )

    @property
    def _scoring(self) -> tuple[Any, Any, Any]:
        return build_throws(self.rules.dice), build_jokers(self.rules), build_outcomes(self.rules)

    def turns(self, games: GamesInPlay, throws: Throws, luck: Luck, threads: int) -> None:
        from solver.players.card_kernels import play_card_turns  # slow: loads the compiler

        columns = self.space.columns if self.looks_at_upper else 1
        keys = games.rows * columns + (games.upper if self.looks_at_upper else 0)
        there = np.zeros(self.space.rows * columns, dtype=np.bool_)
        there[keys] = True
        cards = np.flatnonzero(there)
        number = np.empty(len(there), dtype=np.int64)
        number[cards] = np.arange(len(cards))
        card_of_game = number[keys]

        parts = run_in_parts(
            lambda part: self.cards(cards[part] // columns, cards[part] % columns),
            len(cards),
            CARDS_AT_ONCE,
            threads,
        )
        shared = len(parts[0][0]) < min(len(cards), CARDS_AT_ONCE)
        holds = parts[0][0] if shared else join_tables([tables for tables, _ in parts])
        boxes = join_tables([tables for _, tables in parts])

        def run_part(part: slice) -> None:
            play_card_turns(
                *(array[part] for array in games.arrays),
                card_of_game[part],
                holds,
                boxes,
                throws[:, part],
                luck[:, part],
                *self._scoring,
                self.rules.bonus_threshold,
            )

        run_in_parts(run_part, len(keys), GAMES_AT_ONCE, threads)


def stack_tables(tables: Sequence[Ints]) -> Numbers:
    """Stack the tables of single cards in one array. Fill the gaps of shorter tables with -1."""
    most = max(len(table) for table in tables)
    whole = np.full((len(tables), most, *tables[0].shape[1:]), -1, dtype=np.int16)
    for number, table in enumerate(tables):
        whole[number, : len(table)] = table
    return whole


def join_tables(parts: Sequence[Numbers]) -> Numbers:
    """Concatenate decision tables of many cards. Fill the gaps of shorter tables with -1."""
    most = max(part.shape[1] for part in parts)
    whole = np.full(
        (sum(len(part) for part in parts), most, *parts[0].shape[2:]), -1, dtype=np.int16
    )
    at = 0
    for part in parts:
        whole[at : at + len(part), : part.shape[1]] = part
        at += len(part)
    return whole
