"""Starts a game: determines its dice and makes the first roll. After an error, nothing changes."""

from dataclasses import replace
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from game.core.access import check_may_play
from game.core.accounts import create_player, store_settings
from game.core.coach_lock import find_closing_trial
from game.core.fair import blocks, tickets
from game.core.game_queries import Played, game_begun, replay_game
from game.core.kind import StartedKind, Wish, find_kind, load_started_kinds
from game.core.playing import append_decision, record_moment
from game.core.refusals import NoSuchRules, NotUnderstood, Refused
from game.core.spent_tickets import is_spent
from game.models import Game, Player
from solver.rules import PLAYED, Hold, start_state


class PlayedBefore(Refused):
    def __init__(self) -> None:
        super().__init__(_("You have already played on these dice. Here is a new card."))


def start_game(
    *,
    player: Player | None,
    mode: str,
    nonce: str = "",
    ruleset: str = "",
    coach: str = "",
    **more: Any,
) -> Played:
    """Begin a game, or return the game if an equal request has already begun it. A visitor becomes
    a player. ``nonce`` is the random text in the page's one-time token. Without ``ruleset`` or
    ``coach``, use the player's settings. ``more`` has the other settings of this kind of game."""
    check_may_play(player)
    kind = load_started_kinds().get(mode)
    if kind is None:
        raise NotUnderstood
    if ruleset and ruleset not in PLAYED:
        raise NoSuchRules
    wish = Wish(ruleset, coach, more=more)
    kind.check(wish)
    if not kind.needs_ticket(player, wish):
        with transaction.atomic():
            return _begin(kind, _lock_player(player), wish)
    try:
        wish = replace(wish, nonce=tickets.redeem(nonce).nonce)
    except tickets.BadTicket as error:
        raise Refused(_("You opened this card too long ago. Here is a new card.")) from error
    try:
        with transaction.atomic():
            owner = _lock_player(player)
            if earlier := game_begun(wish.nonce):  # another request sent the same ticket
                return _find_begun_game(earlier, player)
            begun = _begin(kind, owner, wish)
            # Check this last: a game of this ticket could begin and be deleted in the meantime.
            if is_spent(wish.nonce):
                raise PlayedBefore
            return begun
    except IntegrityError as error:
        earlier = game_begun(wish.nonce)
        if earlier is None:  # the game was deleted in the meantime
            raise PlayedBefore from error
        return _find_begun_game(earlier, player)


def _begin(kind: type[StartedKind], owner: Player | None, wish: Wish) -> Played:
    """Begin the game that this kind makes for this wish, or return the stored game that it names.

    Use and store the coach level that the page sent, or else use the player's setting. While a
    trial closes the coach, use OFF, but keep the player's setting."""
    game = kind.card(owner, wish)
    if not game._state.adding:
        return replay_game(game)
    if kind.wishes_coach and find_closing_trial() is not None:
        game.coach = Game.Coach.OFF
    elif kind.wishes_coach:
        settings = owner or Player()
        game.coach, game.coach_threshold = settings.coach, settings.coach_threshold
        if wish.coach and wish.coach != game.coach:
            game.coach = wish.coach
            if owner is not None:
                store_settings(player=owner, coach=wish.coach)
    return save_and_roll(owner, game)


def _find_begun_game(game: Game, player: Player | None) -> Played:
    """Return the game that began with this ticket. The second request of a double click may not
    have the cookie that the first response sets."""
    played = replay_game(game)
    mine = player is not None and game.player_id == player.pk
    just_begun = player is None and game.player.user_id is None and len(played.actions) <= 1
    if not mine and not just_begun:
        raise PlayedBefore
    return played


def save_and_roll(owner: Player | None, game: Game) -> Played:
    """Save the new game, and make its first roll if its kind does so. The player makes the first
    roll of real dice, or of dice from an earlier game."""
    coach = game.coach if find_kind(game).wishes_coach else ""
    game.player = owner or create_player(coach=coach, ruleset=game.ruleset)
    sealed = game.key or game.seed
    game.commitment = blocks.hash_seed(sealed) if sealed else ""
    game.started_at = record_moment(game.pk)
    game.save(force_insert=True)
    fresh = Played(game, (), start_state(game.rules), game.started_at)
    if game.real_dice or not find_kind(game).thrown:
        return fresh
    return append_decision(played=fresh, action=Hold(0))


def _lock_player(player: Player | None) -> Player | None:
    """Lock the player, so that the second of two simultaneous starts finds the first game."""
    if player is None:
        return None
    return Player.objects.select_for_update().filter(pk=player.pk).first()
