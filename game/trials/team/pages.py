"""The page of a trial's team, and the services that give roles and take them away."""

from django import forms
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from game.core.refusals import Refused
from game.trials.design.people import log_event
from game.trials.models import Trial, TrialEvent, TrialStaff
from game.trials.staff import colleagues_only, log_superuser, make_context, owners_only, run_or_warn

Role = TrialStaff.Role


def give_role(*, trial: Trial, username: str, role: str) -> TrialStaff:
    with transaction.atomic():
        _lock_trial(trial)
        user = User.objects.filter(username=username, is_staff=True, is_active=True).first()
        if user is None:
            raise Refused("No staff member of this site has that username.")
        if role != Role.OWN:
            _check_owner_stays(trial, user)
        given, _new = TrialStaff.objects.update_or_create(
            trial=trial, user=user, defaults={"role": role}
        )
        log_event(trial, TrialEvent.Kind.ROLE_GIVEN, None, role=role)
        return given


def remove_role(*, trial: Trial, user: User) -> None:
    with transaction.atomic():
        _lock_trial(trial)
        _check_owner_stays(trial, user)
        member = TrialStaff.objects.filter(trial=trial, user=user).first()
        if member is not None:
            member.delete()
            log_event(trial, TrialEvent.Kind.ROLE_TAKEN, None, role=member.role)


def _lock_trial(trial: Trial) -> None:
    """Lock the trial, so that it keeps an owner even if two owners leave at the same moment."""
    Trial.objects.select_for_update().get(pk=trial.pk)


def _check_owner_stays(trial: Trial, user: User) -> None:
    owners = trial.team.filter(role=Role.OWN)
    if owners.filter(user=user).exists() and owners.count() == 1:
        raise Refused("A trial needs an owner: make another person an owner first.")


class RoleForm(forms.Form):
    username = forms.CharField(label="Username", max_length=150)
    role = forms.ChoiceField(
        label="Role", choices=TrialStaff.Role.choices, widget=forms.RadioSelect
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@log_superuser
def roles(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    form = RoleForm(request.POST or None)
    if form.is_valid():
        try:
            give_role(trial=trial, **form.cleaned_data)
            return redirect("trial_staff", slug)
        except Refused as refusal:
            form.add_error(None, refusal.message)
    team = list(trial.team.select_related("user"))
    context = {
        **make_context(trial),
        "form": form,
        "team": team,
        "owned": any(member.role == Role.OWN for member in team),
    }
    return render(request, "trials/roles.html", context)


@require_POST
@owners_only
def end(request: HttpRequest, slug: str, user_id: int) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    user = get_object_or_404(User, pk=user_id, trial_roles__trial=trial)
    run_or_warn(request, remove_role, trial=trial, user=user)
    return redirect("trial_staff", slug)


@require_POST
@colleagues_only
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    left = run_or_warn(request, remove_role, trial=trial, user=request.user)
    return redirect("trials") if left else redirect("trial_staff", slug)
