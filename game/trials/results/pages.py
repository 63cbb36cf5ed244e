"""The pages that show a trial's results to its staff."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from game.core.refusals import NotUnderstood, Refused
from game.trials.design.masking import find_stopping_rule, unblind_trial
from game.trials.models import Trial
from game.trials.results.flow import build_flow
from game.trials.results.preregistration import describe_stopping
from game.trials.results.results import calculate_results
from game.trials.staff import make_context, owners_only


class UnmaskForm(forms.Form):
    reason = forms.CharField(
        label="Why you unblind the trial now",
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="The results, the report and the files show this reason.",
    )
    confirm = forms.BooleanField(label="Show the outcomes by arm. You cannot undo this.")


@require_safe
@never_cache
def results(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    now = timezone.now()
    context = make_context(trial)
    if trial.masked:
        rule = find_stopping_rule(trial)
        context |= {"stopping": describe_stopping(rule) if rule else "", "unmask": UnmaskForm()}
        context |= {"flow": build_flow(trial, now)}
    else:
        computed = calculate_results(trial, now)
        context |= {"results": computed, "flow": computed.flow}
    return render(request, "trials/results.html", context)


@require_POST
@owners_only
def unmask(request: HttpRequest, slug: str) -> HttpResponse:
    trial, form = get_object_or_404(Trial, slug=slug), UnmaskForm(request.POST)
    try:
        if not form.is_valid():
            raise NotUnderstood
        unblind_trial(trial=trial, reason=form.cleaned_data["reason"])
    except Refused as refusal:
        messages.warning(request, refusal.message)
    return redirect("trial_results", slug)
