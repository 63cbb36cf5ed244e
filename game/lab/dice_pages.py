"""The dice test: are these dice fair? Nothing is stored, and no account is needed."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from game.lab import dice_words
from game.lab.dice_apart import rows_apart, told_apart
from game.lab.dice_forms import MOST_NOW, NowForm, ThrowsForm
from game.lab.dice_thrown import thrown_now
from game.lab.dice_words import DiceShown
from game.lab.study_words import whole
from game.web.limits import TooMuch, check_upload
from solver.statistics.fairness import fairness_apart
from solver.study.published import real_dice

STUDY = "study"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def dice_test(request: HttpRequest) -> HttpResponse:
    if request.method == "POST" or "virtual" in request.GET:
        try:
            check_upload(request)
        except TooMuch as refusal:
            messages.warning(request, refusal.message)
            return _answer(request, status=refusal.status)
    if request.method == "POST":
        return _typed(request)
    if "virtual" in request.GET:
        return _now(request)
    if request.GET.get("of") == STUDY:
        return _answer(request, DiceShown(_("The study's dice"), real_dice()))
    return _answer(request)


def _typed(request: HttpRequest) -> HttpResponse:
    form = ThrowsForm(request.POST, request.FILES)
    if not form.is_valid():
        return _answer(request, form=form, status=400)
    faces = form.faces
    title = form.file_name or _("Your dice")
    test = fairness_apart(title, faces.dice, form.places)
    heading = dice_words.heading(faces.heading) if faces.heading else ""
    return _answer(request, DiceShown(title, test), form, heading)


def _now(request: HttpRequest) -> HttpResponse:
    now = NowForm(request.GET)
    if not now.is_valid():
        return _answer(request, now=now, status=400)
    test = thrown_now(now.cleaned_data["virtual"])
    return _answer(request, DiceShown(_("Virtual dice, thrown just now"), test), now=now)


def _answer(
    request: HttpRequest,
    shown: DiceShown | None = None,
    form: ThrowsForm | None = None,
    heading: str = "",
    *,
    now: NowForm | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "shown": shown,
        "rows": rows_apart(shown.test) if shown else [],
        "told": told_apart(shown.test) if shown else [],
        "form": form or ThrowsForm(),
        "heading": heading,
        "now": now or NowForm(),
        "most_now": whole(MOST_NOW),
    }
    return render(request, "lab/dice_test.html", context, status=status)
