"""A Gymnasium environment of any ruleset: ``Yatzy-v0``, ``Yahtzee-v0`` and their relatives.

    observation   float32, the features of ``players.features``; the dice lie in order
    action        0 to 31: throw again but keep these slots (bit 0 is the lowest die); from 32: the
                  boxes. The first throw of a turn is made for the player
    reward        what the action added to the score: points, chips, the bonus once it is secured.
                  All rewards of a game are its final score
    info          "action_mask", 1 for every action that is allowed, and "score"

An action that the rules forbid is an error and changes nothing. ``action_masks()`` is the mask as
booleans, as sb3-contrib asks for it: ``env.get_wrapper_attr("action_masks")()``.
"""

from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from solver.players.features import (
    Features,
    action_of,
    actions,
    features_of,
    highest,
    lowest,
    mask_of,
)
from solver.rules import RULESETS, Hold, State, find_ruleset, start, step, throw
from solver.rules.dice import FACES


def register_all() -> None:
    for ruleset in RULESETS:
        name = "".join(word.capitalize() for word in ruleset.split("-"))
        gymnasium.register(
            id=f"{name}-v0",
            entry_point="solver.learning.environments:Solitaire",
            kwargs={"ruleset": ruleset},
        )


def thrown(state: State, random: np.random.Generator) -> State:
    """The state after the throw that it waits for, the dice in order."""
    state = throw(state, random.integers(1, FACES + 1, size=state.rules.dice).tolist())
    return replace(state, dice=tuple(sorted(state.dice)), held=0)


def dealt(state: State, random: np.random.Generator) -> State:
    """With the first throw of its turn, if that has not been made."""
    if state.dice or state.finished:
        return state
    return thrown(step(state, Hold(0)), random)


def played(state: State, number: int, random: np.random.Generator) -> State:
    """The state after an action and the throw that follows a hold; a box ends the turn."""
    state = step(state, action_of(state.rules, number))
    return thrown(state, random) if state.waiting else state


def ansi(state: State) -> str:
    """A game as text: the card, the dice, the throws that are left."""
    width = max(len(category.id) for category in state.rules.categories)
    lines = [_row(state, number, width) for number in range(len(state.boxes))]
    lines += [f"{'bonus':{width}} {state.bonus:4}", f"{'total':{width}} {state.total:4}"]
    if state.dice:
        shown = " ".join(map(str, state.dice))
        lines += ["", f"dice {shown}   throws left {state.throws_left}"]
    return "\n".join(lines)


def _row(state: State, number: int, width: int) -> str:
    """A box and its points; of an open one, in brackets, what the dice would score."""
    box, name = state.boxes[number], state.rules.categories[number].id
    if box is not None:
        return f"{name:{width}} {box.points:4}"
    offer = state.offers.get(number)
    return f"{name:{width}}" + ("" if offer is None else f" {f'({offer})':>5}")


class Solitaire(gymnasium.Env[Features, np.int64]):
    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(self, ruleset: str = "yatzy", render_mode: str | None = None) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode is ansi or None, not {render_mode!r}")
        self.rules = find_ruleset(ruleset)
        self.render_mode = render_mode
        self.action_space = gymnasium.spaces.Discrete(actions(self.rules))
        self.observation_space = gymnasium.spaces.Box(lowest(self.rules), highest(self.rules))
        self.state = start(self.rules)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Features, dict[str, Any]]:
        super().reset(seed=seed)
        self.state = dealt(start(self.rules), self.np_random)
        return features_of(self.state), self._info()

    def step(self, action: np.int64) -> tuple[Features, float, bool, bool, dict[str, Any]]:
        before = self.state.total
        self.state = dealt(played(self.state, int(action), self.np_random), self.np_random)
        reward = float(self.state.total - before)
        return features_of(self.state), reward, self.state.finished, False, self._info()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        return mask_of(self.state).astype(np.bool_)

    def render(self) -> str | None:
        return ansi(self.state) if self.render_mode == "ansi" else None

    def _info(self) -> dict[str, Any]:
        return {"action_mask": mask_of(self.state), "score": self.state.total}
