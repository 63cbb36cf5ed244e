"""The way back, written by hand, beside what finite differences of the loss say.

All in double precision: what is float32 in training is ``Any`` here.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from solver.learning.policy_gradient.config import Config, make_config
from solver.learning.policy_gradient.update import (
    Decisions,
    PolicySlope,
    make_initial_parameters,
    make_views,
)
from solver.players.features import make_layout, mark_distinct_holds
from solver.players.network import SLOTS, Network, apply_head, forward
from solver.rules import find_ruleset
from solver.rules.dice import make_cup

FIVE = make_cup(5)

Floats = npt.NDArray[np.float64]

VARIANTS: dict[str, dict[str, Any]] = {
    "usual": {},
    "no layer norm": {"layer_norm": False},
    "relu": {"activation": "relu"},
    "tanh": {"activation": "tanh", "depth": 3},
    "every die alone": {"rolling": "bernoulli"},
    "one of 32": {"rolling": "categorical"},
    "attention": {"dice": "attention", "embedding": 4},
    "attention with places": {"dice": "attention-places", "embedding": 6, "rolling": "bernoulli"},
    "a2c": {"algorithm": "a2c"},
    "one-hot": {"dice": "one-hot", "card": ("raw", "distance"), "features": ()},
}
BETA = 0.05


def small(variant: str) -> Config:
    return make_config(width=8, **{"depth": 2, **VARIANTS[variant]})


def learning_of(config: Config) -> tuple[PolicySlope, Any, Any]:
    """In double precision, and with heads large enough to matter."""
    rules, shape = find_ruleset(config.ruleset), config.shape
    sizes = shape.list_parameters(rules)
    rng = np.random.default_rng(5)
    flat: Any = make_initial_parameters(shape, rules, rng).astype(np.float64)
    flat += rng.normal(0, 0.2, len(flat))
    gradient: Any = np.zeros_like(flat)
    network = Network(rules, shape, make_views(flat, sizes))
    return PolicySlope(config, network, make_views(gradient, sizes)), flat, gradient


def some_decisions(learning: PolicySlope, choices: int, count: int, seed: int) -> Decisions:
    rng, rules = np.random.default_rng(seed), learning.network.rules
    width = len(learning.config.shape.find_columns(rules))
    dice = make_layout(rules).groups["dice"]
    faces: Any = np.eye(6)[rng.integers(6, size=(count, 5))].reshape(count, dice.stop - dice.start)
    rolls: Any = rng.integers(len(FIVE.rolls), size=count)
    allowed = rng.random((count, choices)) < 0.6
    if choices == SLOTS:
        allowed &= mark_distinct_holds(5)[rolls]
    allowed[:, 0] = True
    chosen = np.array([rng.choice(np.flatnonzero(row)) for row in allowed])
    normal: Any = rng.normal
    return Decisions(
        features=normal(size=(count, width)),
        dice=faces,
        rolls=rolls,
        allowed=allowed,
        chosen=chosen,
        log_chance=normal(-1.5, 0.5, size=count),
        advantages=normal(size=count),
        targets=normal(size=count),
    )


def logits_of(config: Config, said: Any, part: Decisions) -> Any:
    """Sum up the head's output by face: a hold has the sum, die by die and slot by slot."""
    if config.rolling != "faces" or said.shape[1] != 36:
        return said
    logits = np.zeros((len(said), SLOTS))
    for n, slots in np.ndindex(logits.shape):
        held = [die for slot, die in enumerate(FIVE.rolls[part.rolls[n]]) if slots >> slot & 1]
        for face in range(1, 7):
            logits[n, slots] += said[n, 6 * (face - 1) + held.count(face)]
    return logits


def log_chances(config: Config, logits: Any, part: Decisions, number: int) -> tuple[float, float]:
    if config.rolling == "bernoulli" and logits.shape[1] == 5:
        keep = 1 / (1 + np.exp(-logits[number]))
        chosen = np.array([part.chosen[number] >> die & 1 for die in range(5)])
        chance = np.where(chosen == 1, keep, 1 - keep)
        entropy = -(keep * np.log(keep) + (1 - keep) * np.log(1 - keep)).sum()
        return float(np.log(chance).sum()), float(entropy)
    open_ones = np.flatnonzero(part.allowed[number])
    chance = np.exp(logits[number, open_ones])
    chance /= chance.sum()
    at = open_ones.tolist().index(part.chosen[number])
    return float(np.log(chance[at])), float(-(chance * np.log(chance)).sum())


def loss(learning: PolicySlope, holds: Decisions, boxes: Decisions) -> float:
    """Return the loss that the docstring of ``update`` states, decision by decision."""
    config, network, total = learning.config, learning.network, 0.0
    for name, part in (("holds", holds), ("boxes", boxes)):
        passed = forward(network.shape, network.parameters, part.features, part.dice)
        logits = logits_of(config, apply_head(network.parameters, name, passed.hidden), part)
        values = apply_head(network.parameters, "value", passed.hidden)[:, 0]
        for n, advantage in enumerate(part.advantages.tolist()):
            log_chance, entropy = log_chances(config, logits, part, n)
            ratio = np.exp(log_chance - part.log_chance[n])
            gain = ratio * advantage
            if config.algorithm == "ppo":
                gain = min(gain, np.clip(ratio, 1 - config.clip, 1 + config.clip) * advantage)
            wrong = values[n] - part.targets[n]
            total += -gain - BETA * entropy + config.value_weight * wrong**2 / 2
    return total / (len(holds.chosen) + len(boxes.chosen))


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_gradient_is_that_of_the_loss(variant: str) -> None:
    config = small(variant)
    learning, flat, gradient = learning_of(config)
    holds = some_decisions(learning, SLOTS, 14, 1)
    boxes = some_decisions(learning, len(learning.network.rules.categories), 9, 2)
    learning.add_gradient(holds, boxes, BETA)
    rng, step = np.random.default_rng(3), 1e-6
    for at in (*rng.integers(len(flat), size=60).tolist(), *range(len(flat) - 40, len(flat))):
        before = flat[at]
        flat[at] = before + step
        above = loss(learning, holds, boxes)
        flat[at] = before - step
        below = loss(learning, holds, boxes)
        flat[at] = before
        assert gradient[at] == pytest.approx((above - below) / (2 * step), abs=2e-7, rel=1e-4)


@pytest.mark.parametrize("name", ["faces", "queries", "keys", "values", "out"])
def test_so_is_every_part_of_attention(name: str) -> None:
    config = small("attention with places")
    learning, *_ = learning_of(config)
    holds = some_decisions(learning, SLOTS, 6, 1)
    boxes = some_decisions(learning, len(learning.network.rules.categories), 4, 2)
    learning.add_gradient(holds, boxes, BETA)
    array, found = learning.network.parameters[name], learning.gradient[name]
    for at in np.ndindex(array.shape):
        before, step = float(array[at]), 1e-6
        array[at] = before + step
        above = loss(learning, holds, boxes)
        array[at] = before - step
        below = loss(learning, holds, boxes)
        array[at] = before
        assert found[at] == pytest.approx((above - below) / (2 * step), abs=2e-7, rel=1e-4)
