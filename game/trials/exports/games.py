"""The table of a trial's games."""

from collections.abc import Callable
from typing import NamedTuple

from game.models import Game
from game.trials.files.export_table import Cell, ExportTable, declare_table
from game.trials.models import Participant, Trial, TrialGame
from solver.rules import PLAYED


class ExportedGame(NamedTuple):
    game: Game
    ended: bool
    trial_closed: bool
    sitting: int | None

    @property
    def participant(self) -> Participant:
        return self.game.trial_game.participant


def _blank_unless_finished(get: Callable[[Game], Cell]) -> Callable[[ExportedGame], Cell]:
    """Return a function like ``get`` that returns None for an unfinished game: an empty cell."""
    return lambda row: get(row.game) if row.ended else None


GAMES: ExportTable[ExportedGame] = declare_table(
    "games",
    "One row per game. An unfinished game has no score, and no result counts it.",
    {
        "participant": lambda row: row.participant.label,
        "game": lambda row: row.game.trial_game.number,
        "game_id": lambda row: row.game.pk,
        "arm": lambda row: row.game.trial_game.arm.name if row.game.trial_game.arm else None,
        "phase": lambda row: row.game.trial_game.phase or None,
        "ruleset": lambda row: row.game.ruleset,
        "dice": lambda row: (Trial.Dice.REAL if row.game.real_dice else Trial.Dice.VIRTUAL).value,
        "finished": lambda row: row.ended,
        "started_at": lambda row: row.game.started_at,
        "finished_at": _blank_unless_finished(lambda game: game.finished_at),
        "score": _blank_unless_finished(lambda game: game.final_score),
        "bonus": _blank_unless_finished(lambda game: game.bonus),
        "chips": _blank_unless_finished(lambda game: game.chips or 0),
        "regret": _blank_unless_finished(lambda game: game.regret),
        "luck": _blank_unless_finished(lambda game: game.luck),
        "free_decisions": _blank_unless_finished(lambda game: game.free_decisions),
        "hints": lambda row: row.game.hints,
        "commitment": lambda row: row.game.commitment or None,
        "seed": lambda row: row.game.seed or None if row.trial_closed else None,
        "sitting": lambda row: row.sitting,
    },
    phases="; ".join(TrialGame.Phase.values),
    rulesets="; ".join(PLAYED),
)
