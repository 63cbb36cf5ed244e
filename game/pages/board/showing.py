"""Builds the board of a game for one viewer from the database."""

from collections.abc import Collection
from dataclasses import replace
from statistics import fmean
from typing import TypedDict, Unpack

from game.coach.panel import find_player_grade, make_panel
from game.coach.waiting import find_awaited_part
from game.core.access import has_coach, hides_advice_from, may_show_costs
from game.core.coach_lock import explain_coach_lock
from game.core.counting import is_counted
from game.core.fair import tickets
from game.core.game_queries import Played, find_daily_rank, is_first, list_scores, replay_game
from game.core.kind import find_kind
from game.core.profile_queries import MIDDLE
from game.core.worth.tables import find_value_start
from game.models import Game, Player
from game.pages.board.board import Board
from game.pages.board.challenge import find_rivals
from game.pages.board.ending import (
    Ending,
    Result,
    add_better_moves,
    build_ending,
    find_skill_change,
)
from game.pages.board.sharing import Shared, make_shared
from game.pages.board.target import make_target_line
from game.pages.daily.daily_board import DayEnd, make_day_end
from game.pages.daily.daily_queries import read_player_days
from solver.rules import Action, Ruleset, start_state
from solver.tables import VALUES


def make_new_board(
    player: Player | None,
    *,
    rules: Ruleset | None = None,
    coach: str = "",
    number: str = "",
    message: str = "",
    newcomer: bool = False,
) -> Board:
    """Return the board of a game that has not begun; the server stores it at its first roll.
    Without ``rules`` or ``coach``, use the player's settings or the defaults."""
    player_or_new = player or Player()
    state = start_state(rules or player_or_new.rules)
    closed = explain_coach_lock()
    return Board(
        state,
        ticket=tickets.issue(),
        player=player,
        may_act=True,
        level=Game.Coach.OFF.value if closed else coach or player_or_new.coach,
        closed=closed,
        number=number,
        message=message,
        newcomer=newcomer and (player is None or not Game.objects.filter(player=player).exists()),
    )


class BoardNotes(TypedDict, total=False):
    held: Collection[int] | None
    message: str
    doubted: Action | None
    typed: str


def make_played_board(
    played: Played,
    *,
    viewer: Player | None,
    newcomer: bool = False,
    hint: bool = False,
    coach_asks: bool = False,
    **notes: Unpack[BoardNotes],
) -> Board:
    """Return the board of a game for ``viewer``. Only its owner sees coach, costs and target."""
    game = played.game
    owner = viewer is not None and game.player_id == viewer.pk
    return Board(
        played.state,
        actions=played.actions,
        game=game,
        may_act=owner,
        **notes,
        **(_build_end(played, owner=owner) if game.finished_at else {}),
        tried=find_rivals(game) if owner and game.finished_at else None,
        waits="" if game.over or not owner else find_kind(game).waits,
        coach=make_panel(played, with_hint=hint, asking=coach_asks)
        if owner and has_coach(game)
        else None,
        target=make_target_line(played) if owner and game.target is not None else None,
        entries=played.entries,
        can_take_back=bool(played.actions) and find_kind(game).can_take_back(played.actions),
        earlier=played.thrown,
        before=played.last.state.dice if played.last else (),
        newcomer=newcomer
        and game.coach != Game.Coach.LIVE
        and not played.state.turn
        and is_first(game),
    )


def make_game_board(game: Game, *, viewer: Player | None, message: str = "") -> Board:
    return make_played_board(replay_game(game), viewer=viewer, message=message)


class Over(TypedDict, total=False):
    result: Result
    ending: Ending
    day_end: DayEnd | None
    shared: Shared | None


def _build_end(played: Played, *, owner: bool) -> Over:
    """Return what the end of the game shows. Only the owner sees costs, not the watchers."""
    game, rank = played.game, find_daily_rank(played.game)
    # A participant must not see the day's results, because they show how other people play.
    tells_day = owner and find_kind(game).ranked and not hides_advice_from(game.player)
    mine = read_player_days(game.player, game.rules) if tells_day else None
    scores = mine.scores if mine else list_scores(game.player, game.rules)
    state, best = played.state, max(scores, default=None)
    result = Result(
        total=state.total,
        bonus=state.bonus,
        is_best=is_counted(played.game) and len(scores) > 1 and state.total == best,
        best=best,
        average=fmean(scores) if scores else None,
        games=len(scores),
        rank=rank.place if rank else None,
        players=rank.players if rank else None,
    )
    moves = played.moves if owner and may_show_costs(game) else ()
    best_of = result.games if result.is_best and owner else None
    counted = scores if moves and is_counted(game) else ()
    grade = find_player_grade(game, find_value_start(game.rules) or 0.0) if moves else MIDDLE
    end = build_ending(game, played.state, moves, best_of=best_of, scores=counted, grade=grade)
    if moves and played.lost is None:
        end = replace(end, waiting=find_awaited_part(game.rules, VALUES))
    if end.account and find_kind(game).personal:
        number = len(scores) + (not is_counted(game))
        end = add_better_moves(replace(end, games=number), game, moves)
        end = end if end.is_early else replace(end, skill=find_skill_change(game))
    shown = make_shared(game, rank, moves, owner=owner)
    day = make_day_end(game, rank, moves, shown, mine) if mine else None
    return {"result": result, "ending": end, "day_end": day, "shared": shown}
