"""Positions to practise, one's own mistakes first, or the last rounds, to win."""

from collections.abc import Collection, Sequence
from typing import ClassVar

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from game import services
from game.board.answers import Judged, judged, position_board
from game.board.drill import comes_again, in_the_game, progress_chart
from game.coach.blinding import check_drill
from game.coach.leaks import path_name
from game.coach.waiting import waiting
from game.judgement.leaks import Path, path_of
from game.judgement.pool import LEVELS
from game.judgement.tables import advisor
from game.models import DrillAttempt, DrillCard
from game.selectors.drill import (
    Question,
    decision_state,
    drill_attempt,
    drill_mistakes,
    drill_next,
    drill_next_among,
    drill_progress,
    drill_question,
)
from game.selectors.leaks import leak_mistakes
from game.services import IllegalMove
from game.services.drilling import check_allowed
from game.views.asking import Fields, Following, Source
from game.views.waiting import silent
from game.web.forms import DrillForm, HeldForm, TryForm
from game.web.limits import check_visit
from game.web.rulesets import rules_asked, rules_played
from game.web.visitors import PlayRequest
from solver.advice import Advisor, state_of
from solver.making import EXPLAIN
from solver.rules import Action, Ruleset

LEAK = "leak"  # the field of an address


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def drill(request: PlayRequest) -> HttpResponse:
    return Drill(request).respond()


@never_cache
@require_safe
def drill_answer(request: PlayRequest, attempt_id: int) -> HttpResponse:
    attempt = drill_attempt(request.visitor.player, attempt_id)
    if attempt is None:
        raise Http404(_("There is no such attempt."))
    coach = advisor(attempt.card.rules)
    if coach is None:
        return silent(request, attempt.card.rules)
    return _theme(request, attempt.card.needed).told(coach, attempt)


class Drill(Source):
    title = gettext_lazy("Drill")
    beside = "coach/_drill.html"
    to_win: ClassVar[bool] = False

    def __init__(self, request: PlayRequest) -> None:
        super().__init__(request, reverse("drill"))

    def page(self, status: int = 200) -> HttpResponse:
        sent = self.request.POST if self.request.method == "POST" else self.request.GET
        question = drill_question(self.player, sent.get("of", ""))
        rules = question.rules if question else rules_asked(self.request)
        coach = advisor(rules)
        if coach is None:
            return silent(self.request, rules)
        mistakes = drill_mistakes(self.player, rules)
        asked = question or self._of_leak(coach, rules, mistakes)
        to_win = self.request.GET.get("theme") == "win"
        question = asked or drill_next(self.player, rules, mistakes, to_win=to_win)
        theme = _theme(self.request, question.needed)
        leak = theme.leak(rules) if asked else {}
        more = {**leak, **theme.around(rules, mistakes)}
        held = HeldForm(self.request.GET).slots
        fields = {"of": question.key, "seq": question.number, **_field(leak)}
        return theme.asked(question, held, fields, more, status)

    def asked(
        self,
        question: Question,
        held: Collection[int] | None,
        fields: Fields,
        more: dict[str, object],
        status: int = 200,
    ) -> HttpResponse:
        board = position_board(question.position, held)
        heading = {"player": self.origin(question, board.turn)}
        return self.ask(board, heading, fields, more | {"question": question}, status)

    def origin(self, question: Question, turn: int) -> str:
        if question.decision and question.decision.game.finished_at:
            day = localtime(question.decision.game.finished_at)
            facts = {"day": date_format(day, "SHORT_DATE_FORMAT"), "turn": turn}
            return _("From your game of %(day)s, turn %(turn)s") % facts
        if question.exercise is None:
            return ""
        level = {"level": question.exercise.level, "levels": len(LEVELS)}
        return _("Level %(level)s of %(levels)s") % level

    def around(self, rules: Ruleset, mistakes: Sequence[int]) -> dict[str, object]:
        progress = drill_progress(self.player, rules, mistakes, to_win=self.to_win)
        return {
            "progress": progress,
            "chart": progress_chart(progress.regrets),
            "links": rules_played(self.player, rules),
        }

    def switched(self, form: DrillForm | TryForm) -> str:
        query = {"of": form.cleaned_data["of"], "held": form.held_text}
        return f"{self.url}?{urlencode(query | self._carried)}"

    def stored(self, form: DrillForm | TryForm, choice: Action) -> str:
        check_visit(self.request, self.player)
        attempt = services.drill_attempt(
            player=self.player,
            key=form.cleaned_data["of"],
            number=form.cleaned_data["seq"],
            action=choice,
        )
        self.request.visitor.become(attempt.card.player)
        answered = reverse("drill_answer", args=[attempt.pk])
        return f"{answered}?{urlencode(self._carried)}" if self._carried else answered

    def told(self, coach: Advisor, attempt: DrillAttempt) -> HttpResponse:
        """As it was made, or as if something else had been tried, which is stored nowhere."""
        card, here = attempt.card, reverse("drill_answer", args=[attempt.pk])
        leak = self.leak(card.rules)
        mistakes = drill_mistakes(self.player, card.rules)
        more = {**leak, **self.around(card.rules, mistakes)}
        form = TryForm(self.request.GET)
        if form.is_valid() and form.asks:
            question = drill_question(self.player, f"card-{card.pk}") or Question(card.position)
            more |= {"again": True, "method": "get", "action": here}
            return self.asked(question, form.held, _field(leak), more)
        action = form.choice if form.is_valid() else None
        if action is not None:
            _check_possible(card, action)
        answer = judged(coach, card.position, action or attempt.action)
        again = f"{here}?{urlencode({'again': '1'} | _field(leak))}"
        following = Following(
            self.url,
            _("Next position"),
            {"rules": card.ruleset} | _field(leak),
            again="" if answer.right else again,
        )
        more |= {
            "parts": answer.step.why if answer.step else (),
            "notes": [*_in_the_game(coach, card), comes_again(card)],
            "ways": [] if check_drill(self.player) else _ways(answer, card),
            "waiting": None if coach.explain else waiting(coach.rules, EXPLAIN),
        }
        question = Question(card.position, decision=card.decision)
        return self._judged(answer, question, following, more)

    def _judged(
        self, answer: Judged, question: Question, following: Following, more: dict[str, object]
    ) -> HttpResponse:
        heading = {"player": self.origin(question, answer.board.turn)}
        return self.tell(answer, answer.board, heading, following, more)

    # Only what went wrong in one place of the leak finder, if that is asked for

    def _of_leak(self, coach: Advisor, rules: Ruleset, mistakes: Sequence[int]) -> Question | None:
        path = self._leak_path(rules)
        if self.player is None or path is None:
            return None
        among = set(leak_mistakes(self.player, coach, path))
        return drill_next_among(self.player, rules, mistakes, among)

    def _leak_path(self, rules: Ruleset) -> Path | None:
        return path_of(self.request.POST.get(LEAK) or self.request.GET.get(LEAK, ""), rules)

    def leak(self, rules: Ruleset) -> dict[str, str]:
        """Which place that is, for the pages that follow, and what it is called."""
        path = self._leak_path(rules)
        return {LEAK: ".".join(path), "leak_name": path_name(rules, path)} if path else {}

    @property
    def _carried(self) -> dict[str, str]:
        """What an address says of the leak; a page that is told nonsense ignores it."""
        leak = self.request.POST.get(LEAK, "")
        return {LEAK: leak} if leak else {}


class DrillToWin(Drill):
    """The last rounds: so many points are needed, and chances are judged instead of points."""

    to_win = True

    def origin(self, question: Question, turn: int) -> str:
        text = ngettext(
            "%(needed)s point needed to win", "%(needed)s points needed to win", question.needed
        )
        return text % {"needed": question.needed}

    def told(self, coach: Advisor, attempt: DrillAttempt) -> HttpResponse:
        card = attempt.card
        answer = judged(coach, card.position, attempt.action, card.needed)
        fields = {"rules": card.ruleset, "theme": "win"}
        following = Following(self.url, _("Next position"), fields)
        more = {"notes": [comes_again(card)], **self.around(card.rules, ())}
        question = Question(card.position, needed=card.needed)
        return self._judged(answer, question, following, more)


def _theme(request: PlayRequest, needed: int) -> Drill:
    return DrillToWin(request) if needed else Drill(request)


def _field(leak: dict[str, str]) -> dict[str, str]:
    return {LEAK: leak[LEAK]} if leak else {}


def _check_possible(card: DrillCard, action: Action) -> None:
    try:
        check_allowed(state_of(card.position), action)
    except IllegalMove as error:
        raise Http404(_("There is no such attempt.")) from error


def _in_the_game(coach: Advisor, card: DrillCard) -> list[str]:
    done = card.decision
    return [in_the_game(coach, decision_state(done), done.action)] if done else []


def _ways(answer: Judged, card: DrillCard) -> list[tuple[str, str]]:
    ways = [(answer.step.explore, _("Explore this position"))] if answer.step else []
    if card.decision:
        review = reverse("review", args=[card.decision.game_id])
        ways.append((review, _("Review of that game")))
    return ways
