"""Dice one by one, where they can be told apart: what is said of them, and their table."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from game.lab.dice_words import HARDLY_EVER, HINT, PROOF, p_value
from game.lab.players import percent
from game.lab.study_words import whole
from game.words import phrases
from solver.statistics.fairness import DiceTest, OneDie


@dataclass(frozen=True, slots=True)
class ApartRow:
    name: str
    dice: str
    counts: list[str]
    chi_squared: str
    p: str
    p_of_several: str


def rows_apart(test: DiceTest) -> list[ApartRow]:
    return [
        ApartRow(
            _name(die),
            whole(die.test.dice),
            [whole(count) for count in die.test.counts],
            phrases.points(die.test.fit.statistic, 2),
            p_value(die.test.fit.p),
            p_value(die.p),
        )
        for die in test.apart
    ]


def told_apart(test: DiceTest) -> Iterator[str]:
    """Of all tests together, so that fair dice are seldom spoken against."""
    least = min((die.p for die in test.apart), default=None)
    if least is None:
        return
    if least >= HINT:
        yield _(
            "One by one, nothing speaks against any of them: with fair dice the most uneven one "
            "would be at least so uneven in up to %(chance)s of such tests."
        ) % {"chance": percent(least)}
        return
    text = _(
        "%(die)s: with fair dice, any of the %(tests)s that are tested would be so uneven in at "
        "most %(chance)s of such tests."
    )
    for die in test.apart:
        if die.p < HINT:
            chance = percent(max(die.p, HARDLY_EVER))
            yield text % {"die": _name(die), "tests": len(test.apart), "chance": chance}
    if least >= PROOF:
        yield _("That is a hint, no proof: throw again, and test the new throws alone.")


def _name(die: OneDie) -> str:
    return _("Die %(number)s") % {"number": die.number} if die.number else _("The others")
