"""Decisions of a running game, and the end of it."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from game import blocks, labels, sentences
from game.board import offers
from game.models import Decision, Game, Player
from game.selectors import Played, game_played, games
from game.services.events import announce
from game.services.refusals import AskFirst, GameIsOver, IllegalMove, NotYours, StaleAction
from solver.rules import Action, Hold, IllegalAction, Score, State, play

LONGEST = 2**31 - 1  # what the column holds: 24 days


def game_hold(*, game_id: str, player: Player | None, seq: int, slots: int) -> Played:
    """Keep these slots (a bit mask) and throw the others."""
    return decision_record(game_id=game_id, player=player, seq=seq, action=Hold(slots))


def game_score(
    *, game_id: str, player: Player | None, seq: int, category: str, confirmed: bool = False
) -> Played:
    """Fill a box. A costly choice is asked about first where the player wants that."""
    ask = player is not None and player.confirm_costly and not confirmed
    action = Score(category)
    return decision_record(game_id=game_id, player=player, seq=seq, action=action, ask=ask)


def decision_record(
    *, game_id: str, player: Player | None, seq: int, action: Action, ask: bool = False
) -> Played:
    """The one place where a decision is checked, stored and counted.

    A repetition of what is stored at ``seq`` changes nothing and is answered with the game as it
    stands; anything else that does not come next is stale. The lock lets one request at a time
    through, and the unique constraint holds even without it.
    """
    try:
        with transaction.atomic():
            game = _game_lock(game_id, player)
            played = game_played(game)
            if _is_repeat(played, seq, action):
                return played
            return _advance(played, seq, action, ask)
    except IntegrityError as error:
        raise StaleAction from error


def game_abandon(*, game_id: str, player: Player | None, seq: int | None = None) -> Played:
    """End a game without a score; it stays in the history and counts nowhere."""
    with transaction.atomic():
        played = game_played(_game_lock(game_id, player))
        if played.game.abandoned_at is not None:
            return played
        if played.game.over:
            raise GameIsOver
        if seq is not None and seq != len(played.actions):
            raise StaleAction
        played.game.abandoned_at = timezone.now()
        played.game.save(update_fields=["abandoned_at"])
        announce(game_id)
        return played


def decision_append(*, played: Played, action: Action) -> Played:
    """Store the next decision of a locked game; the rules have the last word."""
    game, before = played.game, played.state
    try:
        after = play(before, action, blocks.block(game.seed))
    except IllegalAction as error:
        raise IllegalMove(sentences.refusal(before, action)) from error
    now = timezone.now()
    Decision.objects.create(
        game=game,
        seq=len(played.actions),
        turn=before.turn,
        roll=before.rules.throws - before.throws_left,
        hold=action.slots if isinstance(action, Hold) else None,
        category=action.category if isinstance(action, Score) else "",
        milliseconds=_milliseconds(played.last_at, now),
        created_at=now,
    )
    if after.finished:
        _finish(game, after, now)
    announce(game.pk)
    return Played(game, (*played.actions, action), after, now)


def _advance(played: Played, seq: int, action: Action, ask: bool) -> Played:
    if seq != len(played.actions):
        raise StaleAction
    if played.game.over:
        raise GameIsOver
    if ask and isinstance(action, Score):
        _ask_if_costly(played.state, action.category)
    return decision_append(played=played, action=action)


def _ask_if_costly(state: State, category: str) -> None:
    """Costly without asking a solver: nothing here, while another open box would score."""
    offered = offers(state)
    number = state.rules.index.get(category)
    if number is not None and offered.get(number) == 0 and any(offered.values()):
        name = labels.category_name(state.rules.categories[number])
        raise AskFirst(sentences.costly(name), category)


def _is_repeat(played: Played, seq: int, action: Action) -> bool:
    return 0 <= seq < len(played.actions) and played.actions[seq] == action


def _game_lock(game_id: str, player: Player | None) -> Game:
    game = games().select_for_update(of=("self",)).get(pk=game_id)
    if player is None or game.player_id != player.pk:
        raise NotYours
    return game


def _finish(game: Game, state: State, now: datetime) -> None:
    game.finished_at = now
    game.final_score = state.total
    game.bonus = state.bonus
    game.save(update_fields=["finished_at", "final_score", "bonus"])


def _milliseconds(since: datetime, now: datetime) -> int:
    return min(max(0, round((now - since).total_seconds() * 1000)), LONGEST)
