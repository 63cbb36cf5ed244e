"""Keeps each die by the toss of a coin, and scores in any open box.

What it scores is what the rules give away; whoever decides anything should do better.
"""

from functools import lru_cache

import numpy as np

from solver.dp.arrays import Ints
from solver.players.base import PlayerEntry, gettext_noop
from solver.players.cards import CardPlay, Numbers
from solver.rules import Ruleset
from solver.rules.dice import DICE, FACES, HOLD_INDEX, ROLL_INDEX, ROLLS


class RandomPlay(CardPlay):
    looks_at_upper = False
    uses_luck = True

    def cards(self, rows: Ints, columns: Ints) -> tuple[Numbers, Numbers]:
        """The holds have nothing to do with the card."""
        filled = [(row & self.rules.full, bool(row >> self.space.boxes)) for row in rows.tolist()]
        most = max(len(self.rules.open(card)) for card, _ in filled)
        boxes = np.full((len(rows), most, len(ROLLS)), -1, dtype=np.int16)
        for number, (card, chips_won) in enumerate(filled):
            allowed = self.rules.open(card)
            boxes[number, : len(allowed)] = np.array(allowed)[:, None]
            self._jokers(boxes[number], card, chips_won)
        return every_hold(self.rules.throws - 1), boxes

    def _jokers(self, boxes: Numbers, filled: int, chips_won: bool) -> None:
        for face in range(1, FACES + 1):
            dice = (face,) * DICE
            if self.rules.is_joker(filled, dice):
                options = self.rules.score_options(filled, chips_won, dice)
                boxes[:, ROLL_INDEX[dice]] = -1
                boxes[: len(options), ROLL_INDEX[dice]] = [option.category for option in options]


@lru_cache(maxsize=4)
def every_hold(throws: int) -> Numbers:
    """[0, way, throws left - 1, roll]: every set of the dice, from low to high, by its bits."""
    sets = [
        [HOLD_INDEX[tuple(die for n, die in enumerate(roll) if way >> n & 1)] for roll in ROLLS]
        for way in range(1 << DICE)
    ]
    return np.array(sets, dtype=np.int16)[None, :, None].repeat(throws, axis=2)


def make(rules: Ruleset, reading: str) -> RandomPlay:
    return RandomPlay(rules)


PLAYER = PlayerEntry(
    "random",
    gettext_noop("Random"),
    gettext_noop("Keeps each die by the toss of a coin, and scores in any open box."),
    make,
)
