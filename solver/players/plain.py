"""The built-in players without the compiler, for the web process, one position at a time.

Each player makes the same decisions as its compiled form, from the same rules or values. Rules are
plain functions; numpy compares values. Processes that play many games use the compiled form.

``Advised`` makes the decisions that the coach calls best: perfect play without the compiler.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from solver.advice import Advisor, Option, find_position
from solver.dp.space import PREFER_LOWER_BOX, ROUNDING
from solver.dp.turn import Turn, find_first_best, list_roll_holds, make_tie_breaks
from solver.players.agent import Agent, Facing
from solver.players.rules import RulePlay
from solver.players.values import ValuePlay
from solver.rules import Action, Hold, Score, State


@dataclass(frozen=True)
class PlainRules:
    player: RulePlay

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        player = self.player
        row = player.space.find_row(state.filled, chips_won=state.chips_won)
        card = (player.reading, row, player.space.find_column(state.upper))
        roll = player.cup.roll_index[tuple(sorted(state.dice))]
        if state.throws_left:
            hold = int(player.decide(*card, state.throws_left, roll))
            if hold < player.cup.first_roll:
                return Hold.from_faces(player.cup.holds[hold], state.dice, state.held)
        return Score(player.rules.categories[int(player.decide(*card, 0, roll))].id)


@dataclass(frozen=True)
class PlainValues:
    player: ValuePlay

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        return find_best_action(self.turn(state), state)

    def turn(self, state: State) -> Turn:
        """Return the turn with the player's values, slightly more for the first of equal boxes."""
        player = self.player
        column = player.space.find_column(state.upper)
        turn = Turn(player.space, state.filled, column, state.chips_won, player.rows)
        turn.saves = False
        liked = turn.after(player.rows) + turn.gains - PREFER_LOWER_BOX * turn.boxes[:, None]
        if player.credit is not None:
            liked = liked + player.credit[turn.boxes] * (turn.gains > 0)
        turn.scores = liked
        return turn


def find_best_action(turn: Turn, state: State) -> Action:
    cup = state.rules.cup
    roll = cup.roll_index[tuple(sorted(state.dice))]
    if state.throws_left:
        holds = list_roll_holds(turn.dice)[roll]
        worth = turn.holds(state.throws_left)[holds] + make_tie_breaks(turn.dice)[holds]
        hold = int(holds[find_first_best(worth, ROUNDING)])
        if hold < cup.first_roll:
            return Hold.from_faces(cup.holds[hold], state.dice, state.held)
    liked = turn.scores[:, roll] - PREFER_LOWER_BOX * turn.boxes
    return Score(state.rules.categories[turn.boxes[find_first_best(liked, ROUNDING)]].id)


def make_plain(agent: Agent) -> Agent:
    """Return a form of the player that needs no compiler; the player itself if it needs none."""
    match agent:
        case Facing():
            return agent
        case ValuePlay():
            return PlainValues(agent)
        case RulePlay():
            return PlainRules(agent)
    return agent


@dataclass(frozen=True)
class Advised:
    advisor: Advisor

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        return make_action(state, self.advisor.advise(find_position(state)).best)


def make_action(state: State, option: Option) -> Action:
    """Convert an option to an action. Among equal dice, prefer dice that are already held."""
    if option.action == "score":
        return Score(option.category)
    return Hold.from_faces(option.dice, state.dice, state.held)
