"""Where the lessons of the playbook are, and what is said of one before it is given."""

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from game.core.words import phrases
from game.practice.lessons import RuleLesson
from solver.rules import Ruleset

DIGITS = 2


def lessons_url(rules: Ruleset, size: str) -> str:
    return f"{reverse('lessons')}?{urlencode({'rules': rules.id, 'size': size})}"


def lesson_name(rules: Ruleset, size: str, place: int) -> str:
    return f"lesson-{rules.id}-{size}-{place}"


def lesson_worth(lesson: RuleLesson) -> str:
    told = {name: phrases.points(getattr(lesson, name), DIGITS) for name in ("earns", "costs")}
    return _("This rule earns %(earns)s points a game; forgotten, it costs %(costs)s.") % told
