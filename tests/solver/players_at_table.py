"""Players for the arena's tests: honest ones that are asked, and one for every kind of foul."""

import sys

import numpy as np

from solver.arena.controller import Category, Player, TurnChoice
from solver.arena.illegal import Disqualified
from solver.rules import Hold, Score, legal_actions


class FirstFree(Player):
    """Throws everything again, then takes the first category that it may."""

    def turn(self, dice, stage):
        free = self.game.scorecard.free_categories
        joker = len(set(dice)) == 1 and Category.YAHTZEE not in free
        if joker:
            own = [c for c in free if c.is_upper and c.rule.face == dice[0]]
            free = own or [c for c in free if c.is_lower] or free
        return TurnChoice(free[0] if stage == 2 else [])


class Watching(FirstFree):
    """Writes down the scores that it was shown."""

    seen: list = []

    def turn(self, dice, stage):
        Watching.seen.append((self.game.scorecard.score, self.game.scores))
        return super().turn(dice, stage)


class Spoiling(FirstFree):
    """Changes everything that it is given."""

    def turn(self, dice, stage):
        choice = super().turn(dice, stage)
        dice[:] = [6] * 5
        card = self.game.scorecard
        card.score, card.free_categories[:] = 1000, []
        self.game.scores.clear()
        return choice


class UsedCategory(FirstFree):
    def turn(self, dice, stage):
        return TurnChoice(Category.ACES)


class FourthThrow(FirstFree):
    def turn(self, dice, stage):
        return TurnChoice([0])


class BadIndex(FirstFree):
    def turn(self, dice, stage):
        return TurnChoice([0, 5])


class TwiceTheSame(FirstFree):
    def turn(self, dice, stage):
        return TurnChoice([1, 1])


class NoIndex(FirstFree):
    def turn(self, dice, stage):
        return TurnChoice(["first"])


class NotAChoice(FirstFree):
    def turn(self, dice, stage):
        return "aces"


class NoIndexes(FirstFree):
    def turn(self, dice, stage):
        return TurnChoice(3)


class Raising(FirstFree):
    def turn(self, dice, stage):
        raise ZeroDivisionError("half of nothing")


class Leaving(FirstFree):
    def turn(self, dice, stage):
        sys.exit(3)


class GivingUp(FirstFree):
    def turn(self, dice, stage):
        raise Disqualified("has had enough")


class NotAnAction:
    """An agent, and no ``Player``."""

    def __init__(self, rules):
        self.rules = rules

    def choose(self, state, rng, others=()):
        return self.answer(state)

    def answer(self, state):
        return 7


class NoSuchBox(NotAnAction):
    def answer(self, state):
        return Score("pair")


class WrongHold(NotAnAction):
    def answer(self, state):
        return Hold(32)


class WrongType(NotAnAction):
    def answer(self, state):
        return Score(["ones"])


class Late(NotAnAction):
    """Is honest until the third game."""

    games = 0

    def new_game(self, game):
        self.games = game

    def answer(self, state):
        if self.games == 2:
            raise RuntimeError("the third game is too much")
        return legal_actions(state)[-1]


class Batched:
    """Asked about many games at once; remembers how many, and what it was told."""

    def __init__(self, rules):
        self.asked, self.told = 0, []

    def sit_down(self, rules, players):
        self.told.append((rules.id, players))

    def close(self):
        self.told.append("closed")

    def choose(self, state, rng, others=()):
        return legal_actions(state)[-1]

    def choose_many(self, states, rng):
        self.asked = max(self.asked, len(states))
        return [self.choose(state, rng) for state in states]


class TooFewAnswers(Batched):
    def choose_many(self, states, rng):
        return super().choose_many(states, rng)[1:]


class AsTable:
    """A player of the registry that can only be asked, so that nothing is played from its table."""

    def __init__(self, agent):
        self._agent = agent

    def choose(self, state, rng, others=()):
        return self._agent.choose(state, np.random.default_rng(0), others)
