"""The pages of the drill: the player's mistakes and prepared positions, or last turns to win."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from game.coach.hints import find_chosen_option
from game.coach.waiting import find_missing_reasons
from game.core.access import check_drill, check_not_own
from game.core.words import phrases
from game.core.words.times import render_day, render_sentence
from game.core.worth.drilled import DRILLED
from game.core.worth.leak_tree import Path, parse_path
from game.core.worth.repetition import calculate_credit
from game.core.worth.tables import require_advisor
from game.models import DrillAttempt, DrillCard
from game.pages.board.board import Board
from game.pages.requests.forms import DrillForm, HeldForm
from game.pages.requests.limits import check_room, check_visit
from game.pages.requests.visitors import PlayRequest
from game.pages.rulesets import NotForTheseRules, list_rules_links, rules_asked
from game.practice import drilling
from game.practice.again_views import TO_WIN
from game.practice.asking import (
    Following,
    Remembered,
    format_points_needed,
    judge_answer,
    make_again_url,
    make_position_board,
)
from game.practice.drill_pool import LEVELS
from game.practice.drill_queries import (
    Question,
    find_attempt,
    find_next_among,
    find_next_question,
    find_question,
    list_mistake_keys,
    measure_progress,
    rebuild_state,
)
from game.practice.leak_board import format_path_name
from game.practice.leak_queries import list_leak_mistakes
from game.practice.lessons import make_lessons_url
from solver.advice import Advisor, find_position
from solver.charts import Axis, Chart, Line
from solver.players.playbook import read_stored_books
from solver.rules import Action, Ruleset

ROLLING = 20  # number of attempts in a moving average of the chart
CHARTED = 5  # a chart needs at least this number of attempts


def format_next_time(card: DrillCard) -> str:
    if not card.interval:
        return _("This position comes up again in ten minutes.")
    return render_sentence(_("This position comes up again on %(day)s."), day=render_day(card.due))


LEAK = "leak"  # a field in the address; it restricts the drill to the mistakes of a leak


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def drill(request: PlayRequest) -> HttpResponse:
    return Drill(request).respond()


@never_cache
@require_safe
def drill_answer(request: PlayRequest, attempt_id: int) -> HttpResponse:
    stored = find_attempt(request.visitor.player, attempt_id)
    if stored is None:
        raise Http404(_("There is no such attempt."))
    attempt, compared = stored
    if compared:
        check_not_own(request.visitor.player, [attempt.card.position])
    return (DrillToWin(request) if attempt.card.needed else Drill(request)).show_answer(
        require_advisor(attempt.card.rules), attempt
    )


class Drill(Remembered):
    """The drill: first the player's own mistakes, then prepared positions at the player's level."""

    title = gettext_lazy("Drill")
    side = "practice/_drill.html"
    below = "practice/_drill_progress.html"
    to_win = False

    def __init__(self, request: PlayRequest) -> None:
        super().__init__(request, reverse("drill"))

    def page(self, status: int = 200) -> HttpResponse:
        sent = self.request.POST if self.request.method == "POST" else self.request.GET
        question = find_question(self.player, sent.get("of", ""))
        rules = question.rules if question else rules_asked(self.request, DRILLED)
        to_win = self.request.GET.get("theme") == "win"
        if to_win and not rules.studied:
            raise NotForTheseRules(rules)
        coach = require_advisor(rules)
        mistakes = list_mistake_keys(self.player, rules)
        leak = self._read_leak(rules)
        wanted = question
        if wanted is None and self.player and leak is not None:
            among = set(list_leak_mistakes(self.player, coach, leak))
            wanted = find_next_among(self.player, rules, mistakes, among)
        question = wanted or find_next_question(self.player, rules, mistakes, to_win=to_win)
        theme = DrillToWin(self.request) if question.needed else Drill(self.request)
        board = make_position_board(question.position, HeldForm(self.request.GET).slots)
        leak = leak if wanted else None
        fields = {"of": question.key, "seq": question.number, **_make_leak_field(leak)}
        ahead = _("No position is due, so this position comes early.")
        notes = [ahead] if question.ahead else []
        context = theme.make_context(question, board, mistakes, leak)
        return theme.render_question(board, status=status, fields=fields, notes=notes, **context)

    def show_answer(self, coach: Advisor, attempt: DrillAttempt) -> HttpResponse:
        card, leak = attempt.card, self._read_leak(attempt.card.rules)
        mistakes = list_mistake_keys(self.player, card.rules)
        made = card.decision
        notes = []
        if made:
            state = rebuild_state(made)
            done = find_chosen_option(coach.advise(find_position(state)), made.action, state)
            facts = {
                "choice": phrases.describe_option(state.rules, done),
                "cost": phrases.format_cost(done.regret),
            }
            notes = [_("Your move in the game was “%(choice)s”: %(cost)s.") % facts]
        question = Question(card.position, card, made)
        answer = judge_answer(coach, card.position, attempt.action)
        ways = [(answer.step.explore, _("Explore this position"))] if answer.step else []
        if made:
            ways.append((reverse("review", args=[made.game_id]), _("Review of your game")))
        context = self.make_context(question, answer.board, mistakes, leak)
        onward = {"rules": card.ruleset} | _make_leak_field(leak)
        again = make_again_url(f"drill-{attempt.pk}", **_make_leak_field(leak))
        following = Following(
            self.url, _("Next position"), onward, again="" if answer.right else again
        )
        return self.render_answer(
            answer.board,
            answer=answer,
            following=following,
            parts=answer.step.why if answer.step else (),
            notes=[*notes, format_next_time(card)],
            ways=[] if check_drill(self.player) else ways,
            waiting=find_missing_reasons(coach),
            **context,
        )

    def make_context(
        self,
        question: Question,
        board: Board,
        mistakes: Sequence[int] = (),
        leak: Path | None = None,
    ) -> dict[str, Any]:
        rules = question.rules
        progress = measure_progress(self.player, rules, mistakes, to_win=self.to_win)
        books, chart = read_stored_books(rules.id), ""
        if len(progress.regrets) >= CHARTED:
            earned = [calculate_credit(regret) for regret in progress.regrets]
            numbers = range(CHARTED, len(earned) + 1)
            parts = [earned[max(0, number - ROLLING) : number] for number in numbers]
            means = [sum(part) / len(part) for part in parts]
            title = _("Average credit for your answers to the last %(count)s positions")
            chart = Chart(
                title % {"count": ROLLING},
                [Line([float(number) for number in numbers], means, area=True)],
                x=Axis(label=_("positions tried")),
                y=Axis(low=0.0, high=1.0, percent=True),
                description=_("Your average credit is now %(credit)s.")
                % {"credit": phrases.format_percent(means[-1])},
                width=400.0,
                height=220.0,
                show_title=False,
            ).draw_for_page()
        return {
            "heading": {"player": self.describe_origin(question, board.turn)},
            "question": question,
            "leak_name": format_path_name(rules, leak) if leak else "",
            "progress": progress,
            "chart": chart,
            "choices": list_rules_links(rules, among=DRILLED),
            "lessons": make_lessons_url(rules, next(iter(books))) if books else "",
            "once_more": make_again_url(f"session-{rules.id}{TO_WIN if self.to_win else ''}"),
        }

    def describe_origin(self, question: Question, turn: int) -> str:
        made = question.decision
        if made and made.game.finished_at:
            sentence = _("From your game of %(day)s, turn %(turn)s")
            return render_sentence(sentence, day=render_day(made.game.finished_at), turn=str(turn))
        if question.exercise is None:
            return ""
        level = {"level": question.exercise.level, "levels": len(LEVELS)}
        return _("Level %(level)s of %(levels)s") % level

    def make_held_url(self, form: DrillForm) -> str:
        query = {"of": form.cleaned_data["of"], "held": form.held_text}
        return f"{self.url}?{urlencode(query | self._carried)}"

    def store_answer(self, form: DrillForm, choice: Action) -> str:
        check_room()
        check_visit(self.request, self.player)
        values = form.cleaned_data
        attempt = drilling.store_attempt(
            player=self.player,
            key=values["of"],
            number=values["seq"],
            action=choice,
            took=values["waited"],
        )
        self.request.visitor.become(attempt.card.player)
        answered = reverse("drill_answer", args=[attempt.pk])
        return f"{answered}?{urlencode(self._carried)}" if self._carried else answered

    # If the address names a leak, show only mistakes of this leak.

    def _read_leak(self, rules: Ruleset) -> Path | None:
        return parse_path(self.request.POST.get(LEAK) or self.request.GET.get(LEAK, ""), rules)

    @property
    def _carried(self) -> dict[str, str]:
        """The leak in the address, as a field that the form sends on; empty without a leak."""
        leak = self.request.POST.get(LEAK, "")
        return {LEAK: leak} if leak else {}


class DrillToWin(Drill):
    """The drill of last turns. It judges a move by the chance to win after it."""

    to_win = True

    def describe_origin(self, question: Question, turn: int) -> str:
        return format_points_needed(question.needed)

    def show_answer(self, coach: Advisor, attempt: DrillAttempt) -> HttpResponse:
        card = attempt.card
        answer = judge_answer(coach, card.position, attempt.action, card.needed)
        onward = {"rules": card.ruleset, "theme": "win"}
        question = Question(card.position, card, needed=card.needed)
        return self.render_answer(
            answer.board,
            answer=answer,
            following=Following(
                self.url,
                _("Next position"),
                onward,
                again="" if answer.right else make_again_url(f"drill-{attempt.pk}"),
            ),
            notes=[format_next_time(card)],
            **self.make_context(question, answer.board),
        )


def _make_leak_field(leak: Path | None) -> dict[str, str]:
    return {LEAK: ".".join(leak)} if leak else {}
