"""Tosses a coin for each die to decide whether to hold it, and scores in a random open box.

Its mean score is the score without any skill. Every other player should score more.
"""

import numpy as np

from solver.dp.arrays import Ints
from solver.players.base import EVENLY, PlayerEntry, gettext_noop
from solver.players.cards import CardPlay, Numbers
from solver.players.features import number_holds
from solver.rules import Ruleset


class RandomPlay(CardPlay):
    looks_at_upper = False
    uses_luck = True

    def cards(self, rows: Ints, columns: Ints) -> tuple[Numbers, Numbers]:
        """Return all holds and allowed boxes as equally likely. The cards share their holds."""
        filled = [(row & self.rules.full, bool(row >> self.space.boxes)) for row in rows.tolist()]
        most = max(len(self.rules.open(card)) for card, _ in filled)
        boxes = np.full((len(rows), most, len(self.cup.rolls)), -1, dtype=np.int16)
        for number, (card, chips_won) in enumerate(filled):
            allowed = self.rules.open(card)
            boxes[number, : len(allowed)] = np.array(allowed)[:, None]
            for dice in self.cup.alike:
                if self.rules.is_joker(card, dice):
                    options = self.rules.score_options(card, chips_won, dice)
                    roll = self.cup.roll_index[dice]
                    boxes[number, :, roll] = -1
                    boxes[number, : len(options), roll] = [o.category for o in options]
        ways = number_holds(self.rules.dice).T  # every set of slots, in ascending order
        return ways[None, :, None].repeat(self.rules.throws - 1, axis=2), boxes


def make(rules: Ruleset, reading: str) -> RandomPlay:
    return RandomPlay(rules)


PLAYER = PlayerEntry(
    "random",
    gettext_noop("Random"),
    gettext_noop("Holds each die by a coin toss, and scores in any open box."),
    make,
    rulesets=EVENLY,
)
