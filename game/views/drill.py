"""Positions to practise, one's own mistakes first; the answer comes after the attempt."""

from collections.abc import Collection, Sequence

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from game import services
from game.board.drill import answer, drill_retried, exercise_board, in_the_game, progress_chart
from game.board.drill_to_win import win_answer
from game.coach.blinding import check_drill
from game.coach.leaks import path_name
from game.coach.waiting import waiting
from game.judgement.leaks import Path, path_of
from game.judgement.pool import LEVELS
from game.judgement.tables import advisor
from game.models import DrillAttempt, Player
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
from game.services import NotUnderstood, Refused
from game.web.forms import DrillForm, HeldForm, TryForm
from game.web.limits import check_visit
from game.web.middleware import silent
from game.web.rulesets import rules_asked, rules_played
from game.web.visitors import PlayRequest
from solver.advice import Advisor
from solver.making import EXPLAIN
from solver.rules import Ruleset

LEAK = "leak"  # the field of an address


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def drill(request: PlayRequest) -> HttpResponse:
    if request.method != "POST":
        return _ask(request, request.GET.get("of", ""))
    form = DrillForm(request.POST)
    if form.only_toggles:
        return _toggled(request, form)
    try:
        return _attempt(request, form)
    except Refused as refusal:
        messages.warning(request, refusal.message)
        return _ask(request, request.POST.get("of", ""), refusal.status)


@never_cache
@require_safe
def drill_answer(request: PlayRequest, attempt_id: int) -> HttpResponse:
    player = request.visitor.player
    between_games = check_drill(player)
    attempt = drill_attempt(player, attempt_id)
    if attempt is None:
        raise Http404(_("There is no such attempt."))
    coach = advisor(attempt.card.rules)
    if coach is None:
        return silent(request, attempt.card.rules)
    if attempt.card.needed:
        return _won_or_not(request, coach, attempt)
    form = TryForm(request.GET)
    if form.is_valid() and form.asks:
        return _ask_again(request, attempt, form.held)
    if form.is_valid() and form.choice is not None:
        attempt = drill_retried(attempt, form.choice)
        if attempt is None:
            raise Http404(_("There is no such attempt."))
    decision = attempt.card.decision
    found = answer(coach, attempt)
    context = {
        "answer": found,
        "board": found.board,
        "decision": decision,
        "done": in_the_game(coach, decision_state(decision), decision.action) if decision else "",
        "waiting": None if coach.explain else waiting(coach.rules, EXPLAIN),
        "between_games": between_games,
        **_leak(request, coach.rules),
        **_progress(player, coach.rules, drill_mistakes(player, coach.rules)),
    }
    return render(request, "coach/drill_answer.html", context)


def _won_or_not(request: PlayRequest, coach: Advisor, attempt: DrillAttempt) -> HttpResponse:
    found = win_answer(coach, attempt)
    player = request.visitor.player
    context = {
        "answer": found,
        "board": found.board,
        "needed": attempt.card.needed,
        **_progress(player, coach.rules, (), to_win=True),
    }
    return render(request, "coach/drill_win_answer.html", context)


def _ask(request: PlayRequest, key: str, status: int = 200) -> HttpResponse:
    player = request.visitor.player
    question = drill_question(player, key)
    rules = question.rules if question else rules_asked(request)
    mistakes = drill_mistakes(player, rules)
    to_win = request.GET.get("theme") == "win"
    coach = advisor(rules)
    if coach is None:
        return silent(request, rules)
    asked = question or _of_leak(request, rules, coach, mistakes)
    question = asked or drill_next(player, rules, mistakes, to_win=to_win)
    to_win = question.needed > 0
    held = HeldForm(request.GET).slots
    context = {
        "question": question,
        "board": exercise_board(question.position, held),
        "levels": len(LEVELS),
        "needed": question.needed,
        **(_leak(request, rules) if asked else {}),
        **_progress(player, rules, mistakes, to_win=to_win),
    }
    return render(request, "coach/drill.html", context, status=status)


def _ask_again(request: PlayRequest, attempt: DrillAttempt, held: Collection[int]) -> HttpResponse:
    """The same position without its answer; what is tried now is told and stored nowhere."""
    player, card = request.visitor.player, attempt.card
    context = {
        "question": drill_question(player, f"card-{card.pk}"),
        "again": True,
        "board": exercise_board(card.position, held),
        "levels": len(LEVELS),
        **_leak(request, card.rules),
        **_progress(player, card.rules, drill_mistakes(player, card.rules)),
        "action": reverse("drill_answer", args=[attempt.pk]),
    }
    return render(request, "coach/drill.html", context)


def _leak_asked(request: PlayRequest, rules: Ruleset) -> Path | None:
    return path_of(request.POST.get(LEAK) or request.GET.get(LEAK, ""), rules)


def _of_leak(
    request: PlayRequest, rules: Ruleset, coach: Advisor, mistakes: Sequence[int]
) -> Question | None:
    """Only what went wrong in one place of the leak finder, if that is asked for."""
    player, path = request.visitor.player, _leak_asked(request, rules)
    if player is None or path is None:
        return None
    return drill_next_among(player, rules, mistakes, set(leak_mistakes(player, coach, path)))


def _leak(request: PlayRequest, rules: Ruleset) -> dict[str, str]:
    """Which place that is, for the pages that follow, and what it is called."""
    path = _leak_asked(request, rules)
    return {LEAK: ".".join(path), "leak_name": path_name(rules, path)} if path else {}


def _progress(
    player: Player | None, rules: Ruleset, mistakes: Sequence[int], *, to_win: bool = False
) -> dict[str, object]:
    progress = drill_progress(player, rules, mistakes, to_win=to_win)
    return {
        "action": reverse("drill"),
        "progress": progress,
        "chart": progress_chart(progress.regrets),
        "rules": rules,
        "to_win": to_win,
        "links": rules_played(player, rules),
    }


def _toggled(request: PlayRequest, form: DrillForm) -> HttpResponse:
    """A die was switched without a script: nothing is stored, the address remembers it."""
    held = ",".join(map(str, sorted(form.held)))
    of = form.cleaned_data["of"]
    query = urlencode({"of": of, "held": held, **_carried(request)})
    return redirect(f"{reverse('drill')}?{query}")


def _carried(request: PlayRequest) -> dict[str, str]:
    """What an address says of the leak; a page that is told nonsense ignores it."""
    leak = request.POST.get(LEAK, "")
    return {LEAK: leak} if leak else {}


def _attempt(request: PlayRequest, form: DrillForm) -> HttpResponse:
    if not form.is_valid():
        raise NotUnderstood
    player = request.visitor.player
    check_visit(request, player)
    attempt = services.drill_attempt(
        player=player,
        key=form.cleaned_data["of"],
        number=form.cleaned_data["seq"],
        action=form.choice,
    )
    request.visitor.become(attempt.card.player)
    answered = reverse("drill_answer", args=[attempt.pk])
    carried = urlencode(_carried(request))
    return redirect(f"{answered}?{carried}" if carried else answered)
