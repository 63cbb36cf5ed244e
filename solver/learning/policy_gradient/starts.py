"""Ends of games from random cards, for what play meets seldom.

A place plays two: one begins with so many boxes filled, the other, when that has ended, with as
many filled as were open. Together they have the turns of one game, so that a batch stays in step.
"""

import numpy as np

from solver.learning.vectorised import Games
from solver.rules import Box, Ruleset, State
from solver.rules.dice import FACES


class RandomStarts:
    """In the first ``count`` places; ``filled`` is where the first of the two begins."""

    def __init__(self, games: Games, count: int, rng: np.random.Generator) -> None:
        self.games, self.count = games, count
        self.boxes = len(games.rules.categories)
        self.filled = rng.integers(1, self.boxes, size=count)

    def put(self, step: int, rng: np.random.Generator) -> None:
        """Where an end begins with this step."""
        turn, within = divmod(step, self.games.rules.throws)
        if within:
            return
        begins = np.flatnonzero((turn == 0) | (self.filled + turn == self.boxes))
        for place in begins.tolist():
            filled = int(self.filled[place])
            card = random_card(self.games.rules, self.boxes - filled if turn else filled, rng)
            self.games.put(place, card)


def random_card(rules: Ruleset, filled: int, rng: np.random.Generator) -> State:
    """Any boxes, one to four dice of an upper face, five of a kind as often as not; new dice."""
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
