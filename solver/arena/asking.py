"""Turns of tournament players without a decision table: the arena asks them and checks each answer.

An illegal answer or an exception disqualifies the player that gave it, with the reason and the
position; the other players continue.
"""

from collections.abc import Sequence

import numpy as np

from solver.arena.contestants import Contestant
from solver.arena.illegal import Disqualified, Where
from solver.arena.turns import Faces, Turns
from solver.dp.space import Space
from solver.players.agent import Batch, Seated
from solver.rules import Action, Hold, IllegalAction, Score, State, apply_action, apply_roll


class Seat:
    def __init__(self, contestant: Contestant, rng: np.random.Generator) -> None:
        self.contestant, self.rng = contestant, rng
        self.at_once = isinstance(contestant.agent, Batch)

    def play_turn(
        self, first: int, states: list[State], faces: Faces, others: Sequence[Sequence[int]]
    ) -> Turns:
        """Play one turn of each game in ``states``, numbered from ``first``; update ``states``."""
        rules, space = states[0].rules, Space(states[0].rules)
        turns = Turns.create_empty(len(states), rules.throws)
        turns.rows[:] = [space.find_row(s.filled, chips_won=s.chips_won) for s in states]
        turns.columns[:] = [space.find_column(s.upper) for s in states]
        for game, state in enumerate(states):
            states[game] = apply_roll(apply_action(state, Hold(0)), faces[game, 0].tolist())
        playing = list(range(len(states)))
        for number in range(rules.throws):
            for game in playing:
                turns.rolls[game, number] = rules.cup.roll_index[tuple(sorted(states[game].dice))]
            actions = self._request_actions(
                first, [(game, states[game], others[game]) for game in playing]
            )
            for game, action in zip(playing, actions, strict=True):
                before = states[game]
                after = apply_answer(before, action, Where.of(first + game, before))
                if isinstance(action, Hold):
                    turns.kept[game, number] = rules.cup.hold_index[action.kept(before.dice)]
                    after = apply_roll(after, faces[game, number + 1].tolist())
                else:
                    turns.boxes[game] = rules.index[action.category]
                states[game] = after
            playing = [game for game in playing if states[game].dice]
            if not playing:
                break
        return turns

    def _request_actions(
        self, first: int, questions: list[tuple[int, State, Sequence[int]]]
    ) -> Sequence[Action]:
        if self.at_once:
            with _Watched(Where.of(first + questions[0][0], questions[0][1])):
                answers = list(
                    self._ask_all_at_once([q[1] for q in questions], [q[2] for q in questions])
                )
                if len(answers) != len(questions):
                    raise Disqualified(f"{len(answers)} answers to {len(questions)} questions")
                return answers
        answers = []
        for game, state, seen in questions:
            with _Watched(Where.of(first + game, state)):
                answers.append(self.contestant.agent.choose(state, self.rng, seen))
        return answers

    def _ask_all_at_once(
        self, states: Sequence[State], others: Sequence[Sequence[int]]
    ) -> Sequence[Action]:
        agent = self.contestant.agent
        if isinstance(agent, Seated):
            return agent.choose_among(states, self.rng, others)
        if len(states) > 1 and isinstance(agent, Batch):
            return agent.choose_many(states, self.rng)
        return [agent.choose(states[0], self.rng, others[0])]


class _Watched:
    """A context manager that turns any exception of a player into ``Disqualified``."""

    def __init__(self, where: Where) -> None:
        self._where = where

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        if isinstance(error, Disqualified):
            raise Disqualified(error.reason, error.where or self._where) from error
        if isinstance(error, Exception | SystemExit):
            reason = f"raised {type(error).__name__}: {error}"
            raise Disqualified(reason, self._where) from error


def apply_answer(state: State, action: object, where: Where) -> State:
    """Return the state after the player's action; raise ``Disqualified`` for an illegal one."""
    if not isinstance(action, Hold | Score):
        reason = f"answered with {type(action).__name__}, which is neither a hold nor a box"
        raise Disqualified(reason, where)
    part = action.slots if isinstance(action, Hold) else action.category
    if isinstance(part, bool) or not isinstance(part, int if isinstance(action, Hold) else str):
        raise Disqualified(f"answered with {action!r}, which is of the wrong type", where)
    try:
        return apply_action(state, action)
    except IllegalAction as error:
        raise Disqualified(_explain_refusal(state, action, error), where) from error


def _explain_refusal(state: State, action: Action, error: IllegalAction) -> str:
    """Return why the action is illegal. If the dice are a joker, add the boxes that are allowed."""
    joker = state.joker
    number = state.rules.index.get(action.category) if isinstance(action, Score) else None
    if joker is None or number is None or state.boxes[number] is not None:
        return str(error)
    allowed = ", ".join(state.rules.categories[box].id for box in joker.boxes)
    return f"{error}: a joker goes into {allowed}"
