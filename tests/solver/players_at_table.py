"""Players for the arena's tests: honest ones that are asked, and one for every kind of foul."""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Event
from typing import Any, cast

import numpy as np

from solver.arena.controller import Category, Player, TurnChoice
from solver.arena.illegal import Disqualified
from solver.players import find_player
from solver.rules import Hold, Ruleset, Score, State, list_legal_actions


class FirstFree(Player):
    def turn(self, dice: list[int], stage: int) -> Any:
        free = self.game.scorecard.free_categories
        joker = len(set(dice)) == 1 and Category.YAHTZEE not in free
        if joker:
            own = [c for c in free if c.is_upper and c.rule.face == dice[0]]
            free = own or [c for c in free if c.is_lower] or free
        return TurnChoice(free[0] if stage == 2 else [])


class Watching(FirstFree):
    seen: list[Any] = []

    def turn(self, dice: list[int], stage: int) -> Any:
        Watching.seen.append((self.game.scorecard.score, self.game.scores))
        return super().turn(dice, stage)


class Remembering(FirstFree):
    turns = 0

    def turn(self, dice: list[int], stage: int) -> Any:
        self.turns += stage == 0
        if self.turns + len(self.game.scorecard.free_categories) != 14:
            raise ValueError(f"is turn {self.turns} of another game")
        return super().turn(dice, stage)


class Spoiling(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        choice = super().turn(dice, stage)
        dice[:] = [6] * 5
        card = self.game.scorecard
        card.score, card.free_categories[:] = 1000, []
        self.game.scores.clear()
        return choice


def _raises(error: BaseException) -> Any:
    raise error


def _fork() -> None:
    while os.fork():
        pass
    Event().wait()


def _flood() -> None:
    while True:
        os.write(1, b"x" * 10_000)


# What each class of this module does in place of a turn.
FOULS: dict[str, Callable[[], Any]] = {
    "UsedCategory": lambda: TurnChoice(Category.ACES),
    "FourthThrow": lambda: TurnChoice([0]),
    "NotAChoice": lambda: "aces",
    "Raising": lambda: _raises(ZeroDivisionError("half of nothing")),
    "Leaving": lambda: sys.exit(3),
    "GivingUp": lambda: _raises(Disqualified("has had enough")),
    "Shouting": lambda: _raises(ValueError("\x1b[2J\n" + "\ud800" + 5000 * "\U0001f3b2")),
    "Hungry": lambda: [bytearray(1 << 24) for _ in range(100_000)],
    "Flooding": _flood,
    "Multiplying": _fork,
    "Ending": lambda: os._exit(4),
}


def _foul(name: str) -> type[FirstFree]:
    def turn(self: FirstFree, dice: list[int], stage: int) -> Any:
        return FOULS[name]()

    return type(name, (FirstFree,), {"turn": turn, "__module__": __name__})


globals().update({name: _foul(name) for name in FOULS})


class Printing(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        sys.stdout.write("thinking")
        assert sys.stdin.read() == ""
        os.write(1, b'{"answer": {"score": "ones"}}\n')
        return super().turn(dice, stage)


class Scribbling(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        for number in range(3, 20):
            with suppress(OSError):
                os.write(number, b"\xff\x1b[2J\n")


class Unmakeable:
    def __init__(self, rules: Any) -> None:
        raise ValueError("plays nothing")


class Playing:
    def __new__(cls, rules: Ruleset) -> Any:
        sys.stdout.write("a table of mine")
        return find_player("optimal").open_tabular(rules)


class NotAnAction:
    said: Any = 7

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Any:
        return self.answer(state)

    def answer(self, state: State) -> Any:
        return self.said


class NoSuchBox(NotAnAction):
    said: Any = Score("pair")


class WrongHold(NotAnAction):
    said = Hold(32)


class WrongType(NotAnAction):
    said = Score(cast(Any, ["ones"]))


class ScribblingEarly(NotAnAction):
    def __init__(self, rules: Ruleset) -> None:
        Scribbling.turn(cast(Any, self), [], 0)


class Late(NotAnAction):
    games = 0

    def go_on(self, game: Any) -> None:
        self.games = game

    def answer(self, state: State) -> Any:
        if self.games == 2:
            raise RuntimeError("the third game is too much")
        return list_legal_actions(state)[-1]


class Sulking(NotAnAction):
    def new_game(self, game: Any) -> None:
        raise LookupError("nobody asked me")


class Batched:
    """Asked about many games at once; remembers how many, and what it was told."""

    def __init__(self, rules: Ruleset) -> None:
        self.asked = 0
        self.told: list[Any] = []

    def sit_down(self, rules: Ruleset, players: Any) -> None:
        self.told.append((rules.id, players))

    def close(self) -> None:
        self.told.append("closed")

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Any:
        return list_legal_actions(state)[-1]

    def choose_many(self, states: Sequence[State], rng: np.random.Generator) -> Any:
        self.asked = max(self.asked, len(states))
        return [self.choose(state, rng) for state in states]


class TooFewAnswers(Batched):
    def choose_many(self, states: Sequence[State], rng: np.random.Generator) -> Any:
        return super().choose_many(states, rng)[1:]


class AsTable:
    """A player of the registry that can only be asked, so that nothing is played from its table."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Any:
        return self._agent.choose(state, np.random.default_rng(0), others)
