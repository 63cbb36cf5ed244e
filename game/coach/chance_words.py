"""Chances of winning as a person reads them, and what to do for them instead of for points."""

from django.utils.translation import gettext as _

from game.core.words import phrases
from solver.advice.winning import Chances
from solver.dp.space import TIE
from solver.rules import Ruleset

LEAST = 0.0005  # the smallest share that one decimal of a per cent shows


def chance(share: float) -> str:
    """7.4 %; what is neither never nor always is not rounded to it."""
    if TIE < share < LEAST:
        return phrases.unbroken(_("under %(percent)s %%") % {"percent": phrases.points(0.1)})
    if 1 - LEAST < share < 1 - TIE:
        return phrases.unbroken(_("over %(percent)s %%") % {"percent": phrases.points(99.9)})
    return phrases.share(phrases.points(100 * share))


def given_away(regret: float) -> str:
    """What a choice costs, in chances."""
    if regret < TIE:
        return _("best")
    return _("costs %(chance)s of all games") % {"chance": chance(regret)}


def instead(rules: Ruleset, found: Chances) -> str:
    """What to do differently from playing for points, and what that is worth."""
    facts = {
        "best": phrases.option(rules, found.best.option),
        "chance": chance(found.chance),
        "points": phrases.option(rules, found.by_points.option),
        "less": chance(found.by_points.chance),
    }
    if found.chance < TIE:
        return _("It cannot be reached any more: play for points.")
    if found.differs:
        return _("For points it would be “%(points)s”, which gets there in %(less)s.") % facts
    if found.for_points < found.chance - TIE:
        return _("For points it is the same now; only later is there something else to do.")
    return _("For points it is the same.")


def for_points(found: Chances) -> str:
    return _("Whoever plays for points to the end gets there in %(chance)s.") % {
        "chance": chance(found.for_points)
    }


def too_early(open_boxes: int, most: int) -> str:
    return _("The chance is worked out from %(most)s open boxes on; here %(open)s are open.") % {
        "most": most,
        "open": open_boxes,
    }
