"""The arms of a trial as a table, and what the other tables tell of them."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from game.exports.tables import Column, ExportTable, Row
from game.models import Arm, Coach, Participant, Trial
from solver.rules import RULESETS

ARMS = ExportTable(
    "arms",
    "A row an arm: what was in force for those to whom it was given.",
    (
        Column("arm", "text", "Its name."),
        Column("position", "whole", "Its place among the arms of the trial, from 1."),
        Column("coach", "text", "Coach in its training.", values="; ".join(Coach.values)),
        Column("offered_points", "truth", "Whether the card told what the dice would score."),
        Column("drill", "truth", "Whether the drill was open between the games of its training."),
        Column("ruleset", "text", "Rules that were played by.", values="; ".join(RULESETS)),
        Column("dice", "text", "Virtual or real dice.", values="virtual; real"),
        Column("shared_dice", "truth", "Whether the dice were the same for everyone."),
        Column("games_training", "whole", "Games of its training.", unit="games"),
        Column("given", "whole", "Participants to whom it was given, in all.", unit="people"),
        Column("withdrawn", "whole", "Those of them who have withdrawn since.", unit="people"),
    ),
)


def arm_rows(trial: Trial, at: datetime) -> Iterator[Row]:
    for arm in trial.arms.order_by("position"):
        given = arm.participants.filter(assigned_at__lte=at)
        yield (
            arm.name,
            arm.position,
            arm.coach,
            arm.offered_points,
            arm.drill,
            arm.ruleset or trial.ruleset,
            arm.dice or trial.dice,
            _shared(trial, arm),
            trial.games_each if arm.games_each is None else arm.games_each,
            given.count(),
            given.filter(withdrawn_at__lte=at).count(),
        )


def _shared(trial: Trial, arm: Arm) -> bool:
    return trial.shared_dice if arm.shared_dice is None else arm.shared_dice


def arm_names(trial: Trial) -> list[str]:
    return [arm.name for arm in trial.arms.order_by("position")]


def assigned(one: Participant, names: Sequence[str], at: datetime) -> Row:
    """What was given by then, and the games that follow from it."""
    if one.assigned_at is None or one.assigned_at > at:
        return (None, None, None, None, None, one.trial.games_planned)
    order = [names[position] for position in one.order]
    stratum = one.stratum or None
    return order[0], " ".join(order), stratum, one.draw, one.assigned_at, one.games_planned
