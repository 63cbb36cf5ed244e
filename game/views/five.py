"""Five a day: the same positions of the drill's pool for everybody, one answer each."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from game import services
from game.board import choices
from game.board import five as board
from game.board.daily import countdown
from game.board.drill import exercise_board
from game.fair import days
from game.judgement.tables import advisor
from game.models import FIVE, Game
from game.selectors.five import five_answers, five_of_day, five_of_everybody
from game.services import NoSuchRules, NotUnderstood, Refused
from game.web.forms import DrillForm, HeldForm, whole
from game.web.limits import check_visit
from game.web.middleware import silent
from game.web.visitors import PlayRequest
from solver.advice import Advisor
from solver.rules import RULESETS, Ruleset


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def five(request: PlayRequest, ruleset: str = "") -> HttpResponse:
    rules = RULESETS.get(ruleset or Game().ruleset)
    if rules is None:
        raise Http404(NoSuchRules().message)
    coach = advisor(rules)
    if coach is None:
        return silent(request, rules)
    if request.method != "POST":
        return _page(request, coach)
    form = DrillForm(request.POST)
    if form.only_toggles:
        return _toggled(form, rules)
    try:
        return _answered(request, form, rules)
    except Refused as refusal:
        messages.warning(request, refusal.message)
        return _page(request, coach, refusal.status)


def _page(request: PlayRequest, coach: Advisor, status: int = 200) -> HttpResponse:
    """What was just answered, else what comes next, else how the five went."""
    day, rules = days.today(), coach.rules
    made = five_answers(request.visitor.player, day, rules)
    asked = five_of_day(day, rules)
    context = {
        "day": day,
        "rules": rules,
        "five": range(1, FIVE + 1),
        "links": choices.choices(rules, choices.five_url),
        "action": choices.five_url(rules),
    }
    step = whole(request.GET.get("step"))
    if step in made:
        found = board.told(coach, asked[step - 1], made[step])
        context |= {"place": step, "answer": found, "board": found.board, "last": len(made) == FIVE}
        return render(request, "coach/five_answer.html", context, status=status)
    if len(made) == FIVE:
        return _result(request, coach, context)
    place = next(place for place in range(1, FIVE + 1) if place not in made)
    context |= {
        "place": place,
        "question": board.question(day, place),
        "board": exercise_board(asked[place - 1].position, HeldForm(request.GET).slots),
    }
    return render(request, "coach/five.html", context, status=status)


def _result(request: PlayRequest, coach: Advisor, context: dict[str, object]) -> HttpResponse:
    day, rules = days.today(), coach.rules
    made = five_answers(request.visitor.player, day, rules)
    found = board.result(coach, day, five_of_day(day, rules), made)
    address = request.build_absolute_uri(found.shared.address)
    context |= {
        "result": found,
        "shared": found.shared,
        "share_text": f"{found.shared.text}\n{address}",
        "everybody": five_of_everybody(day, rules),
        "countdown": countdown(),
    }
    return render(request, "coach/five_result.html", context)


def _toggled(form: DrillForm, rules: Ruleset) -> HttpResponse:
    """A die was switched without a script: nothing is stored, the address remembers it."""
    held = ",".join(map(str, sorted(form.held)))
    return redirect(f"{choices.five_url(rules)}?{urlencode({'held': held})}")


def _answered(request: PlayRequest, form: DrillForm, rules: Ruleset) -> HttpResponse:
    day = days.day_of(form.data.get("of", ""))
    if not form.is_valid() or day is None:
        raise NotUnderstood
    player = request.visitor.player
    check_visit(request, player)
    made = services.five_answer(
        player=player, rules=rules, day=day, place=form.cleaned_data["seq"], action=form.choice
    )
    request.visitor.become(made.player)
    return redirect(f"{choices.five_url(rules)}?step={made.place}")
