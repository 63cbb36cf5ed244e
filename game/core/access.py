"""Checks who may see a game, its review and its hints. Pages, sockets, the API and services call
these functions; ``game.pages.requests.audiences`` guards the other pages.

The functions raise ``NoSuchGame``, or a ``PermissionDenied`` with the reason. A page then answers
404 or 403; a socket closes with a code for the same error
(``game.pages.sockets.common.turn_into_code``).
"""

from collections.abc import Iterable

from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext as _

from game.core.coach_lock import (
    ClosedByTrial,
    find_closing_trial,
    find_trial_here,
    is_closed_here,
    is_in_trial,
)
from game.core.game_queries import (
    find_contested_positions,
    game_find,
    game_watched,
    normalise_position,
)
from game.core.kind import find_kind
from game.core.refusals import InTrial, NoSuchGame, NotYours
from game.core.studies import get_studies
from game.models import Game, Player
from solver.advice import Position


def is_own(game: Game, player: Player | None) -> bool:
    return player is not None and game.player_id == player.pk


def check_own(game: Game | None, player: Player | None) -> Game:
    """Raise NoSuchGame if ``game`` is None, and NotYours if another player owns the game."""
    if game is None:
        raise NoSuchGame
    if not is_own(game, player):
        raise NotYours
    return game


def find_own_game(game_id: str, player: Player | None) -> Game:
    return check_own(game_find(game_id), player)


def find_shared_game(token: str) -> Game:
    """Return the game that a share link names. The caller decides which parts of it to show."""
    game = game_watched(token)
    if game is None:
        raise NoSuchGame
    return game


def find_watched_game(token: str) -> Game:
    """Return the game that a spectator's link names. Raise an error while other players still have
    to play the same dice."""
    game = find_shared_game(token)
    if withheld := find_kind(game).withheld:
        raise withheld
    return game


class Blinded(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(
            _("You are taking part in a trial. Until it is over, you can open only its pages.")
        )


class CoachIsOff(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(_("The coach is switched off in this game."))


class StillPlaying(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(_("This game is still being played. You can review it when it is over."))


def check_may_play(player: Player | None) -> None:
    """Raise an error for a participant of a trial, who must play the trial's games first."""
    if player is not None and get_studies().include(player):
        raise InTrial


def check_not_in_trial(player: Player | None) -> None:
    if player is not None and is_in_trial(player):
        raise Blinded


def check_not_blinded(player: Player | None) -> None:
    """Raise an error while a trial closes the coach to this player or in this browser."""
    check_not_in_trial(player)
    if trial := find_closing_trial():
        raise ClosedByTrial(trial)


def hides_advice_from(player: Player | None) -> bool:
    return (player is not None and is_in_trial(player)) or find_closing_trial() is not None


def check_hint(game: Game) -> None:
    """Raise an error if the game's coach is off, or if a trial keeps the coach closed."""
    coached_by_kind = find_kind(game).coached
    if coached_by_kind is None:
        check_not_in_trial(game.player)
        if trial := find_trial_here():
            raise ClosedByTrial(trial)
    elif not coached_by_kind:
        raise Blinded
    if game.coach == Game.Coach.OFF:
        raise CoachIsOff


def check_review(game: Game, viewer: Player | None) -> None:
    """Raise an error if ``viewer`` may not see the review of the game, or of its dice, now."""
    kind = find_kind(game)
    check_not_in_trial(viewer)
    if withheld := kind.withheld:
        raise withheld
    check_not_blinded(viewer)
    if game.finished_at is None:
        raise StillPlaying
    if not is_own(game, viewer) and (withheld := kind.dice_withheld):
        raise withheld


def may_show_costs(game: Game) -> bool:
    """Return whether pages may show what the decisions cost. They may do so only after the game."""
    teaches = game.finished_at is not None and not find_kind(game).measured
    return teaches and not hides_advice_from(game.player)


def has_coach(game: Game | None) -> bool:
    if game is None or game.coach == Game.Coach.OFF:
        return False
    coached_by_kind = find_kind(game).coached
    if coached_by_kind is not None:
        return coached_by_kind
    return not is_in_trial(game.player) and not (
        find_closing_trial() if game.over else is_closed_here()
    )


def check_drill(player: Player | None) -> bool:
    """Return True if the player's trial opens the drill between training games, and False if the
    player is in no trial. Raise Blinded if the trial keeps the drill closed to this player."""
    if player is None or not is_in_trial(player):
        check_not_blinded(player)
        return False
    if not get_studies().open_drill(player):
        raise Blinded
    return True


class OwnGame(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(_("This position is part of your ranked game: finish that game first."))


def is_at_position(player: Player | None, positions: Iterable[Position]) -> bool:
    """Return whether one of these positions occurs in the player's running ranked game. Explore,
    the drill and the API must not reveal the best move there. The server cannot recognise a player
    in another browser."""
    contested = find_contested_positions(player)
    return bool(contested) and any(
        normalise_position(position) in contested for position in positions
    )


def check_not_own(player: Player | None, positions: Iterable[Position]) -> None:
    if is_at_position(player, positions):
        raise OwnGame
