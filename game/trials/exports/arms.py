"""The small tables of an export: arms, the flow from the link to the analysis, and events."""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from game.models import Coach
from game.trials.files.export_table import ExportTable, declare_table
from game.trials.models import Arm, Trial, TrialEvent
from game.trials.results.flow import STEPS, FlowStep, build_flow
from solver.rules import PLAYED


class ExportedArm(NamedTuple):
    """An arm with its numbers of people. If the arm does not set a value, ``trial`` has it."""

    arm: Arm
    trial: Trial
    given: int
    withdrawn: int


ARMS: ExportTable[ExportedArm] = declare_table(
    "arms",
    "One row per arm, with the settings that applied to its participants.",
    {
        "arm": lambda row: row.arm.name,
        "position": lambda row: row.arm.position,
        "coach": lambda row: row.arm.coach,
        "offered_points": lambda row: row.arm.offered_points,
        "drill": lambda row: row.arm.drill,
        "ruleset": lambda row: row.arm.ruleset or row.trial.ruleset,
        "dice": lambda row: row.arm.dice or row.trial.dice,
        "shared_dice": lambda row: _get_effective_setting(
            row.arm.shared_dice, row.trial.shared_dice
        ),
        "games_training": lambda row: _get_effective_setting(
            row.arm.games_each, row.trial.games_each
        ),
        "given": lambda row: row.given,
        "withdrawn": lambda row: row.withdrawn,
    },
    coaches="; ".join(Coach.values),
    rulesets="; ".join(PLAYED),
)


def yield_arms(trial: Trial, at: datetime) -> Iterator[ExportedArm]:
    for arm in trial.arms.order_by("position"):
        given = arm.participants.filter(assigned_at__lte=at)
        withdrawn = given.filter(withdrawn_at__lte=at)
        yield ExportedArm(arm, trial, given.count(), withdrawn.count())


def _get_effective_setting(its_own: int | None, of_the_trial: int) -> int:
    return of_the_trial if its_own is None else its_own


FLOW: ExportTable[tuple[str, FlowStep]] = declare_table(
    "flow",
    "One row per step through the trial, as in the CONSORT 2025 flow diagram. Steps before the"
    " consent count browsers that ran scripts. People who withdrew are counted.",
    {
        "arm": lambda row: row[0] or None,
        "step": lambda row: row[1].step,
        "people": lambda row: row[1].people,
    },
    steps="; ".join(STEPS),
)


def yield_flow_steps(trial: Trial, at: datetime) -> Iterator[tuple[str, FlowStep]]:
    return build_flow(trial, at).rows()


EVENTS: ExportTable[TrialEvent] = declare_table(
    "events",
    "One row per event, in order of time: the trial was opened or changed; a participant left or"
    " came back, hid the page or showed it again, or continued in another browser.",
    {
        "participant": lambda row: row.participant.label if row.participant else None,
        "event": lambda row: row.kind,
        "at": lambda row: row.at,
        "detail": lambda row: _as_json(row.detail),
    },
)


def _as_json(detail: object) -> str | None:
    return json.dumps(detail, ensure_ascii=False, sort_keys=True) if detail else None
