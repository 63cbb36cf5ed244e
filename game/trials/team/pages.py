"""A trial's team: the services that give and end roles, and the page for them."""

from django import forms
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from game.core.refusals import Refused
from game.models import Trial, TrialEvent, TrialStaff
from game.trials.design.people import note
from game.trials.staff import about, colleagues_only, log_superuser, owners_only, run_or_warn

Role = TrialStaff.Role


def role_give(*, trial: Trial, username: str, role: str) -> TrialStaff:
    """Give a staff user a role in the trial, in place of their earlier role."""
    with transaction.atomic():
        _locked(trial)
        user = User.objects.filter(username=username, is_staff=True, is_active=True).first()
        if user is None:
            raise Refused("No staff member of this site has that username.")
        if role != Role.OWN:
            _check_owner_stays(trial, user)
        given, _new = TrialStaff.objects.update_or_create(
            trial=trial, user=user, defaults={"role": role}
        )
        note(trial, TrialEvent.Kind.ROLE_GIVEN, None, role=role)
        return given


def role_end(*, trial: Trial, user: User) -> None:
    with transaction.atomic():
        _locked(trial)
        _check_owner_stays(trial, user)
        member = TrialStaff.objects.filter(trial=trial, user=user).first()
        if member is not None:
            member.delete()
            note(trial, TrialEvent.Kind.ROLE_TAKEN, None, role=member.role)


def trial_take(*, trial: Trial, superuser: User) -> None:
    """Give a trial without an owner to a superuser."""
    with transaction.atomic():
        _locked(trial)
        if trial.team.filter(role=Role.OWN).exists():
            raise Refused("This trial already has an owner.")
        TrialStaff.objects.update_or_create(
            trial=trial, user=superuser, defaults={"role": Role.OWN}
        )
        note(trial, TrialEvent.Kind.ROLE_GIVEN, None, role=Role.OWN)


def _locked(trial: Trial) -> None:
    """Lock the trial's row, so that two owners cannot leave at once and leave no owner."""
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
            role_give(trial=trial, **form.cleaned_data)
            return redirect("trial_staff", slug)
        except Refused as refusal:
            form.add_error(None, refusal.message)
    team = list(trial.team.select_related("user"))
    context = {
        **about(trial),
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
    run_or_warn(request, role_end, trial=trial, user=user)
    return redirect("trial_staff", slug)


@require_POST
@colleagues_only
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    trial = get_object_or_404(Trial, slug=slug)
    left = run_or_warn(request, role_end, trial=trial, user=request.user)
    return redirect("trials") if left else redirect("trial_staff", slug)


@require_POST
@owners_only
def take(request: HttpRequest, slug: str) -> HttpResponse:
    """Make the signed-in superuser the owner of a trial without an owner."""
    trial = get_object_or_404(Trial, slug=slug)
    run_or_warn(request, trial_take, trial=trial, superuser=request.user)
    return redirect("trial_staff", slug)
