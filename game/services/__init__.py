"""What changes the database."""

from game.services.accounts import (
    day_seen,
    player_configure,
    player_create,
    player_delete,
    player_of_user,
    player_take_over,
)
from game.services.drilling import drill_attempt, five_answer
from game.services.duel_bots import bot_move
from game.services.duel_ends import (
    NoSuchDuel,
    NotAtTheTable,
    duel_call_off,
    duel_claim,
    duel_leave,
    duel_settle,
)
from game.services.duels import duel_create, duel_join, duel_rematch
from game.services.forgetting import players_forget, players_idle
from game.services.judging import (
    game_judge,
    game_judged,
    games_judge,
    games_judge_later,
    games_judge_of_player,
    games_to_judge,
)
from game.services.keeping import (
    NoSuchList,
    list_delete,
    list_rename,
    position_keep,
    position_remove,
)
from game.services.nicknames import nickname_allow, nickname_remove, player_nickname
from game.services.offline import SentGame, game_hand_in
from game.services.parties import NoSuchParty, TableGuest, party_begin
from game.services.playing import (
    decision_record,
    game_abandon,
    game_hint,
    game_hold,
    game_score,
)
from game.services.recovery import NotRecovered, account_recover, recovery_make
from game.services.refusals import (
    AskFirst,
    GameIsOver,
    IllegalMove,
    InTrial,
    NoSuchGame,
    NoSuchRules,
    NoTable,
    NotUnderstood,
    NotYours,
    Refused,
    StaleAction,
)
from game.services.reminders import (
    UnknownPushService,
    reminder_gone,
    reminder_keep,
    reminder_stop,
    reminders_due,
)
from game.services.starting import game_start
from game.services.throwing import throw_enter

__all__ = [
    "AskFirst",
    "GameIsOver",
    "IllegalMove",
    "InTrial",
    "NoSuchDuel",
    "NoSuchGame",
    "NoSuchList",
    "NoSuchParty",
    "NoSuchRules",
    "NoTable",
    "NotAtTheTable",
    "NotRecovered",
    "NotUnderstood",
    "NotYours",
    "Refused",
    "SentGame",
    "StaleAction",
    "TableGuest",
    "UnknownPushService",
    "account_recover",
    "bot_move",
    "day_seen",
    "decision_record",
    "drill_attempt",
    "duel_call_off",
    "duel_claim",
    "duel_create",
    "duel_join",
    "duel_leave",
    "duel_rematch",
    "duel_settle",
    "five_answer",
    "game_abandon",
    "game_hand_in",
    "game_hint",
    "game_hold",
    "game_judge",
    "game_judged",
    "game_score",
    "game_start",
    "games_judge",
    "games_judge_later",
    "games_judge_of_player",
    "games_to_judge",
    "list_delete",
    "list_rename",
    "nickname_allow",
    "nickname_remove",
    "party_begin",
    "player_configure",
    "player_create",
    "player_delete",
    "player_nickname",
    "player_of_user",
    "player_take_over",
    "players_forget",
    "players_idle",
    "position_keep",
    "position_remove",
    "recovery_make",
    "reminder_gone",
    "reminder_keep",
    "reminder_stop",
    "reminders_due",
    "throw_enter",
]
