"""Five a day: the same positions of the drill's pool for everybody, one answer each."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from game.core.fair import days
from game.core.refusals import NotUnderstood
from game.core.worth.drilled import DRILLED
from game.core.worth.tables import coach_of
from game.models import FIVE, FiveAnswer
from game.pages.board.choices import choices, daily_url, five_url
from game.pages.daily.daily_board import countdown
from game.pages.daily.daily_queries import player_days
from game.pages.daily.streak_board import daily_told, five_told
from game.pages.requests.forms import DrillForm, HeldForm, whole
from game.pages.requests.limits import check_visit
from game.pages.requests.visitors import PlayRequest
from game.pages.ruleset_asked import rules_named
from game.practice.answers import judged, position_board
from game.practice.asking import Following, Remembered
from game.practice.drilling import five_answer
from game.practice.five_board import result
from game.practice.five_queries import five_answers, five_of_day, five_of_everybody
from solver.advice import Advisor
from solver.rules import Action


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def five(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    return Five(request, coach_of(rules_named(ruleset, DRILLED))).respond()


class Five(Remembered):
    title = gettext_lazy("Five a day")
    about = gettext_lazy(
        "Five positions a day, from easy to hard, the same for everybody. The first answer counts."
    )

    def __init__(self, request: PlayRequest, coach: Advisor) -> None:
        super().__init__(request, five_url(coach.rules))
        self.coach, self.rules, self.day = coach, coach.rules, days.today()
        self.five = five_of_day(self.day, self.rules)
        self.links = choices(self.rules, five_url, DRILLED)

    def page(self, status: int = 200) -> HttpResponse:
        """What was just answered, else what comes next, else how the five went."""
        made = five_answers(self.player, self.day, self.rules)
        told = whole(self.request.GET.get("step"))
        place = told if told in made else min({*range(1, FIVE + 1)} - {*made}, default=None)
        if place is None:
            return self._result(made)
        facts, position = {"place": place, "places": FIVE}, self.five[place - 1].position
        around: dict[str, Any] = {
            "heading": {"player": _("Position %(place)s of %(places)s") % facts},
            "links": self.links,
            "status": status,
        }
        if place not in made:
            board = position_board(position, HeldForm(self.request.GET).slots)
            fields = {"of": self.day.isoformat(), "seq": place}
            return self.ask(
                board,
                fields=fields,
                notes=[self.about],
                ways=[(f"{reverse('drill')}?rules={self.rules.id}", _("Drill"))],
                **around,
            )
        answer = judged(self.coach, position, made[place].action)
        onward = _("How the five went") if len(made) == FIVE else _("Next position")
        following = Following(self.url, onward)
        return self.tell(answer.board, answer=answer, following=following, **around)

    def _result(self, made: Mapping[int, FiveAnswer]) -> HttpResponse:
        found = result(self.coach, self.day, self.five, made)
        address = self.request.build_absolute_uri(found.shared.address)
        mine = player_days(self.player, self.rules) if self.player else None
        context = {
            "day": self.day,
            "rules": self.rules,
            "links": self.links,
            "result": found,
            "shared": found.shared,
            "share_text": f"{found.shared.text}\n{address}",
            "everybody": five_of_everybody(self.day, self.rules),
            "streak": five_told(mine.five) if mine else None,
            "daily": daily_told(mine.daily, self.url) if mine else None,
            "daily_url": daily_url(self.rules),
            "countdown": countdown(),
        }
        return render(self.request, "practice/five_result.html", context)

    def switched(self, form: DrillForm) -> str:
        return f"{self.url}?{urlencode({'held': form.held_text})}"

    def stored(self, form: DrillForm, choice: Action) -> str:
        day = days.day_of(form.cleaned_data["of"])
        if day is None:
            raise NotUnderstood
        check_visit(self.request, self.player)
        place = form.cleaned_data["seq"]
        made = five_answer(
            player=self.player, rules=self.rules, day=day, place=place, action=choice
        )
        self.request.visitor.become(made.player)
        return f"{self.url}?step={made.place}"
