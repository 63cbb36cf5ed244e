"""The games of a trial as a table."""

from collections.abc import Callable
from typing import NamedTuple

from game.models import Game, Participant, Trial
from game.trials.exports.columns import (
    FINISHED,
    GAME,
    GAME_ID,
    NO_TABLE,
    PARTICIPANT,
    RULES,
    UNFINISHED,
)
from game.trials.files.export_table import Cell, Column, ExportTable


class ExportedGame(NamedTuple):
    """As it stood at the moment of the export."""

    game: Game
    ended: bool
    trial_closed: bool

    @property
    def participant(self) -> Participant | None:
        return self.game.participant


def _ended(get: Callable[[Game], Cell]) -> Callable[[ExportedGame], Cell]:
    """What a game came to is told of those alone that came to an end."""
    return lambda row: get(row.game) if row.ended else None


GAMES: ExportTable[ExportedGame] = ExportTable(
    "games",
    "A row a game. One that was not finished has no score, and none of the results counts it.",
    (
        PARTICIPANT,
        GAME,
        GAME_ID,
        Column(
            "arm",
            "text",
            "Arm that had a say in this game.",
            lambda row: row.game.arm.name if row.game.arm else None,
            empty="none had: no arms, or a silent game of somebody who plays all of them",
        ),
        Column(
            "phase",
            "text",
            "Phase of the trial. An arm's coach, drill and card are in force in training alone.",
            lambda row: row.game.phase or None,
            values="; ".join(Game.Phase.values),
            empty="the trial has no phases",
        ),
        RULES,
        Column(
            "dice",
            "text",
            "Virtual dice of the server, or real dice that were typed in after each throw.",
            lambda row: (Trial.Dice.REAL if row.game.real_dice else Trial.Dice.VIRTUAL).value,
            values="virtual; real",
        ),
        FINISHED,
        Column(
            "started_at", "time", "When the card was laid out.", lambda row: row.game.started_at
        ),
        Column(
            "finished_at",
            "time",
            "When the last box was filled.",
            _ended(lambda game: game.finished_at),
            empty=UNFINISHED,
        ),
        Column(
            "score",
            "whole",
            "Final score, the upper bonus and bonus chips included.",
            _ended(lambda game: game.final_score),
            unit="points",
            empty=UNFINISHED,
        ),
        Column(
            "bonus",
            "whole",
            "The upper bonus that is part of the score.",
            _ended(lambda game: game.bonus),
            unit="points",
            empty=UNFINISHED,
        ),
        Column(
            "chips",
            "whole",
            "The bonus chips that are part of the score; 0 where the rules have none.",
            _ended(lambda game: game.chips or 0),
            unit="points",
            empty=UNFINISHED,
        ),
        Column(
            "regret",
            "number",
            "What the decisions cost, compared with perfect play: the sum over the game. Always"
            " score = value_start + luck - regret, value_start being in the description.",
            _ended(lambda game: game.regret),
            unit="points",
            empty=f"{UNFINISHED}, or {NO_TABLE}",
        ),
        Column(
            "luck",
            "number",
            "What the throws brought beyond their expectation: the sum over the game.",
            _ended(lambda game: game.luck),
            unit="points",
            empty=f"{UNFINISHED}, or {NO_TABLE}",
        ),
        Column(
            "free_decisions",
            "whole",
            "Judged decisions in which there was something to choose.",
            _ended(lambda game: game.free_decisions),
            unit="decisions",
            empty=f"{UNFINISHED}, or {NO_TABLE}",
        ),
        Column(
            "hints",
            "whole",
            "How often the coach was asked for a hint.",
            lambda row: row.game.hints,
            unit="hints",
        ),
        Column(
            "commitment",
            "text",
            "SHA-256 of the seed, in hexadecimal digits, shown before the first throw.",
            lambda row: row.game.commitment or None,
            empty="the dice were real",
        ),
        Column(
            "seed",
            "text",
            "Seed of the dice, in hexadecimal digits; games with the same seed had the same dice.",
            lambda row: row.game.seed or None if row.trial_closed else None,
            empty="the trial is not closed yet, or the dice were real",
        ),
    ),
)
