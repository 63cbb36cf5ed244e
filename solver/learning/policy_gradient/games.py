"""Batches of games by the current policy, played side by side. Every turn has three steps: two
holds and a box. Holding all dice means no roll. Arrays are ``[step, game]``.

Some games of the batch are not whole games but two endgames from random cards, to learn from
positions that are rare in play. The first endgame starts with N filled boxes, and the second with N
open boxes, so together they have as many turns as a whole game.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.learning.policy_gradient.config import Config
from solver.learning.vectorised import Games
from solver.players.features import cap_at_bonus, make_layout, mark_distinct_holds
from solver.players.features import number_holds as hold_kept
from solver.players.network import (
    BERNOULLI,
    BY_FACE,
    CUP,
    DICE,
    FORBIDDEN,
    SLOTS,
    Floats32,
    Network,
    Parameters,
    Passed,
    Shape,
    apply_head,
    calculate_choice_logits,
    forward,
    list_hold_faces,
)
from solver.rules import Box, Ruleset, State
from solver.rules.dice import FACES

Flags = npt.NDArray[np.bool_]
_BITS = np.arange(DICE)


class ChoiceStats(NamedTuple):
    """The log probability and the entropy of each decision, and their gradients with respect to the
    logits (the network's outputs): ``pull`` for the log probability, ``spread`` for the entropy."""

    log_chance: Floats32
    entropy: Floats32
    pull: Floats32
    spread: Floats32


def draw_one(logits: Floats32, allowed: Flags, rng: np.random.Generator) -> Any:
    """Return one option per row of logits, drawn at random with the softmax probabilities."""
    logits = np.where(allowed, logits, FORBIDDEN)
    chance = np.exp(logits - logits.max(axis=1, keepdims=True)).cumsum(axis=1, dtype=np.float64)
    return (chance <= rng.random((len(logits), 1)) * chance[:, -1:]).sum(axis=1)


def evaluate_choices(logits: Floats32, allowed: Flags, chosen: Any) -> ChoiceStats:
    """Return the statistics of decisions: chosen[n] is the option that was drawn from the allowed
    options in row n of the logits."""
    logits = np.where(allowed, logits, FORBIDDEN)
    logits -= logits.max(axis=1, keepdims=True)
    chance = np.exp(logits)
    total = chance.sum(axis=1, keepdims=True)
    chance /= total
    logits -= np.log(total)
    entropy = -np.einsum("ij,ij->i", chance, logits)
    number = np.arange(len(chosen))
    log_chance = logits[number, chosen]
    logits += entropy[:, None]
    spread = -chance * logits
    np.negative(chance, out=chance)
    chance[number, chosen] += 1
    return ChoiceStats(log_chance, entropy, chance, spread)


def sigmoid(x: Floats32) -> Floats32:
    chance: Floats32 = (1 + np.tanh(x * np.float32(0.5))) * np.float32(0.5)
    return chance


def evaluate_holds(shape: Shape, logits: Floats32, distinct: Flags, chosen: Any) -> ChoiceStats:
    """Return the statistics of decisions to hold the slots chosen[n] (bits). ``distinct`` marks the
    sets of slots that hold different dice."""
    if shape.rolling == BERNOULLI:
        keep = (chosen[:, None] >> _BITS & 1).astype(np.float32)
        chance = sigmoid(logits)
        sure = np.logaddexp(np.float32(0), logits)  # -log(1 - chance)
        entropy = (sure - chance * logits).sum(axis=1)
        log_chance = (keep * logits - sure).sum(axis=1)
        return ChoiceStats(log_chance, entropy, keep - chance, -logits * chance * (1 - chance))
    return evaluate_choices(logits, distinct, chosen)


# [roll, held slots as bits]: number of the hold. If several sets of slots hold the same dice, only
# the first has this number. All others have the number of an entry that is never read, which is one
# more than the last hold.
ALONE = np.where(mark_distinct_holds(DICE), hold_kept(DICE), len(CUP.holds)).astype(np.intp)


def backprop_head(
    parameters: Parameters, name: str, hidden: Floats32, d: Floats32, gradient: Parameters
) -> Floats32:
    """Pass ``d``, the gradient of a head's outputs, back through the head. Add the gradient of the
    head's parameters to ``gradient``, and return the gradient of the head's input ``hidden``."""
    gradient[f"{name}.weights"] += hidden.T @ d
    gradient[f"{name}.bias"] += d.sum(axis=0)
    back: Floats32 = d @ parameters[f"{name}.weights"].T
    return back


def backprop_choice(shape: Shape, name: str, rolls: Any, d: Floats32) -> Floats32:
    """Return the gradient of a head's outputs, given the gradient ``d`` of the options' logits."""
    if name != "holds" or shape.rolling != BY_FACE:
        return d
    every = np.zeros((len(d), len(CUP.holds) + 1), dtype=d.dtype)
    np.put_along_axis(every, ALONE[rolls], d, axis=1)
    gradient: Floats32 = every[:, :-1] @ list_hold_faces()
    return gradient


def backprop_trunk(
    shape: Shape, parameters: Parameters, passed: Passed, d: Floats32, gradient: Parameters
) -> None:
    """Pass ``d``, the gradient of the last layer's output, back through all layers and through the
    self-attention. Add the gradient of their parameters to ``gradient``."""
    looked = passed.looked
    for number in reversed(range(shape.depth)):
        name, layer = f"trunk{number}", passed.layers[number]
        if shape.activation == "relu":
            d = d * (layer.kept > 0)
        elif shape.activation == "tanh":
            d = d * (1 - layer.kept * layer.kept)
        else:
            slope = 1 - layer.kept
            slope *= layer.sum
            slope += 1
            slope *= layer.kept
            slope *= d
            d = slope
        gradient[f"{name}.bias"] += d.sum(axis=0)
        if layer.normed is not None:
            normal = layer.normed.normal
            gradient[f"{name}.gain"] += np.einsum("ij,ij->j", d, normal)
            d = d * parameters[f"{name}.gain"]
            along = np.einsum("ij,ij->i", d, normal)[:, None] / np.float32(d.shape[1])
            d -= d.mean(axis=1, keepdims=True)
            d -= normal * along
            d *= layer.normed.scale
        gradient[f"{name}.weights"] += layer.given.T @ d
        if number > 0 or looked is not None:
            d = d @ parameters[f"{name}.weights"].T
    if looked is None:
        return
    d = d[:, -DICE * shape.embedding :].reshape(looked.tokens.shape)
    gradient["out"] += np.einsum("nij,nik->jk", looked.mixed, d)
    d_mixed = d @ parameters["out"].T
    d_values = looked.weights.swapaxes(1, 2) @ d_mixed
    d_weights = d_mixed @ looked.values.swapaxes(1, 2)
    along = (d_weights * looked.weights).sum(axis=2, keepdims=True)
    d_scores = looked.weights * (d_weights - along) / np.float32(np.sqrt(shape.embedding))
    d_queries, d_keys = d_scores @ looked.keys, d_scores.swapaxes(1, 2) @ looked.queries
    d_tokens = d
    for name, back in (("queries", d_queries), ("keys", d_keys), ("values", d_values)):
        gradient[name] += np.einsum("nij,nik->jk", looked.tokens, back)
        d_tokens = d_tokens + back @ parameters[name].T
    gradient["faces"] += np.einsum("nif,nik->fk", looked.dice, d_tokens)


@dataclass
class BatchOfGames:
    """A batch of games: the decisions and their rewards, as arrays [step, game]."""

    # For a hold, ``allowed`` marks the distinct holds, and for a box the open boxes. ``ends`` marks
    # the last action of a game. ``scores`` has the final scores of whole games.
    features: Floats32
    dice: Floats32
    rolls: Any
    allowed: Any
    chosen: Any
    log_chance: Floats32
    values: Floats32
    rewards: Floats32
    ends: Any
    scores: Any

    @classmethod
    def create_empty(
        cls, steps: int, games: int, width: int, dice: int, choices: int
    ) -> "BatchOfGames":
        shape = (steps, games)
        return cls(
            np.empty((*shape, width), dtype=np.float32),
            np.empty((*shape, dice), dtype=np.float32),
            np.empty(shape, dtype=np.intp),
            np.zeros((*shape, choices), dtype=np.bool_),
            np.empty(shape, dtype=np.int64),
            np.empty(shape, dtype=np.float32),
            np.empty(shape, dtype=np.float32),
            np.empty(shape, dtype=np.float32),
            np.empty(shape, dtype=np.bool_),
            np.empty(games, dtype=np.int64),
        )


class GameTable:
    """A group of ``count`` games that are played side by side and start again for every batch."""

    def __init__(self, config: Config, network: Network, count: int) -> None:
        rules = network.rules
        self.network, self.count = network, count
        self.games = Games(rules, count, seed=0, threads=1)
        self.steps = rules.throws * len(rules.categories)
        self.dice = make_layout(rules).groups["dice"]
        width = len(config.shape.find_columns(rules))
        choices = max(SLOTS, len(rules.categories))
        dice = self.dice.stop - self.dice.start
        self.batch = BatchOfGames.create_empty(self.steps, count, width, dice, choices)

    def play(self, rng: np.random.Generator, elsewhere: float = 0.0) -> BatchOfGames:
        """Play and return a batch of games. Draw each decision with the policy's probabilities. The
        share ``elsewhere`` of the games, but never all, starts with random cards."""
        self.games.restart(int(rng.integers(2**63)))
        starts = RandomStarts(self.games, min(round(elsewhere * self.count), self.count - 1), rng)
        for step in range(self.steps):
            starts.put(step, rng)
            self._decide(step, rng)
        self.batch.scores = self.games.scores[starts.count :].copy()
        return self.batch

    def _decide(self, step: int, rng: np.random.Generator) -> None:
        rules, batch = self.network.rules, self.batch
        shape, parameters = self.network.shape, self.network.parameters
        features, rolls = self.games.features, self.games.rolls
        cap_at_bonus(rules, features)
        batch.features[step] = shape.select_inputs(rules, features)
        batch.dice[step], batch.rolls[step] = features[:, self.dice], rolls
        last = step % rules.throws == rules.throws - 1
        allowed = self.games.masks[:, SLOTS:] == 1 if last else mark_distinct_holds(DICE)[rolls]
        hidden = forward(shape, parameters, batch.features[step], batch.dice[step]).hidden
        name = "boxes" if last else "holds"
        logits = calculate_choice_logits(shape, parameters, name, hidden, batch.rolls[step])
        if last:
            chosen = draw_one(logits, allowed, rng)
            log_chances = evaluate_choices(logits, allowed, chosen)
        else:
            if shape.rolling == BERNOULLI:
                keep = rng.random(logits.shape) < sigmoid(logits)
                chosen = keep @ (1 << _BITS)
            else:
                chosen = draw_one(logits, allowed, rng)
            log_chances = evaluate_holds(shape, logits, allowed, chosen)
        batch.allowed[step, :, : allowed.shape[1]] = allowed
        batch.chosen[step], batch.log_chance[step] = chosen, log_chances.log_chance
        batch.values[step] = apply_head(parameters, "value", hidden)[:, 0]
        self.games.step(chosen + SLOTS if last else chosen)
        batch.rewards[step], batch.ends[step] = self.games.rewards, self.games.finished


class RandomStarts:
    """Random cards for the first ``count`` games; ``filled`` has their numbers of filled boxes."""

    def __init__(self, games: Games, count: int, rng: np.random.Generator) -> None:
        self.games, self.count = games, count
        self.boxes = len(games.rules.categories)
        self.filled = rng.integers(1, self.boxes, size=count)

    def put(self, step: int, rng: np.random.Generator) -> None:
        """Put a random card into each game in which an endgame begins at this step."""
        turn, within = divmod(step, self.games.rules.throws)
        if within:
            return
        begins = np.flatnonzero((turn == 0) | (self.filled + turn == self.boxes))
        for place in begins.tolist():
            filled = int(self.filled[place])
            card = make_random_card(self.games.rules, self.boxes - filled if turn else filled, rng)
            self.games.put(place, card)


def make_random_card(rules: Ruleset, filled: int, rng: np.random.Generator) -> State:
    """Return a state with random dice and ``filled`` random boxes filled: an upper box with 1 to 4
    dice of its face, a lower box with 0, the Yahtzee box of joker rules with 0 or its points."""
    boxes = rng.permutation(len(rules.categories))[:filled].tolist()
    card: list[Box | None] = [None] * len(rules.categories)
    for box in boxes:
        category = rules.categories[box]
        points = category.face * int(rng.integers(1, rules.dice))
        if rules.joker and category.id == rules.joker.box:
            points = (category.points or 0) * int(rng.integers(2))
        card[box] = Box(points, ())
    dice = tuple(sorted(rng.integers(1, FACES + 1, size=rules.dice).tolist()))
    return State(rules, tuple(card), rules.throws - 1, dice)
