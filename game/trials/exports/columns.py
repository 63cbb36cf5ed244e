"""Functions for cells that several tables share, and protocols for the rows they read."""

from typing import Protocol

from game.models import Game
from game.trials.models import Participant


class OfParticipant(Protocol):
    @property
    def participant(self) -> Participant | None: ...


class OfGame(Protocol):
    @property
    def game(self) -> Game: ...


def read_participant_label(row: OfParticipant) -> str | None:
    return row.participant.label if row.participant else None


def read_game_number(row: OfGame) -> int:
    return row.game.trial_game.number


def read_game_key(row: OfGame) -> str:
    return row.game.pk


def read_game_rules(row: OfGame) -> str:
    return row.game.ruleset
