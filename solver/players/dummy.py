"""Scores every first roll in a random box, and five of a kind where the joker rules require it.

This is the sample player of a published tournament of Yahtzee programs. It shows how to write a
player. It never rerolls: in each turn it chooses one of the open boxes, all equally likely. Five of
a kind go into the Yahtzee box. If this box is filled, they go into the upper box of their face,
then into a random lower box, then into any open box, as the forced joker requires.
"""

import numpy as np

from solver.dp.arrays import Ints
from solver.players.base import PlayerEntry, gettext_noop
from solver.players.cards import CardPlay, Numbers
from solver.rules import Ruleset
from solver.rules.rulesets import YAHTZEE, YAHTZEE_FREE_JOKER, YAHTZEE_PLAIN

YAHTZEE_BOX = YAHTZEE.index["yahtzee"]  # the three Yahtzee rulesets have the same boxes


class DummyPlay(CardPlay):
    looks_at_upper = False
    uses_luck = True

    def cards(self, rows: Ints, columns: Ints) -> tuple[Numbers, Numbers]:
        every_box = np.arange(self.space.boxes)
        is_open = (rows[:, None] >> every_box & 1) == 0
        most = int(is_open.sum(axis=1).max())
        ways = np.where(is_open, every_box, self.space.boxes)
        ways.sort(axis=1)
        ways = np.where(ways < self.space.boxes, ways, -1)[:, :most].astype(np.int16)
        boxes = np.repeat(ways[:, :, None], len(self.cup.rolls), axis=2)
        for number, row in enumerate(rows.tolist()):
            for dice in self.cup.alike:
                roll = self.cup.roll_index[dice]
                wanted = list_boxes_for_five_alike(self.rules, row & self.rules.full, dice[0])
                boxes[number, :, roll] = -1
                boxes[number, : len(wanted), roll] = wanted
        every_die = np.arange(self.cup.first_roll, len(self.cup.holds), dtype=np.int16)
        return np.tile(every_die, (1, 1, self.rules.throws - 1, 1)), boxes


def list_boxes_for_five_alike(rules: Ruleset, filled: int, face: int) -> list[int]:
    """Return the boxes for five dice of this face. The player fills a random one of them."""
    boxes = rules.open(filled)
    if YAHTZEE_BOX in boxes:
        return [YAHTZEE_BOX]
    upper_box = rules.find_upper_box(face)
    if upper_box in boxes:
        return [upper_box]
    return [box for box in boxes if not rules.categories[box].face] or list(boxes)


def make(rules: Ruleset, reading: str) -> DummyPlay:
    return DummyPlay(rules)


PLAYER = PlayerEntry(
    "DummyPlayer",
    gettext_noop("DummyPlayer"),
    gettext_noop(
        "Scores the first roll in a random box, but scores five of a kind where it earns points."
    ),
    make,
    rulesets=(YAHTZEE.id, YAHTZEE_FREE_JOKER.id, YAHTZEE_PLAIN.id),
)
