"""Batches of games by the current policy, played side by side. Every turn takes three steps: two
holds and a box; holding all dice replaces a roll. Arrays are ``[step, game]``.

A share of the batch does not play whole games, but ends of games from random cards, to learn from
positions that are rare in play. Two such ends follow each other: the first starts with N filled
boxes, the second with N open boxes. Together they have as many turns as a whole game.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from solver.learning.policy_gradient.config import Config
from solver.learning.policy_gradient.heads import (
    draw_hold,
    draw_one,
    evaluate_choices,
    evaluate_holds,
)
from solver.learning.vectorised import Games
from solver.players.features import make_layout
from solver.players.network import (
    DICE,
    SLOTS,
    Floats32,
    Network,
    apply_head,
    calculate_choice_logits,
    forward,
)
from solver.players.observed import cap_at_bonus, mark_distinct_holds
from solver.rules import Box, Ruleset, State
from solver.rules.dice import FACES


@dataclass
class BatchOfGames:
    """A batch of games: the decisions and their rewards, as arrays [step, game]."""

    # ``allowed`` marks the distinct holds for a hold, the open boxes for a box. ``ends`` marks the
    # last action of a game. ``scores`` has the final scores of whole games.
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
    """``count`` games that are played side by side and start again for every batch."""

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
        """Play and return a batch of games; draw each decision with the policy's probabilities. The
        share ``elsewhere`` of the games starts with random cards, but at least one game is
        whole."""
        self.games.restart(int(rng.integers(2**63)))
        starts = RandomStarts(self.games, min(round(elsewhere * self.count), self.count - 1), rng)
        for step in range(self.steps):
            starts.put(step, rng)
            self._decide(step, rng)
        self.batch.scores = self.games.scores[starts.count :].copy()
        return self.batch

    def _observe(self, step: int) -> tuple[Floats32, Any, bool]:
        rules, batch = self.network.rules, self.batch
        features = self.games.features
        cap_at_bonus(rules, features)
        batch.features[step] = self.network.shape.select_inputs(rules, features)
        batch.dice[step], batch.rolls[step] = features[:, self.dice], self.games.rolls
        last = step % rules.throws == rules.throws - 1
        masks, rolls = self.games.masks, self.games.rolls
        allowed = masks[:, SLOTS:] == 1 if last else mark_distinct_holds(DICE)[rolls]
        inputs, dice = batch.features[step], batch.dice[step]
        hidden = forward(self.network.shape, self.network.parameters, inputs, dice).hidden
        return hidden, allowed, last

    def _decide(self, step: int, rng: np.random.Generator) -> None:
        hidden, allowed, last = self._observe(step)
        shape, parameters, batch = self.network.shape, self.network.parameters, self.batch
        name = "boxes" if last else "holds"
        logits = calculate_choice_logits(shape, parameters, name, hidden, batch.rolls[step])
        if last:
            chosen = draw_one(logits, allowed, rng)
            log_chances = evaluate_choices(logits, allowed, chosen)
        else:
            chosen = draw_hold(shape, logits, allowed, rng)
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
        """Put a random card into each game whose end begins at this step."""
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
