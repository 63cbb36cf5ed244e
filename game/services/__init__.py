"""What changes the database."""

from game.services.accounts import (
    player_configure,
    player_create,
    player_delete,
    player_of_user,
    player_take_over,
)
from game.services.drilling import drill_attempt, five_answer
from game.services.duel_bots import bot_move
from game.services.duels import (
    NoSuchDuel,
    NotAtTheTable,
    duel_create,
    duel_join,
    duel_leave,
    duel_rematch,
    duel_settle,
)
from game.services.judging import (
    game_judge,
    games_judge,
    games_judge_later,
    games_judge_of_player,
)
from game.services.nicknames import nickname_allow, nickname_remove, player_nickname
from game.services.participating import (
    participant_agree,
    participant_answer,
    participant_bind,
    participant_link_issue,
    participant_link_revoke,
    participant_release,
    participant_withdraw,
    trial_game_start,
)
from game.services.playing import (
    decision_record,
    game_abandon,
    game_hint,
    game_hold,
    game_score,
)
from game.services.preregistering import preregistration_lock, preregistration_save
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
from game.services.starting import game_start
from game.services.throwing import throw_enter
from game.services.trial_presence import (
    participant_here,
    participant_left,
    participant_page,
    review_seen,
)
from game.services.trials import (
    trial_close,
    trial_configure,
    trial_create,
    trial_delete,
    trial_has_begun,
    trial_open,
)

__all__ = [
    "AskFirst",
    "GameIsOver",
    "IllegalMove",
    "InTrial",
    "NoSuchDuel",
    "NoSuchGame",
    "NoSuchRules",
    "NoTable",
    "NotAtTheTable",
    "NotRecovered",
    "NotUnderstood",
    "NotYours",
    "Refused",
    "StaleAction",
    "account_recover",
    "bot_move",
    "decision_record",
    "drill_attempt",
    "duel_create",
    "duel_join",
    "duel_leave",
    "duel_rematch",
    "duel_settle",
    "five_answer",
    "game_abandon",
    "game_hint",
    "game_hold",
    "game_judge",
    "game_score",
    "game_start",
    "games_judge",
    "games_judge_later",
    "games_judge_of_player",
    "nickname_allow",
    "nickname_remove",
    "participant_agree",
    "participant_answer",
    "participant_bind",
    "participant_here",
    "participant_left",
    "participant_link_issue",
    "participant_link_revoke",
    "participant_page",
    "participant_release",
    "participant_withdraw",
    "player_configure",
    "player_create",
    "player_delete",
    "player_nickname",
    "player_of_user",
    "player_take_over",
    "preregistration_lock",
    "preregistration_save",
    "recovery_make",
    "review_seen",
    "throw_enter",
    "trial_close",
    "trial_configure",
    "trial_create",
    "trial_delete",
    "trial_game_start",
    "trial_has_begun",
    "trial_open",
]
