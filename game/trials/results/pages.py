"""Pages with a trial's results and preregistration, for the people who run it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from game.core.refusals import NotUnderstood, Refused
from game.models import Preregistration, Trial
from game.trials.design.forms import UnmaskForm
from game.trials.design.masking import trial_unmask
from game.trials.design.writing import trial_has_begun
from game.trials.results.flow import flow_of
from game.trials.results.masked import masked_results
from game.trials.results.preregistration import (
    changes_since,
    document_of,
    preregistered_words,
    preregistration_lock,
    preregistration_save,
)
from game.trials.results.preregistration_form import PreregistrationForm
from game.trials.results.quality import quality_page
from game.trials.results.results import results_of
from game.trials.staff import about, noted, owners_only


@require_safe
@never_cache
def results(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    now = timezone.now()
    context = about(trial)
    if trial.masked:
        context |= {
            "masked": masked_results(trial),
            "unmask": UnmaskForm(),
            "flow": flow_of(trial, now),
        }
    else:
        computed = results_of(trial, now)
        context |= {"results": computed, "flow": computed.flow}
    return render(request, "trials/results.html", context)


@require_safe
@never_cache
def quality(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    seen = None if trial.masked else quality_page(trial, timezone.now())
    context = {**about(trial), "quality": seen}
    return render(request, "trials/quality.html", context)


@require_POST
@owners_only
def unmask(request: HttpRequest, slug: str) -> HttpResponse:
    trial, form = get_object_or_404(Trial, slug=slug), UnmaskForm(request.POST)
    try:
        if not form.is_valid():
            raise NotUnderstood
        trial_unmask(trial=trial, reason=form.cleaned_data["reason"])
    except Refused as refusal:
        messages.warning(request, refusal.message)
    return redirect("trial_results", slug)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@noted
def preregistration(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    plan = Preregistration.objects.filter(trial=trial).first()
    # Validation changes the form's instance, so that the shown plan needs its own.
    draft = Preregistration.objects.filter(trial=trial).first()
    form = PreregistrationForm(request.POST or None, instance=draft, trial=trial)
    if request.method != "POST" or not form.is_valid():
        return _page(request, trial, plan, form)
    try:
        preregistration_save(trial=trial, **form.planned)
    except Refused as refusal:
        form.add_error(None, refusal.message)
        return _page(request, trial, plan, form, refusal.status)
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
    plan: Preregistration | None,
    form: PreregistrationForm,
    status: int = 200,
) -> HttpResponse:
    context = {
        **about(trial),
        "found": plan,
        "form": form,
        "begun": trial_has_begun(trial),
    }
    if plan is not None:
        context |= preregistered_words(plan)
        context |= {"changes": changes_since(plan) if plan.is_locked else []}
    return render(request, "trials/preregistration.html", context, status=status)
