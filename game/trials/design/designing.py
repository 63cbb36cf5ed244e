"""The services that store a trial's arms and assign them to participants."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from django.utils import timezone
from django.utils.translation import gettext as _

from game.core.refusals import Refused
from game.trials.design.arm_text import format_arm, format_settings
from game.trials.design.phases import ArmSettings, derive_list_seed, draw_condition, list_games
from game.trials.design.reading import (
    ArmCount,
    build_design,
    find_stratum,
    is_draw_due,
    list_arm_counts,
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
    """Replace the arms before anyone has one. Return the change for the log; {} if unchanged."""
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
    """Raise Refused if an opened trial's design would change, because its hash is public."""
    if trial.opened_at is None:
        return
    changed = any(name in settings and settings[name] != getattr(trial, name) for name in DESIGN)
    if arms is not None and tuple(arms) != build_design(trial).arms:
        changed = True
    if changed:
        raise Refused("This trial has been opened, so its arms and phases can no longer change.")


def lock_trial(trial_id: int) -> Trial:
    """Lock the trial's row, so that people who join at the same moment get different places."""
    return Trial.objects.select_for_update().get(pk=trial_id)


def assign_arm(participant: Participant) -> None:
    """Assign the next arm of the allocation list, if an arm is due. The caller locks the trial."""
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


@dataclass(frozen=True, slots=True)
class ArmLine:
    """The counts and settings of an arm. ``settings`` is empty while the trial is blinded."""

    count: ArmCount
    settings: str


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """The arms, the hash (seal) and the seed of a trial's allocation list. ``seed`` is empty until
    the trial is closed and unblinded. While the trial is blinded, ``arms`` shows letters and
    ``settings`` lists the arms by name; otherwise ``settings`` is empty."""

    arms: tuple[ArmLine, ...]
    settings: tuple[tuple[str, str], ...]
    seal: str
    seed: str


def build_plan(trial: Trial) -> TrialPlan | None:
    """Return the plan. Return None if the trial has no arms and no phases."""
    design = build_design(trial)
    if design.plain:
        return None
    settings = [(arm.name, format_settings(arm)) for arm in design.arms]
    shown = [text for _name, text in settings] if not trial.masked else [""] * len(settings)
    lines = zip(list_arm_counts(trial), shown, strict=True)
    return TrialPlan(
        arms=tuple(ArmLine(count, text) for count, text in lines),
        settings=tuple(settings) if trial.masked else (),
        seal=make_trial_seal(trial),
        seed=derive_list_seed(trial.seed) if may_show_seed(trial) and design.arms else "",
    )
