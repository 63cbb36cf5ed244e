"""Arms, the flow from the link to the analysis, and events: the small tables of an export."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from game.models import Arm, Coach, Trial, TrialEvent
from game.trials.exports.columns import PARTICIPANT
from game.trials.files.export_table import Column, ExportTable
from game.trials.results.flow import STEPS, flow_of
from solver.rules import PLAYED


class ExportedArm(NamedTuple):
    """What it does not set is as in its trial."""

    arm: Arm
    trial: Trial
    given: int
    withdrawn: int


ARMS: ExportTable[ExportedArm] = ExportTable(
    "arms",
    "A row an arm: what was in force for those to whom it was given.",
    (
        Column("arm", "text", "Its name.", lambda row: row.arm.name),
        Column(
            "position",
            "whole",
            "Its place among the arms of the trial, from 1.",
            lambda row: row.arm.position,
        ),
        Column(
            "coach",
            "text",
            "Coach in its training.",
            lambda row: row.arm.coach,
            values="; ".join(Coach.values),
        ),
        Column(
            "offered_points",
            "truth",
            "Whether the card told what the dice would score.",
            lambda row: row.arm.offered_points,
        ),
        Column(
            "drill",
            "truth",
            "Whether the drill was open between the games of its training.",
            lambda row: row.arm.drill,
        ),
        Column(
            "ruleset",
            "text",
            "Rules that were played by.",
            lambda row: row.arm.ruleset or row.trial.ruleset,
            values="; ".join(PLAYED),
        ),
        Column(
            "dice",
            "text",
            "Virtual or real dice.",
            lambda row: row.arm.dice or row.trial.dice,
            values="virtual; real",
        ),
        Column(
            "shared_dice",
            "truth",
            "Whether the dice were the same for everyone.",
            lambda row: _set(row.arm.shared_dice, row.trial.shared_dice),
        ),
        Column(
            "games_training",
            "whole",
            "Games of its training.",
            lambda row: _set(row.arm.games_each, row.trial.games_each),
            unit="games",
        ),
        Column(
            "given",
            "whole",
            "Participants to whom it was given, in all.",
            lambda row: row.given,
            unit="people",
        ),
        Column(
            "withdrawn",
            "whole",
            "Those of them who have withdrawn since.",
            lambda row: row.withdrawn,
            unit="people",
        ),
    ),
)


def arms(trial: Trial, at: datetime) -> Iterator[ExportedArm]:
    for arm in trial.arms.order_by("position"):
        given = arm.participants.filter(assigned_at__lte=at)
        withdrawn = given.filter(withdrawn_at__lte=at)
        yield ExportedArm(arm, trial, given.count(), withdrawn.count())


def _set(its_own: int | None, of_the_trial: int) -> int:
    return of_the_trial if its_own is None else its_own


class ExportedStep(NamedTuple):
    arm: str
    step: str
    people: int


FLOW: ExportTable[ExportedStep] = ExportTable(
    "flow",
    "A row a step on the way through the trial, as the flow of CONSORT 2025 counts them. Those"
    " before the consent are numbers of browsers that ran scripts; whoever withdrew is counted.",
    (
        Column(
            "arm",
            "text",
            "Arm that was given; where everybody plays every arm, their order.",
            lambda row: row.arm or None,
            empty="the step is before the lot, or there is none",
        ),
        Column(
            "step",
            "text",
            "What was come to, or why not further. Of those without an arm yet: on_the_way.",
            lambda row: row.step,
            values="; ".join(STEPS),
        ),
        Column("people", "whole", "How many.", lambda row: row.people, unit="people"),
    ),
)


def steps_counted(trial: Trial, at: datetime) -> Iterator[ExportedStep]:
    for arm, (step, people) in flow_of(trial, at).rows():
        yield ExportedStep(arm, step, people)


EVENTS: ExportTable[TrialEvent] = ExportTable(
    "events",
    "A row an event, in the order of time: the trial was opened or changed; a participant left or"
    " came back, hid the page or showed it again, or went on in another browser.",
    (
        replace(PARTICIPANT, empty="it concerns the whole trial"),
        Column(
            "event",
            "text",
            "What happened.",
            lambda row: row.kind,
            values="of the trial: opened; closed; reopened; settings; preregistered; unmasked;"
            " looked; role_given; role_taken; superuser; same_label. Of a participant: entered;"
            " left; returned; device; arrived; shared; code_refused; taken_back; hidden; shown;"
            " reviewed; link_revoked; link_issued",
        ),
        Column("at", "time", "When, by the server's clock.", lambda row: row.at),
        Column(
            "detail",
            "text",
            "More about it, as JSON. Of a browser: by which way it was entered (link, code, signed,"
            " label) and of what kind it is; of other labels: their names.",
            lambda row: _as_json(row.detail),
            empty="there is nothing more to tell",
        ),
    ),
)


def _as_json(detail: object) -> str | None:
    return json.dumps(detail, ensure_ascii=False, sort_keys=True) if detail else None
