"""Nobody is told what to do where their own game stands that has a place among those of others.

The same card, dice and throws left, asked for elsewhere: set up in explore, met in the drill, sent
to the API. Whatever else is asked is answered; anyone who asks in another browser, or somewhere
else altogether, is not found out.
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
