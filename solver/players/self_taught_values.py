"""Learned from its own games what a card is worth before a turn; knows the chances of the dice.

Within a turn it calculates every hold exactly, as perfect play does. It learned the value of the
rest of the game from its own games, not from the solver. It stores this value as sums of three
table entries (``players.estimates``). These commands trained it:

    ./yatzy solver learn td --ruleset yatzy --out run
    ./yatzy solver learn td --ruleset yahtzee --games 500000 --out run
"""

from solver.players.base import gettext_noop, make_trained_entry
from solver.players.estimates import BadEstimate, read
from solver.players.files import TRAINED
from solver.players.values import ValuePlay
from solver.rules import Ruleset

SUMMARY = gettext_noop("Calculates every turn exactly. It learned the values of cards by playing.")


def make(rules: Ruleset, reading: str) -> ValuePlay:
    path = TRAINED / f"td-{rules.id}.npz"
    estimate = read(path)
    if estimate.rules != rules:
        raise BadEstimate(f"{path} was learned for {estimate.rules.id}")
    return ValuePlay(estimate.make_table(), rules)


YATZY, YAHTZEE = (
    gettext_noop("Self-taught, knows the dice (Yatzy)"),
    gettext_noop("Self-taught, knows the dice (Yahtzee)"),
)
PLAYER = (
    make_trained_entry("td-yatzy", YATZY, SUMMARY, make),
    make_trained_entry("td-yahtzee", YAHTZEE, SUMMARY, make),
)
