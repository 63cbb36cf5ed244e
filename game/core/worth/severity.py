"""Grades of mistakes and of players: their names and thresholds.

A decision is graded by the points that it costs on average. A game is graded by its rating: the
points that its mistakes cost, divided by the most decisions that the rules allow. With the actual
number of decisions, a game that lost more points could get a better rating. A player's rating is
the average over games. Only a game or player without any mistake is "Flawless".
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from solver.advice import is_mistake
from solver.rules import Ruleset


@dataclass(frozen=True, slots=True)
class Severity:
    id: str
    name: Promise
    at_least: float  # the lowest cost of this severity, in points

    def __str__(self) -> str:
        return str(self.name)


@dataclass(frozen=True, slots=True)
class Grade:
    id: str
    name: Promise
    below: float  # points lost per decision; the grade's upper limit


SEVERITIES = (
    Severity("blunder", _("Blunder"), 5.0),
    Severity("mistake", _("Mistake"), 2.0),
    Severity("inaccuracy", _("Inaccuracy"), 0.5),
    Severity("small", _("Small slip"), 0.05),
)
INACCURACY = next(severity.at_least for severity in SEVERITIES if severity.id == "inaccuracy")
GOOD = Severity("good", _("Good"), 0.0)
BEST = Severity("best", _("Best"), 0.0)

FLAWLESS = Grade("flawless", _("Flawless"), 0.0)  # only for players without any mistake
GRADES = (
    FLAWLESS,
    Grade("grandmaster", _("Grandmaster"), 0.02),
    Grade("master", _("Master"), 0.1),
    Grade("expert", _("Expert"), 0.25),
    Grade("strong", _("Strong"), 0.5),
    Grade("steady", _("Steady"), 1.0),
    Grade("casual", _("Casual"), 2.0),
    Grade("beginner", _("Beginner"), float("inf")),
)


def sum_mistakes(regrets: Iterable[float]) -> float:
    """Return the total cost of all mistakes; exactly 0 without a mistake."""
    return sum(regret for regret in regrets if is_mistake(regret))


def find_severity(regret: float) -> Severity:
    if not is_mistake(regret):
        return BEST
    return next((severity for severity in SEVERITIES if regret >= severity.at_least), GOOD)


def count_decisions(rules: Ruleset) -> int:
    """Return the number of decisions in a game that uses every roll, without the last box."""
    return rules.throws * len(rules.categories) - 1


def find_grade(loss: float, rules: Ruleset) -> Grade:
    return find_erring_grade(loss / count_decisions(rules)) if is_mistake(loss) else FLAWLESS


def find_erring_grade(lost_a_decision: float) -> Grade:
    return next(grade for grade in GRADES[1:] if lost_a_decision < grade.below)
