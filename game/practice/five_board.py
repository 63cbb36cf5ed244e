"""What the pages of five a day show: a position to answer, what an answer was worth, the result."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from game.core.words import labels, phrases
from game.core.worth.repetition import credit
from game.models import FiveAnswer
from game.pages.board.choices import five_url
from game.pages.board.sharing import Shared
from game.pages.board.squares import squares
from game.practice.answers import JudgedAnswer, judged
from game.practice.drill_pool import Exercise
from solver.advice import Advisor
from solver.rules import Ruleset


@dataclass(frozen=True, slots=True)
class FiveTold:
    """One of the five, answered."""

    place: int
    square: str
    answer: JudgedAnswer


@dataclass(frozen=True, slots=True)
class FiveResult:
    credit: float
    squares: str
    told: tuple[FiveTold, ...]
    shared: Shared

    @property
    def grade(self) -> str:
        return phrases.percent(self.credit)


def result(
    coach: Advisor, day: date, asked: tuple[Exercise, ...], made: Mapping[int, FiveAnswer]
) -> FiveResult:
    answers = [made[place] for place in sorted(made)]
    earned = sum(credit(one.regret) for one in answers) / len(answers)
    row = squares(one.regret for one in answers)
    return FiveResult(
        credit=earned,
        squares=row,
        told=tuple(
            FiveTold(one.place, row[at], judged(coach, asked[one.place - 1].position, one.action))
            for at, one in enumerate(answers)
        ),
        shared=Shared(_share_text(coach.rules, day, row, earned), five_url(coach.rules)),
    )


def _share_text(rules: Ruleset, day: date, row: str, earned: float) -> str:
    facts = {
        "game": labels.ruleset_name(rules),
        "day": date_format(day),
        "credit": phrases.percent(earned),
    }
    return _("Five a day, %(game)s %(day)s: %(credit)s") % facts + f"\n{row}"
