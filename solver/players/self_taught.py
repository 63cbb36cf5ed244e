"""A policy network that taught itself by play alone: nobody told it a chance or a value.

It saw cards and dice, tried holds and boxes, and was rewarded with the points that they brought (a
policy gradient; docs/learning.md has its command and its figures). It takes what it finds likeliest
to be best, never by chance.

Not everything is its own. People chose what it sees: besides dice and card how far the upper boxes
are from three of each face, and what each box would bring now. That it thinks of holds face by face
was chosen by looking at what perfect play says that policies before it did badly. The same learner
without any of this, the bare one of docs/learning.md, came much less far at Yahtzee.
"""

from solver.players.base import PlayerEntry, gettext_noop
from solver.players.files import TRAINED
from solver.players.learned import NetworkPlay, trained
from solver.rules import Ruleset

SUMMARY = gettext_noop(
    "A network that taught itself by playing. It does not know the chances; people "
    "chose its inputs."
)


def make(rules: Ruleset, reading: str) -> NetworkPlay:
    return trained(rules, f"learned-{rules.id}")


def entry(ruleset: str, title: str) -> PlayerEntry:
    name = f"learned-{ruleset}"
    stored = TRAINED / f"{name}.json"
    return PlayerEntry(name, title, SUMMARY, make, rulesets=(ruleset,), worked_out=stored)


PLAYER = (
    entry("yahtzee", gettext_noop("Self-taught at Yahtzee")),
    entry("yatzy", gettext_noop("Self-taught at Yatzy")),
)
