"""Turns of many games at the same time: play them from tables, store them, and judge them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.dp.arrays import Floats, Ints, build_throws
from solver.dp.outcomes import build_jokers, build_outcomes
from solver.dp.slots import build_game
from solver.dp.space import Space
from solver.players.agent import GamesInPlay, Tabular
from solver.rules import Ruleset
from solver.tables import open_table

Faces = npt.NDArray[np.uint8]  # faces of a turn, as [game, roll, slot]
Small = npt.NDArray[np.int32]


class Turns(NamedTuple):
    """The turns of many games, as the arrays that ``turn_kernels`` describes. ``rows`` and
    ``columns`` identify the card before each turn, as in ``dp.space``."""

    rows: Small
    columns: Small
    rolls: Small
    kept: Small
    boxes: Small

    @classmethod
    def create_empty(cls, games: int, throws: int) -> "Turns":
        single, many = (games,), (games, throws)
        return cls(
            *(np.full(shape, -1, dtype=np.int32) for shape in (single, single, many, many, single))
        )


def play_turn(agent: Tabular, games: GamesInPlay, faces: Faces, rng: np.random.Generator) -> Turns:
    """Play one turn of every game by the player's tables. Update ``games``; return the turns."""
    from solver.arena.turn_kernels import play_turns  # slow: loads the compiler

    rules = games.rules
    turns = Turns.create_empty(len(games.rows), rules.throws)
    turns.rows[:], turns.columns[:] = games.rows, games.upper
    luck = np.zeros((rules.throws, 1), dtype=np.uint32)
    if agent.uses_luck:
        luck = rng.integers(1 << 32, size=(rules.throws, len(games.rows)), dtype=np.uint32)
    play_turns(
        *games.arrays,
        make_card_tables(agent, games.rows, games.upper),
        faces,
        luck,
        build_throws(rules.dice),
        (build_jokers(rules), build_outcomes(rules)),
        rules.bonus_threshold,
        turns,
    )
    return turns


def make_card_tables(agent: Tabular, rows: Small, upper: Small) -> tuple[Ints, Any, Any]:
    """Return (number, holds, boxes); number[game] is the index of its card in both tables."""
    space = Space(agent.rules)
    columns = upper if agent.looks_at_upper else np.zeros_like(upper)
    keys, number = np.unique(rows.astype(np.int64) * space.columns + columns, return_inverse=True)
    cards, seen = np.divmod(keys, space.columns)
    if many := getattr(agent, "cards", None):
        holds, boxes = many(cards, seen)
    else:
        from solver.players.cards import stack_tables

        tables = [agent.card(*at) for at in zip(cards.tolist(), seen.tolist(), strict=True)]
        holds = stack_tables([table.holds for table in tables])
        boxes = stack_tables([table.boxes for table in tables])
    return number.astype(np.int64), holds, boxes


class Judged(NamedTuple):
    """Each turn's luck and cost in points, and the number of decisions in the turn."""

    luck: Floats
    regret: Floats
    decisions: Ints


class Judge:
    def __init__(self, rules: Ruleset) -> None:
        from solver.dp.outlook import pad_values

        space, table = Space(rules), open_table(rules)
        self.rules, self.value_start = rules, table.value_start
        self._columns, self._stride = space.columns, space.stride
        self._values = pad_values(space, table.read_all()).reshape(-1)
        self._game = build_game(rules)

    def measure(self, played: Sequence[Turns]) -> Judged:
        """Return luck, cost and number of decisions of each turn. Calculate each card once."""
        from solver.arena.turn_kernels import judge_turns  # slow: loads the compiler

        turns = Turns(*(np.concatenate(parts) for parts in zip(*played, strict=True)))
        count, cup = len(turns.rows), self.rules.cup
        judged = Judged(np.zeros(count), np.zeros(count), np.zeros(count, np.int64))
        room = (
            np.empty((len(self.rules.categories), len(cup.rolls))),
            np.empty((self.rules.throws, len(cup.holds))),
            np.empty((self.rules.throws + 1, len(cup.holds))),
        )
        order = np.argsort(
            turns.rows.astype(np.int64) * self._columns + turns.columns, kind="stable"
        )
        judge_turns(order, turns, self._values, self._stride, self._game, room, judged)
        return judged
