"""The services that store a trial's arms and assign them to participants."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from django.utils import timezone
from django.utils.translation import gettext as _

from game.core.refusals import Refused
from game.trials.design.arm_text import format_arm, format_settings
from game.trials.design.phases import ArmSettings, derive_list_seed, draw_condition, list_games
from game.trials.design.reading import (
    build_design,
    find_stratum,
    is_draw_due,
    make_trial_seal,
    may_show_seed,
    read_arm_settings,
)
from game.trials.models import Arm, Participant, Trial

DESIGN = (
    "design",
    "games_before",
    "games_after",
    "games_follow_up",
    "follow_up_days",
    "stratify_by",
)


def replace_arms(trial: Trial, arms: Sequence[ArmSettings]) -> dict[str, object]:
    """Replace the trial's arms. Return the change for the log, or {} if the arms stay the same."""
    before = [read_arm_settings(arm) for arm in trial.arms.order_by("position")]
    if list(arms) == before:
        return {}
    trial.arms.all().delete()
    Arm.objects.bulk_create(
        Arm(trial=trial, position=position, **asdict(arm))
        for position, arm in enumerate(arms, start=1)
    )
    return {"arms": {"from": [*map(format_arm, before)], "to": [*map(format_arm, arms)]}}


def check_design_stays(
    trial: Trial, settings: Mapping[str, object], arms: Sequence[ArmSettings] | None
) -> None:
    """Raise Refused if a change would affect an opened trial's design, whose hash is public."""
    if trial.opened_at is None:
        return
    changed = any(name in settings and settings[name] != getattr(trial, name) for name in DESIGN)
    if arms is not None and tuple(arms) != build_design(trial).arms:
        changed = True
    if changed:
        raise Refused("This trial has been opened, so its arms and phases can no longer change.")


def lock_trial(trial_id: int) -> Trial:
    """Lock the trial's row, so that two people who join at the same moment get different places."""
    return Trial.objects.select_for_update().get(pk=trial_id)


def assign_arm(participant: Participant) -> None:
    """Assign the next arm of the allocation list, if one is due. The caller locks the trial."""
    if not is_draw_due(participant):
        return
    trial = participant.trial
    design = build_design(trial)
    stratum = find_stratum(participant)
    if stratum is None:
        raise Refused(_("Please answer the questions first: your games depend on them."))
    drawn = trial.participants.filter(stratum=stratum, draw__isnull=False)
    number = drawn.count() + 1
    order = design.find_arm_order(
        draw_condition(derive_list_seed(trial.seed), stratum, number, design.conditions)
    )
    participant.arm = trial.arms.get(position=order[0] + 1)
    participant.arm_order = " ".join(str(arm + 1) for arm in order)
    participant.stratum, participant.draw = stratum, number
    participant.planned = len(list_games(design, order))
    participant.assigned_at = timezone.now()
    participant.save(
        update_fields=["arm", "arm_order", "stratum", "draw", "planned", "assigned_at"]
    )
    if not design.within:  # the arm also applies to the baseline games
        participant.games.update(arm=participant.arm)


def describe_allocation(trial: Trial) -> dict[str, object]:
    """Return the names and settings of the arms, and the hash (seal) and the seed of the allocation
    list; the seed is empty until the trial is closed and unblinded. Return {} without arms."""
    arms = build_design(trial).arms
    if not arms:
        return {}
    return {
        "arms": [(arm.name, format_settings(arm)) for arm in arms],
        "seal": make_trial_seal(trial),
        "seed": derive_list_seed(trial.seed) if may_show_seed(trial) else "",
    }
