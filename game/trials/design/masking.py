"""While a trial runs nobody sees what its arms do: arms are letters, and no outcome is told.

Which arm is A follows from the trial's secret alone, so that it is the same on every page and says
nothing of the order in which the arms were written down.
"""

import hmac
from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from game.models import Trial, TrialEvent
from game.services.events import announce_trial
from game.services.refusals import Refused
from game.trials.design.log import note
from game.trials.design.stopping import rule_met, stopping_rule

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MET, UNMET, NONE = "met", "not met", "none"  # of the rule by which it was to stop


def letters(trial: Trial) -> Mapping[int, str]:
    """Of each arm, by its position, the letter that stands for it."""
    positions = trial.arms.values_list("position", flat=True)
    shuffled = sorted(positions, key=lambda position: _keyed(trial.seed, position))
    return dict(zip(shuffled, LETTERS, strict=False))


def _keyed(secret: str, position: int) -> bytes:
    return hmac.digest(secret.encode(), f"masked arm {position}".encode(), "sha256")


def shown_arms(trial: Trial) -> Mapping[int, str]:
    """What each arm is called where no more may be told than that, by its position: letters in
    their own order, names in that in which they were written down."""
    if trial.masked:
        return letters(trial)
    return dict(trial.arms.order_by("position").values_list("position", "name"))


def trial_unmask(*, trial: Trial, reason: str) -> Trial:
    """Before its time: why is told wherever its results are."""
    with transaction.atomic():
        trial = Trial.objects.select_for_update().get(pk=trial.pk)
        if not trial.masked:
            raise Refused("This trial is not masked.")
        _unmask(trial, reason=reason)
        announce_trial(trial.pk)
        return trial


def unmask_at_the_end(trial: Trial) -> None:
    """As it is closed: by itself, unless a rule was locked that it has not come to."""
    if trial.masked and rule_of(trial) != UNMET:
        _unmask(trial)


def _unmask(trial: Trial, **why: str) -> None:
    trial.unmasked_at = timezone.now()
    trial.save(update_fields=["unmasked_at"])
    note(trial, TrialEvent.Kind.UNMASKED, None, stopping_rule=rule_of(trial), **why)


def rule_of(trial: Trial) -> str:
    """How it stands with the rule by which the trial was to stop; a look may end it as well."""
    rule = stopping_rule(trial)
    if rule is None:
        return NONE
    ended = trial.events.filter(kind=TrialEvent.Kind.LOOKED, detail__ends=True).exists()
    return MET if ended or rule_met(rule, timezone.now()) else UNMET
