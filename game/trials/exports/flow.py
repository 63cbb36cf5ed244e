"""How many people came through the steps of a trial, as a table."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from game.exports.tables import Column, ExportTable
from game.models import Trial
from game.trials.results.flow import STEPS, flow_of


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
