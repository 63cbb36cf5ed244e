"""The plan of looks, and the look that is due, for those who run a trial."""

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from game.models import Trial
from game.models.trial import MOST_LOOKS
from game.services import Refused
from game.trials.design.stopping import stopping_rule
from game.trials.results.looking import look_take, looks_plan
from game.trials.results.looks import looks_of
from game.trials.staff import about, noted, owners_only


class LooksForm(forms.Form):
    looks = forms.TypedChoiceField(
        label=_("Looks at the comparison, the last one included"),
        coerce=int,
        choices=[(0, _("None before the end"))] + [(n, str(n)) for n in range(2, MOST_LOOKS + 1)],
    )
    spending = forms.ChoiceField(
        label=_("How they share the alpha of 0.05"),
        choices=Trial.Spending.choices,
        widget=forms.RadioSelect,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@noted
def looks(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    first = trial.spending or Trial.Spending.OBRIEN_FLEMING
    form = LooksForm(request.POST or None, initial={"looks": trial.looks, "spending": first})
    if form.is_valid():
        _told(request, lambda: looks_plan(trial=trial, **form.cleaned_data))
        return redirect("trial_looks", slug)
    fixed = trial.opened_at is not None or stopping_rule(trial) is not None
    context = {**about(trial), "form": form, "fixed": fixed}
    return render(
        request, "trials/looks.html", context | {"looks": looks_of(trial, timezone.now())}
    )


@require_POST
@owners_only
def look(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the look that is due."""
    trial = get_object_or_404(Trial, slug=slug)
    _told(request, lambda: look_take(trial=trial))
    return redirect("trial_looks", slug)


def _told(request: HttpRequest, deed: Callable[[], object]) -> None:
    try:
        deed()
    except Refused as refusal:
        messages.warning(request, refusal.message)
