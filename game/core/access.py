"""Who may see or change a game. Pages, sockets and services call these functions.

They raise ``NoSuchGame``, or a ``PermissionDenied`` with the reason. A page answers 404 or 403; a
socket hangs up with the code of the same meaning (``game.pages.sockets.common.as_code``).
"""

from game.core.game_queries import game_find, game_watched
from game.core.kind import kind_of
from game.core.refusals import NoSuchGame, NotYours
from game.models import Game, Player


def is_own(game: Game, player: Player | None) -> bool:
    return player is not None and game.player_id == player.pk


def check_own(game: Game | None, player: Player | None) -> Game:
    """Return the game if it is the player's; raise NoSuchGame or NotYours otherwise."""
    if game is None:
        raise NoSuchGame
    if not is_own(game, player):
        raise NotYours
    return game


def own_game(game_id: str, player: Player | None) -> Game:
    return check_own(game_find(game_id), player)


def shared_game(token: str) -> Game:
    """Return the game of a share link; the caller decides which parts to show."""
    game = game_watched(token)
    if game is None:
        raise NoSuchGame
    return game


def watched_game(token: str) -> Game:
    """Return the game of a watch link; raise the refusal if others have yet to play its dice."""
    game = shared_game(token)
    if withheld := kind_of(game).withheld:
        raise withheld
    return game
