"""No advice on a position of the player's own ranked game that is under way.

Pages that could give it are explore, the drill and the API: they refuse the same card, dice and
throws left. All other questions are answered. A player who asks in another browser or elsewhere is
not detected.
"""

from collections.abc import Iterable

from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext as _

from game.core.game_queries import contested_positions, same_position
from game.models import Player
from solver.advice import Position


class OwnGame(PermissionDenied):
    def __init__(self) -> None:
        super().__init__(
            _("You are playing a ranked game with this position: finish it, then ask.")
        )


def stands_like(player: Player | None, positions: Iterable[Position]) -> bool:
    contested = contested_positions(player)
    return bool(contested) and any(same_position(position) in contested for position in positions)


def check_not_own(player: Player | None, positions: Iterable[Position]) -> None:
    if stands_like(player, positions):
        raise OwnGame
