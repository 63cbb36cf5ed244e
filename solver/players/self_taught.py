"""A policy network that taught itself by playing, without given chances or values.

It saw cards and dice, tried holds and boxes, and got their points as its reward (a policy gradient;
docs/learning.md has its command and its figures). It always chooses the action that it considers
most likely to be best, and never chooses at random.

People designed some parts of it. They chose its inputs: besides the dice and the card, the distance
of the upper boxes from three of each face, and the points of each box now. They made it rate holds
face by face, after a comparison of earlier policies with perfect play had shown their weaknesses.
Without these parts, the bare learner of docs/learning.md scored much less at Yahtzee.
"""

from solver.players.base import gettext_noop, make_trained_entry
from solver.players.files import TRAINED
from solver.players.learned import NetworkPlay
from solver.players.network import NoPolicy, read
from solver.rules import Ruleset

SUMMARY = gettext_noop(
    "This network taught itself by playing. It does not know the chances of the dice; people "
    "chose its inputs."
)


def make(rules: Ruleset, reading: str) -> NetworkPlay:
    player = NetworkPlay(read(TRAINED / f"learned-{rules.id}.npz"))
    if player.rules != rules:
        raise NoPolicy(f"learned-{rules.id} was learned for {player.rules.id}")
    return player


PLAYER = (
    make_trained_entry("learned-yahtzee", gettext_noop("Self-taught at Yahtzee"), SUMMARY, make),
    make_trained_entry("learned-yatzy", gettext_noop("Self-taught at Yatzy"), SUMMARY, make),
)
