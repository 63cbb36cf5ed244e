"""Players who err as others do, and have one bad habit besides."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from solver.advice import Advice, Advisor, Option, position_of
from solver.players.erring import Erring
from solver.players.plain import action_of
from solver.rules import Action, State

Habit = Callable[[Advisor, State, Advice], Option | None]  # what it does there, if anything


def never_full_house(advisor: Advisor, state: State, advice: Advice) -> Option | None:
    """The best of what is not for Full house, wherever the best is for it."""
    position = position_of(state)
    if not state.throws_left or advisor.aim(position, advice.best.dice) != "full_house":
        return None
    holds = (one for one in advice.options if one.action == "hold")
    return next((one for one in holds if advisor.aim(position, one.dice) != "full_house"), None)


def chance_early(advisor: Advisor, state: State, advice: Advice) -> Option | None:
    """Chance is filled by the first turn that ends in no box at once."""
    chance = [one for one in advice.options if one.category == "chance"]
    return chance[0] if chance and not state.throws_left and advice.best.points < 15 else None


def pairs_for_yatzy(advisor: Advisor, state: State, advice: Advice) -> Option | None:
    """Of a roll without a set the highest pair is kept, and nothing else, while Yatzy is open."""
    open_boxes = {one.category for one in advice.options}
    pairs = [face for face in set(state.dice) if state.dice.count(face) == 2]
    if not state.throws_left or "yatzy" not in open_boxes or not pairs:
        return None
    kept = (max(pairs),) * 2
    return next((one for one in advice.options if one.action == "hold" and one.dice == kept), None)


def stops_early(advisor: Advisor, state: State, advice: Advice) -> Option | None:
    """Takes the best box after the second roll."""
    if state.throws_left != 1:
        return None
    return next(one for one in advice.options if one.action == "score")


def holds_carelessly(advisor: Advisor, state: State, advice: Advice) -> Option | None:
    """The second best of all that can be held."""
    holds = [one for one in advice.options if one.action == "hold"]
    return holds[1] if len(holds) > 1 else None


HABITS: Mapping[str, Habit] = {
    "never aims at Full house": never_full_house,
    "fills Chance early": chance_early,
    "keeps a pair and nothing else": pairs_for_yatzy,
    "takes a box after the second roll": stops_early,
    "holds the second best": holds_carelessly,
}


@dataclass(frozen=True)
class Habitual:
    """An agent: ``often`` is how often it gives way to its habit."""

    usual: Erring
    habit: Habit
    often: float

    def choose(self, state: State, rng: np.random.Generator, others: object = ()) -> Action:
        if rng.random() < self.often:
            advisor = self.usual.advisor
            found = self.habit(advisor, state, advisor.advise(position_of(state)))
            if found is not None:
                return action_of(state, found)
        return self.usual.choose(state, rng)
