"""Plays to end above whoever it plays against, not for the most points.

It looks at the others' cards. Where only totals are shown it takes theirs to be like its own. A
turn is worked out exactly towards the chance to be ahead in the end; what both add after it is
taken by its mean, its variance and the chance of the bonus, all exact, and otherwise to be normal.
In the last three rounds against one other nothing is taken: there the game is solved for both
playing to win, turn by turn (``advice.winning.both``). Alone it is perfect play.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np

from solver.advice import Advisor
from solver.advice.winning import Both, CardOf
from solver.dp.turn import Turn
from solver.players.base import PlayerEntry, gettext_noop
from solver.players.plain import PlainValues, best_in
from solver.players.race import POINT, points_of, race_turn, rest_of_row
from solver.players.values import ValuePlay
from solver.rules import Action, Ruleset, State
from solver.tables import open_table

EXACT_FROM = 3  # open boxes: without the compiler 50 ms at most, a second with one more


class WinningPlay(ValuePlay):
    def __init__(self, rules: Ruleset) -> None:
        super().__init__(open_table(rules).all(), rules)
        self._last_rounds = lru_cache(maxsize=64)(self._solved)

    @cached_property
    def _coach(self) -> Advisor:
        return Advisor.open(self.rules)

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        if not others:
            return PlainValues(self).choose(state, rng)
        rest = rest_of_row(self._coach, *self._place(state))
        like_mine = [(total - state.bonus, rest) for total in others]
        return best_in(race_turn(self._coach, state, like_mine), state)

    def choose_facing(
        self, state: State, rng: np.random.Generator, others: Sequence[State]
    ) -> Action:
        if not others:
            return PlainValues(self).choose(state, rng)
        return best_in(self.turn_facing(state, others), state)

    def turn_facing(self, state: State, others: Sequence[State]) -> Turn:
        """What everything is worth in this turn, in chances."""
        still = [len(self.rules.open(one.filled)) for one in (state, *others)]
        if len(others) == 1 and still[0] <= EXACT_FROM and still[0] - still[1] in (0, 1):
            return self._last_rounds(_card(state), _card(others[0]))
        seen = [(one.points, rest_of_row(self._coach, *self._place(one))) for one in others]
        return race_turn(self._coach, state, seen)

    def _place(self, state: State) -> tuple[int, int]:
        row = self.space.row(state.filled, chips_won=state.chips_won)
        return row, self.space.column(state.upper)

    def _solved(self, mine: CardOf, theirs: CardOf) -> Turn:
        turn = Both(self.rules, mine, theirs, compiled=False).turn
        turn.scores = turn.scores + POINT * np.maximum(points_of(self._coach, turn), 0.0)
        return turn


def _card(state: State) -> CardOf:
    return CardOf(state.filled, state.upper, state.total, state.chips_won)


def make(rules: Ruleset, reading: str) -> WinningPlay:
    return WinningPlay(rules)


PLAYER = PlayerEntry(
    "to-win",
    gettext_noop("Plays to win"),
    gettext_noop("Looks at the others' cards and does what most often ends above them."),
    make,
    alone="optimal",
)
