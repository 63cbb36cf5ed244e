"""Roles in a trial are given and end. A trial that somebody owns never loses its last owner."""

from django.contrib.auth.models import User
from django.db import transaction

from game.models import Trial, TrialEvent, TrialStaff
from game.services.refusals import Refused
from game.trials.design.people import note

Role = TrialStaff.Role


def role_give(*, trial: Trial, username: str, role: str) -> TrialStaff:
    """To somebody of the staff, instead of the one they had."""
    with transaction.atomic():
        _locked(trial)
        user = User.objects.filter(username=username, is_staff=True, is_active=True).first()
        if user is None:
            raise Refused("Nobody of the staff of this site has that name.")
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
        found = TrialStaff.objects.filter(trial=trial, user=user).first()
        if found is not None:
            found.delete()
            note(trial, TrialEvent.Kind.ROLE_TAKEN, None, role=found.role)


def trial_take(*, trial: Trial, superuser: User) -> None:
    """A trial that nobody owns becomes a superuser's."""
    with transaction.atomic():
        _locked(trial)
        if trial.team.filter(role=Role.OWN).exists():
            raise Refused("Somebody owns this trial already.")
        TrialStaff.objects.update_or_create(
            trial=trial, user=superuser, defaults={"role": Role.OWN}
        )
        note(trial, TrialEvent.Kind.ROLE_GIVEN, None, role=Role.OWN)


def _locked(trial: Trial) -> None:
    """Two owners who leave at once must not both be the last but one."""
    Trial.objects.select_for_update().get(pk=trial.pk)


def _check_owner_stays(trial: Trial, user: User) -> None:
    owners = trial.team.filter(role=Role.OWN)
    if owners.filter(user=user).exists() and owners.count() == 1:
        raise Refused("The last owner stays: let somebody else own the trial first.")
