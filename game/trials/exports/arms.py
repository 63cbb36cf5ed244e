"""The arms of a trial as a table."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from game.exports.tables import Column, ExportTable
from game.models import Arm, Coach, Trial
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
