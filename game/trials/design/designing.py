"""The design of a trial: its arms are laid down, and given one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import gettext as _

from game.core.refusals import Refused
from game.models import Arm, Participant, Trial
from game.trials.design.arm_text import settings_text, written
from game.trials.design.phases import ArmSettings, condition, seed_of, steps
from game.trials.design.reading import (
    ArmCount,
    arm_counts,
    design_of,
    lot_due,
    participant_stratum,
    seal_of,
    seed_told,
    settings_of,
)

DESIGN = (
    "design",
    "games_before",
    "games_after",
    "games_follow_up",
    "follow_up_days",
    "stratify_by",
)


def arms_set(trial: Trial, arms: Sequence[ArmSettings]) -> dict[str, object]:
    """In this order; nobody has one yet. What was changed, from what to what."""
    before = [settings_of(arm) for arm in trial.arms.order_by("position")]
    if list(arms) == before:
        return {}
    trial.arms.all().delete()
    Arm.objects.bulk_create(
        Arm(trial=trial, position=position, **_fields(arm))
        for position, arm in enumerate(arms, start=1)
    )
    return {"arms": {"from": [*map(written, before)], "to": [*map(written, arms)]}}


def _fields(arm: ArmSettings) -> dict[str, object]:
    return {name: getattr(arm, name) for name in ArmSettings.__dataclass_fields__}


def check_design_stays(
    trial: Trial, settings: Mapping[str, object], arms: Sequence[ArmSettings] | None
) -> None:
    """Refuse to change the design of a trial that was opened: the seal that was shown binds all of
    it."""
    if trial.opened_at is None:
        return
    changed = any(name in settings and settings[name] != getattr(trial, name) for name in DESIGN)
    if arms is not None and tuple(arms) != design_of(trial).arms:
        changed = True
    if changed:
        raise Refused("This trial has been opened: its arms and phases stay as they are.")


def trial_lock(trial_id: int) -> Trial:
    """Two who come at once are given one place each."""
    return Trial.objects.select_for_update().get(pk=trial_id)


def arm_give(participant: Participant) -> None:
    """Give the participant the next arm of the list, once, and not before it is due; the trial is
    locked."""
    if not lot_due(participant):
        return
    trial = participant.trial
    design = design_of(trial)
    stratum = participant_stratum(participant)
    if stratum is None:
        raise Refused(_("Please answer the questions first: your games depend on them."))
    number = _drawn(trial, stratum) + 1
    order = design.order(condition(seed_of(trial.seed), stratum, number, design.conditions))
    participant.arm = trial.arms.get(position=order[0] + 1)
    participant.arm_order = " ".join(str(arm + 1) for arm in order)
    participant.stratum, participant.draw = stratum, number
    participant.planned = len(steps(design, order))
    participant.assigned_at = timezone.now()
    participant.save(
        update_fields=["arm", "arm_order", "stratum", "draw", "planned", "assigned_at"]
    )
    if not design.within:  # the games before were played by those whom this arm now has
        participant.games.update(arm=participant.arm)


def _drawn(trial: Trial, stratum: str) -> int:
    """Return how many places of the allocation list are taken; withdrawn people keep theirs."""
    return trial.participants.filter(stratum=stratum, draw__isnull=False).count()


@dataclass(frozen=True, slots=True)
class ArmLine:
    """``settings`` are empty while the trial is blinded."""

    count: ArmCount
    settings: str


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """``seed`` is empty until the trial is closed and unblinded; ``settings`` are those of the arms
    by their names, while letters stand for them in the counts."""

    arms: tuple[ArmLine, ...]
    settings: tuple[tuple[str, str], ...]
    seal: str
    seed: str


def plan_of(trial: Trial) -> TrialPlan | None:
    """Return the plan; None for a trial with one silent group."""
    design = design_of(trial)
    if design.plain:
        return None
    settings = [(arm.name, settings_text(arm)) for arm in design.arms]
    shown = [text for _name, text in settings] if not trial.masked else [""] * len(settings)
    lines = zip(arm_counts(trial), shown, strict=True)
    return TrialPlan(
        arms=tuple(ArmLine(count, text) for count, text in lines),
        settings=tuple(settings) if trial.masked else (),
        seal=seal_of(trial),
        seed=seed_of(trial.seed) if seed_told(trial) and design.arms else "",
    )
