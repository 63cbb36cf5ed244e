"""What changes the database."""

from game.services.accounts import (
    player_configure,
    player_create,
    player_delete,
    player_of_user,
    player_take_over,
)
from game.services.drilling import drill_attempt
from game.services.playing import (
    decision_record,
    game_abandon,
    game_hint,
    game_hold,
    game_score,
)
from game.services.refusals import (
    AskFirst,
    GameIsOver,
    IllegalMove,
    NoSuchGame,
    NoTable,
    NotUnderstood,
    NotYours,
    Refused,
    StaleAction,
)
from game.services.starting import game_start

__all__ = [
    "AskFirst",
    "GameIsOver",
    "IllegalMove",
    "NoSuchGame",
    "NoTable",
    "NotUnderstood",
    "NotYours",
    "Refused",
    "StaleAction",
    "decision_record",
    "drill_attempt",
    "game_abandon",
    "game_hint",
    "game_hold",
    "game_score",
    "game_start",
    "player_configure",
    "player_create",
    "player_delete",
    "player_of_user",
    "player_take_over",
]
