"""Five a Day: the same five positions for all players of a day, their answers, and their pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Avg, Count, F, Value
from django.db.models.functions import Greatest
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from game.core.accounts import create_player
from game.core.fair import days
from game.core.fair.blocks import derive_five_seed
from game.core.refusals import NotUnderstood, Refused
from game.core.words import labels, phrases
from game.core.worth.drilled import DRILLED
from game.core.worth.repetition import NO_CREDIT, calculate_credit
from game.core.worth.tables import require_advisor
from game.models import FIVE, FiveAnswer, Player
from game.pages.board.sharing import Shared, format_squares
from game.pages.daily.daily_board import make_countdown
from game.pages.daily.daily_queries import read_player_days
from game.pages.daily.streaks import StreakText, describe_daily_streak
from game.pages.requests.forms import DrillForm, HeldForm, parse_number
from game.pages.requests.limits import check_room, check_visit
from game.pages.requests.visitors import PlayRequest
from game.pages.rulesets import find_named_rules, list_rules_choices, make_daily_url, make_five_url
from game.practice.asking import (
    Following,
    JudgedAnswer,
    Remembered,
    judge_answer,
    make_position_board,
)
from game.practice.drill_pool import Exercise, load_exercises
from game.practice.drill_queries import Question
from game.practice.drilling import calculate_regret
from solver.advice import Advisor
from solver.rules import Action, Hold, Ruleset, Score

LEVELS = (1, 2, 3, 3, 4)


def choose_daily_five(day: date, rules: Ruleset) -> tuple[Exercise, ...]:
    """Return the five positions of a day, from easy to hard. A level's positions come in a shuffled
    order; when all of them have come, they are shuffled anew."""
    exercises = []
    for place, level in enumerate(LEVELS):
        pool = [exercise for exercise in load_exercises(rules).values() if exercise.level == level]
        number = day.toordinal() * LEVELS.count(level) + LEVELS[:place].count(level)
        lap, at = divmod(number, len(pool))
        seed = int(derive_five_seed(rules.id, level, lap), 16)
        exercises.append(pool[int(np.random.default_rng(seed).permutation(len(pool))[at])])
    return tuple(exercises)


@dataclass(frozen=True, slots=True)
class Everybody:
    """The number of players who gave all five answers of a day, and their mean credit (0 to 1)."""

    players: int
    credit: float | None


def store_five_answer(
    *, player: Player | None, rules: Ruleset, day: date, place: int, action: Action
) -> FiveAnswer:
    """Store the first answer to one of today's five questions. A visitor becomes a player."""
    if day != days.today():
        raise Refused(_("A new day began while this page was open. Here are today's positions."))
    if not 1 <= place <= FIVE:
        raise NotUnderstood
    exercise = choose_daily_five(day, rules)[place - 1]
    regret = calculate_regret(Question(exercise.position, exercise=exercise), action)
    fields = {"ruleset": rules.id, "day": day, "place": place}
    made = {
        "key": exercise.key,
        "hold": action.slots if isinstance(action, Hold) else None,
        "category": action.category if isinstance(action, Score) else "",
        "regret": regret,
        "created_at": timezone.now(),
    }
    with transaction.atomic():
        owner = player or create_player()
        return FiveAnswer.objects.get_or_create(player=owner, **fields, defaults=made)[0]


@dataclass(frozen=True, slots=True)
class FiveLine:
    place: int
    square: str
    answer: JudgedAnswer


@dataclass(frozen=True, slots=True)
class FiveResult:
    credit: float
    squares: str
    lines: tuple[FiveLine, ...]
    shared: Shared

    @property
    def grade(self) -> str:
        return phrases.format_percent(self.credit)


def build_result(
    coach: Advisor, day: date, exercises: tuple[Exercise, ...], made: Mapping[int, FiveAnswer]
) -> FiveResult:
    answers = [made[place] for place in sorted(made)]
    earned = sum(calculate_credit(answer.regret) for answer in answers) / len(answers)
    row = format_squares(answer.regret for answer in answers)
    facts = {
        "game": labels.find_ruleset_name(coach.rules),
        "day": date_format(day),
        "credit": phrases.format_percent(earned),
    }
    return FiveResult(
        credit=earned,
        squares=row,
        lines=tuple(
            FiveLine(
                answer.place,
                row[at],
                judge_answer(coach, exercises[answer.place - 1].position, answer.action),
            )
            for at, answer in enumerate(answers)
        ),
        shared=Shared(
            _("Five a day, %(game)s %(day)s: %(credit)s") % facts + f"\n{row}",
            make_five_url(coach.rules),
        ),
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def five(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    return Five(request, require_advisor(find_named_rules(ruleset, DRILLED))).respond()


class Five(Remembered):
    title = gettext_lazy("Five a day")
    about = gettext_lazy(
        "Everyone gets the same five positions each day, from easy to hard. Your first answer "
        "to each position counts."
    )

    def __init__(self, request: PlayRequest, coach: Advisor) -> None:
        super().__init__(request, make_five_url(coach.rules))
        self.coach, self.rules, self.day = coach, coach.rules, days.today()
        self.five = choose_daily_five(self.day, self.rules)
        self.choices = list_rules_choices(self.rules, make_five_url, DRILLED)

    def page(self, status: int = 200) -> HttpResponse:
        """Show the answer that the address names, else the next question, else the result."""
        if self.player is None:
            made = {}
        else:
            answers = FiveAnswer.objects.filter(
                player=self.player, day=self.day, ruleset=self.rules.id
            )
            made = {answer.place: answer for answer in answers.order_by("place")}
        step = parse_number(self.request.GET.get("step"))
        place = step if step in made else min({*range(1, FIVE + 1)} - {*made}, default=None)
        if place is None:
            return self._show_result(made)
        facts, position = {"place": place, "places": FIVE}, self.five[place - 1].position
        around: dict[str, Any] = {
            "heading": {"player": _("Position %(place)s of %(places)s") % facts},
            "choices": self.choices,
            "status": status,
        }
        if place not in made:
            board = make_position_board(position, HeldForm(self.request.GET).slots)
            fields = {"of": self.day.isoformat(), "seq": place}
            return self.render_question(
                board,
                fields=fields,
                notes=[self.about],
                ways=[(f"{reverse('drill')}?rules={self.rules.id}", _("Drill"))],
                **around,
            )
        answer = judge_answer(self.coach, position, made[place].action)
        onward = _("Five a day results") if len(made) == FIVE else _("Next position")
        following = Following(self.url, onward)
        return self.render_answer(answer.board, answer=answer, following=following, **around)

    def _show_result(self, made: Mapping[int, FiveAnswer]) -> HttpResponse:
        outcome = build_result(self.coach, self.day, self.five, made)
        address = self.request.build_absolute_uri(outcome.shared.address)
        mine = read_player_days(self.player, self.rules) if self.player else None
        credit = Greatest(Value(0.0), Value(1.0) - F("regret") / Value(NO_CREDIT))
        answers = (
            FiveAnswer.objects.filter(day=self.day, ruleset=self.rules.id)
            .order_by()
            .values("player")
        )
        whole = answers.annotate(answers=Count("pk"), mean=Avg(credit)).filter(answers=FIVE)
        means = [row["mean"] for row in whole]
        context = {
            "day": self.day,
            "rules": self.rules,
            "choices": self.choices,
            "result": outcome,
            "shared": outcome.shared,
            "share_text": f"{outcome.shared.text}\n{address}",
            "everybody": Everybody(len(means), sum(means) / len(means) if means else None),
            "streak": StreakText(
                mine.five,
                _("A streak is a run of days (in UTC) on which you answered all five positions."),
            )
            if mine
            else None,
            "daily": describe_daily_streak(mine.daily, self.url) if mine else None,
            "daily_url": make_daily_url(self.rules),
            "countdown": make_countdown(),
        }
        return render(self.request, "practice/five_result.html", context)

    def make_held_url(self, form: DrillForm) -> str:
        return f"{self.url}?{urlencode({'held': form.held_text})}"

    def store_answer(self, form: DrillForm, choice: Action) -> str:
        day = days.parse_day(form.cleaned_data["of"])
        if day is None:
            raise NotUnderstood
        check_room()
        check_visit(self.request, self.player)
        place = form.cleaned_data["seq"]
        made = store_five_answer(
            player=self.player, rules=self.rules, day=day, place=place, action=choice
        )
        self.request.visitor.become(made.player)
        return f"{self.url}?step={made.place}"
