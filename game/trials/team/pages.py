"""The roles of a trial: who has which, and who is invited."""

from collections.abc import Callable
from typing import cast

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from game.models import Trial, TrialStaff
from game.services import Refused
from game.trials.staff import about, colleagues_only, noted, owners_only
from game.trials.team.writing import role_end, role_give, trial_take


class RoleForm(forms.Form):
    username = forms.CharField(label="Username", max_length=150)
    role = forms.ChoiceField(
        label="Role", choices=TrialStaff.Role.choices, widget=forms.RadioSelect
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@noted
def roles(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    form = RoleForm(request.POST or None)
    if form.is_valid():
        try:
            role_give(trial=trial, **form.cleaned_data)
            return redirect("trial_staff", slug)
        except Refused as refusal:
            form.add_error(None, refusal.message)
    team = list(trial.team.select_related("user"))
    context = {**about(trial), "form": form, "team": team, "owned": _owned(team)}
    return render(request, "trials/roles.html", context)


def _owned(team: list[TrialStaff]) -> bool:
    return any(one.role == TrialStaff.Role.OWN for one in team)


@require_POST
@owners_only
def end(request: HttpRequest, slug: str, user_id: int) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    user = get_object_or_404(User, pk=user_id, trial_roles__trial=trial)
    _told(request, lambda: role_end(trial=trial, user=user))
    return redirect("trial_staff", slug)


@require_POST
@colleagues_only
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """One's own role ends."""
    trial = get_object_or_404(Trial, slug=slug)
    left = _told(request, lambda: role_end(trial=trial, user=cast(User, request.user)))
    return redirect("trials") if left else redirect("trial_staff", slug)


@require_POST
@owners_only
def take(request: HttpRequest, slug: str) -> HttpResponse:
    """By a superuser, where nobody owns it."""
    trial = get_object_or_404(Trial, slug=slug)
    user = cast(User, request.user)
    _told(request, lambda: trial_take(trial=trial, superuser=user))
    return redirect("trial_staff", slug)


def _told(request: HttpRequest, deed: Callable[[], None]) -> bool:
    try:
        deed()
    except Refused as refusal:
        messages.warning(request, refusal.message)
        return False
    return True
