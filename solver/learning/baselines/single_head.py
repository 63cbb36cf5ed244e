"""A policy of one head over all actions of an environment, holds and boxes alike: the best allowed.

h = activation(h W + b)      a hidden layer, from the features of ``players.features``
worth of every action = h W + b      of which the mask leaves those that are allowed
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from solver.dp.arrays import Ints
from solver.learning.numbering import NUMBERINGS, Numbering
from solver.learning.vectorised import Floats32, Games
from solver.players.features import Mask, features_of, holds, layout, mask_of
from solver.players.files import BadLearned, opened, save
from solver.players.network import ACTIVATIONS, activate
from solver.players.observed import hold_of
from solver.rules import Action, Hold, Ruleset, Score, State, find_ruleset

KIND = "worth of every action"
Layers = Sequence[tuple[Floats32, Floats32]]  # weights and biases


class NoSingleHead(BadLearned):
    """A file that holds no such policy; the message says why."""

    wanted = "no policy of one head"


@dataclass(frozen=True)
class SingleHead:
    """An ``Agent`` and a ``Batch``; ``actions`` names the numbering."""

    rules: Ruleset
    actions: str
    activation: str
    layers: Layers

    def best(self, features: Floats32, masks: Mask) -> Ints:
        hidden = features
        for weights, bias in self.layers[:-1]:
            hidden = activate(self.activation, hidden @ weights + bias)[0]
        weights, bias = self.layers[-1]
        found: Ints = np.where(masks, hidden @ weights + bias, -np.inf).argmax(axis=1)
        return found

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        return self.choose_many([state], rng)[0]

    def choose_many(self, states: Sequence[State], rng: np.random.Generator) -> Sequence[Action]:
        rules, numbering = self.rules, Numbering(self.rules, self.actions)
        seen = [replace(one, dice=tuple(sorted(one.dice)), held=0) for one in states]
        rolls = np.array([rules.cup.roll_index[one.dice] for one in seen])
        masks = numbering.masks(np.array([mask_of(one) for one in seen]), rolls)
        chosen = self.best(np.array([features_of(one) for one in seen]), masks)
        plain, kept = numbering.plain(chosen, rolls), hold_of(rules.dice)
        return [
            Hold.of(rules.cup.holds[kept[roll, number]], state.dice, state.held)
            if number < holds(rules)
            else Score(rules.categories[number - holds(rules)].id)
            for state, roll, number in zip(states, rolls, plain.tolist(), strict=True)
        ]

    def greedy_mean(self, games: int, seed: int) -> float:
        """Of so many games, played side by side."""
        table, numbering = Games(self.rules, games, seed), Numbering(self.rules, self.actions)
        scores, going = np.zeros(games), np.ones(games, dtype=np.bool_)
        while going.any():
            chosen = self.best(table.features, numbering.masks(table.masks, table.rolls))
            table.step(numbering.plain(chosen, table.rolls))
            scores[going & table.finished] = table.scores[going & table.finished]
            going &= ~table.finished
        return float(scores.mean())

    def write(self, path: Path, **about: Any) -> None:
        facts = {"ruleset": self.rules.id, "actions": self.actions, "activation": self.activation}
        named = dict[str, Floats32]()
        for n, (weights, bias) in enumerate(self.layers):
            named |= {f"w{n}": weights, f"b{n}": bias}
        save(path, KIND, facts | about, **named)


def read_single_head(path: Path) -> SingleHead:
    with opened(path, KIND, NoSingleHead) as (facts, arrays):
        rules, actions = find_ruleset(facts["ruleset"]), facts["actions"]
        layers = [(arrays[f"w{n}"], arrays[f"b{n}"]) for n in range(len(arrays) // 2)]
        ends = [layers[0][0].shape[0], layers[-1][0].shape[1]]
        known = actions in NUMBERINGS and facts["activation"] in ACTIVATIONS
        if not known or ends != [layout(rules).width, Numbering(rules, actions).count]:
            raise NoSingleHead(f"{path} holds a policy for other features or actions than today's")
        return SingleHead(rules, actions, facts["activation"], layers)
