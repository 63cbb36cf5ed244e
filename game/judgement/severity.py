"""How bad a mistake is, and how good a player: names for numbers, with their thresholds.

A decision is judged by the points that it costs on average. A player is rated by the points lost
per decision that was not forced; a game has 45 decisions, of which the last box is forced.
"""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from solver.dp.space import TIE


@dataclass(frozen=True, slots=True)
class Severity:
    id: str
    name: Promise
    at_least: float  # points


@dataclass(frozen=True, slots=True)
class Grade:
    id: str
    name: Promise
    below: float  # points lost per decision that was not forced


SEVERITIES = (
    Severity("blunder", _("Blunder"), 5.0),
    Severity("mistake", _("Mistake"), 2.0),
    Severity("inaccuracy", _("Inaccuracy"), 0.5),
    Severity("small", _("Small slip"), 0.05),
)
INACCURACY = next(one.at_least for one in SEVERITIES if one.id == "inaccuracy")
GOOD = Severity("good", _("Good"), 0.0)
BEST = Severity("best", _("Best"), 0.0)

GRADES = (
    Grade("flawless", _("Flawless"), 0.02),
    Grade("master", _("Master"), 0.1),
    Grade("expert", _("Expert"), 0.25),
    Grade("strong", _("Strong"), 0.5),
    Grade("steady", _("Steady"), 1.0),
    Grade("casual", _("Casual"), 2.0),
    Grade("beginner", _("Beginner"), float("inf")),
)


def severity(regret: float) -> Severity:
    if regret < TIE:
        return BEST
    return next((one for one in SEVERITIES if regret >= one.at_least), GOOD)


def grade(lost_per_decision: float) -> Grade:
    return next(one for one in GRADES if lost_per_decision < one.below)
