"""Columns that several tables of a trial share, and what a row must have to stand in them."""

from typing import Protocol

from game.models import Game, Participant
from game.trials.files.export_table import Column
from solver.rules import PLAYED


class OfParticipant(Protocol):
    @property
    def participant(self) -> Participant | None: ...


class OfGame(Protocol):
    @property
    def game(self) -> Game: ...

    @property
    def ended(self) -> bool: ...


PARTICIPANT: Column[OfParticipant] = Column(
    "participant",
    "text",
    "Label of the participant within the trial: P01, P02.",
    lambda row: row.participant.label if row.participant else None,
)
GAME: Column[OfGame] = Column(
    "game",
    "whole",
    "Which of the participant's games, in the order of play, from 1.",
    lambda row: row.game.trial_number,
)
GAME_ID: Column[OfGame] = Column(
    "game_id",
    "text",
    "Names the game within the server that it was played on.",
    lambda row: row.game.pk,
)
RULES: Column[OfGame] = Column(
    "ruleset",
    "text",
    "Rules that were played by; their hash is in the description.",
    lambda row: row.game.ruleset,
    values="; ".join(PLAYED),
)
FINISHED: Column[OfGame] = Column(
    "finished", "truth", "Whether the game was played to its end.", lambda row: row.ended
)
UNFINISHED = "the game was not finished"
NO_TABLE = "the server had no table of values when it was played"
