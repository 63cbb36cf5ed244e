"""Players for the arena's tests: honest ones that are asked, and one for every kind of foul."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from threading import Event
from typing import Any, cast

import numpy as np

from solver.arena.controller import Category, Player, TurnChoice
from solver.arena.illegal import Disqualified
from solver.players import find_player
from solver.rules import Hold, Ruleset, Score, State, legal_actions


class FirstFree(Player):
    """Throws everything again, then takes the first category that it may."""

    def turn(self, dice: list[int], stage: int) -> Any:
        free = self.game.scorecard.free_categories
        joker = len(set(dice)) == 1 and Category.YAHTZEE not in free
        if joker:
            own = [c for c in free if c.is_upper and c.rule.face == dice[0]]
            free = own or [c for c in free if c.is_lower] or free
        return TurnChoice(free[0] if stage == 2 else [])


class Watching(FirstFree):
    """Writes down the scores that it was shown."""

    seen: list[Any] = []

    def turn(self, dice: list[int], stage: int) -> Any:
        Watching.seen.append((self.game.scorecard.score, self.game.scores))
        return super().turn(dice, stage)


class Remembering(FirstFree):
    """Counts its turns, which fill a category each: it is of one game."""

    turns = 0

    def turn(self, dice: list[int], stage: int) -> Any:
        self.turns += stage == 0
        if self.turns + len(self.game.scorecard.free_categories) != 14:
            raise ValueError(f"is turn {self.turns} of another game")
        return super().turn(dice, stage)


class Spoiling(FirstFree):
    """Changes everything that it is given."""

    def turn(self, dice: list[int], stage: int) -> Any:
        choice = super().turn(dice, stage)
        dice[:] = [6] * 5
        card = self.game.scorecard
        card.score, card.free_categories[:] = 1000, []
        self.game.scores.clear()
        return choice


class UsedCategory(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        return TurnChoice(Category.ACES)


class FourthThrow(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        return TurnChoice([0])


class BadIndex(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        return TurnChoice([0, 5])


class TwiceTheSame(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        return TurnChoice([1, 1])


class NoIndex(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        return TurnChoice(cast(Any, ["first"]))


class NotAChoice(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        return "aces"


class NoIndexes(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        return TurnChoice(cast(Any, 3))


class Raising(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        raise ZeroDivisionError("half of nothing")


class Leaving(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        sys.exit(3)


class GivingUp(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        raise Disqualified("has had enough")


class Printing(FirstFree):
    """Writes where answers go, and reads where questions come from."""

    def turn(self, dice: list[int], stage: int) -> Any:
        sys.stdout.write("thinking")
        assert sys.stdin.read() == ""
        os.write(1, b'{"answer": {"score": "ones"}}\n')
        return super().turn(dice, stage)


class Shouting(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        raise ValueError("\x1b[2J\n" + "\ud800" + 5000 * "\U0001f3b2")


class Scribbling(FirstFree):
    """Writes into every file that is open here, answers among them."""

    def turn(self, dice: list[int], stage: int) -> Any:
        for number in range(3, 20):
            with suppress(OSError):
                os.write(number, b"\xff\x1b[2J\n")


class Hanging(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        Event().wait()


class Hungry(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        return [bytearray(1 << 24) for _ in range(100_000)]


class Flooding(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        while True:
            os.write(1, b"x" * 10_000)


class Multiplying(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        while os.fork():
            pass
        Event().wait()


class Ending(FirstFree):
    def turn(self, dice: list[int], stage: int) -> Any:
        os._exit(4)


class Unmakeable:
    """Refuses every ruleset."""

    def __init__(self, rules: Any) -> None:
        raise ValueError("plays nothing")


class Playing:
    """A table of decisions, so that it is not asked."""

    def __new__(cls, rules: Ruleset) -> Any:
        sys.stdout.write("a table of mine")
        return find_player("optimal").tabular(rules)


class NotAnAction:
    """An agent, and no ``Player``."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Any:
        return self.answer(state)

    def answer(self, state: State) -> Any:
        return 7


class NoSuchBox(NotAnAction):
    def answer(self, state: State) -> Any:
        return Score("pair")


class WrongHold(NotAnAction):
    def answer(self, state: State) -> Any:
        return Hold(32)


class WrongType(NotAnAction):
    def answer(self, state: State) -> Any:
        return Score(cast(Any, ["ones"]))


class ScribblingEarly(NotAnAction):
    def __init__(self, rules: Ruleset) -> None:
        Scribbling.turn(cast(Any, self), [], 0)


class Late(NotAnAction):
    """Is honest until the third game."""

    games = 0

    def go_on(self, game: Any) -> None:
        self.games = game

    def answer(self, state: State) -> Any:
        if self.games == 2:
            raise RuntimeError("the third game is too much")
        return legal_actions(state)[-1]


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
        return legal_actions(state)[-1]

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
