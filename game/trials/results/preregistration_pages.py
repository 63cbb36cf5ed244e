"""The preregistration of a trial, for those who run it: written, locked, printed."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from game.models import Preregistration, Trial
from game.services import Refused
from game.trials.design.writing import trial_has_begun
from game.trials.results.preregistering import preregistration_lock, preregistration_save
from game.trials.results.preregistration import (
    analyses_words,
    changes_since,
    document_of,
    estimand_of,
    estimand_told,
    exclusion_words,
    outcome_words,
    stopping_words,
)
from game.trials.results.preregistration_form import PreregistrationForm
from game.trials.staff import about, noted, owners_only


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@noted
def preregistration(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    found = Preregistration.objects.filter(trial=trial).first()
    # The form validates into its instance, which must not be the one that is still shown.
    draft = Preregistration.objects.filter(trial=trial).first()
    form = PreregistrationForm(request.POST or None, instance=draft, trial=trial)
    if request.method != "POST" or not form.is_valid():
        return _page(request, trial, found, form)
    try:
        preregistration_save(trial=trial, **form.planned)
    except Refused as refusal:
        form.add_error(None, refusal.message)
        return _page(request, trial, found, form, refusal.status)
    messages.success(request, "The draft is saved. Lock it before anybody agrees to take part.")
    return redirect("trial_preregistration", slug)


@require_POST
@owners_only
def lock(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    try:
        preregistration_lock(trial=trial, describe=document_of)
    except Refused as refusal:
        messages.warning(request, refusal.message)
    else:
        messages.success(request, "The preregistration is locked.")
    return redirect("trial_preregistration", slug)


def _page(
    request: HttpRequest,
    trial: Trial,
    found: Preregistration | None,
    form: PreregistrationForm,
    status: int = 200,
) -> HttpResponse:
    context = {
        **about(trial),
        "found": found,
        "form": form,
        "begun": trial_has_begun(trial),
    }
    if found is not None:
        context |= words_of(found)
    return render(request, "trials/preregistration.html", context, status=status)


def words_of(found: Preregistration) -> dict[str, object]:
    return {
        "outcome": outcome_words(found),
        "analyses": analyses_words(found),
        "estimand": estimand_told(estimand_of(found)),
        "exclusions": exclusion_words(found),
        "stopping": stopping_words(found),
        "changes": changes_since(found) if found.is_locked else [],
    }
