"""The arms of a trial as its page shows them: only what has been given."""

from dataclasses import dataclass

from game.models import Trial
from game.trials.design.arm_text import told
from game.trials.design.assignment import seed_of
from game.trials.design.reading import ArmCount, arm_counts, design_of, seal_of, seed_told


@dataclass(frozen=True, slots=True)
class ArmLine:
    """``settings`` are empty while the trial is masked."""

    count: ArmCount
    settings: str


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """``seed`` is empty until the trial is closed and unmasked; ``settings`` are those of the arms
    by their names, while letters stand for them in the counts."""

    arms: tuple[ArmLine, ...]
    settings: tuple[tuple[str, str], ...]
    phases: str
    seal: str
    seed: str


def plan_of(trial: Trial) -> TrialPlan | None:
    """None where there is nothing but one silent group."""
    design = design_of(trial)
    if design.plain:
        return None
    settings = [(one.name, told(one)) for one in design.arms]
    shown = [text for _name, text in settings] if not trial.masked else [""] * len(settings)
    lines = zip(arm_counts(trial), shown, strict=True)
    return TrialPlan(
        arms=tuple(ArmLine(count, text) for count, text in lines),
        settings=tuple(settings) if trial.masked else (),
        phases=_phases(trial),
        seal=seal_of(trial),
        seed=seed_of(trial.seed) if seed_told(trial) and design.arms else "",
    )


def _phases(trial: Trial) -> str:
    facts = {
        "before": trial.games_before,
        "training": trial.games_each,
        "after": trial.games_after,
        "follow_up": trial.games_follow_up,
    }
    text = (
        "Games of each: %(before)s before, %(training)s in training, %(after)s afterwards,"
        " %(follow_up)s in the follow-up."
    )
    if not trial.games_follow_up:
        return text % facts
    return f"{text % facts} {_later(trial.follow_up_days)}"


def _later(days: int) -> str:
    return (
        f"The follow-up comes {days} day later at the earliest."
        if days == 1
        else f"The follow-up comes {days} days later at the earliest."
    )
