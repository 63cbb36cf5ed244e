"""The player of a request; every request needs it."""

from game.core.prepared import Prepared
from game.models import Player

GUEST = Prepared(lambda code: Player.objects.filter(code=code, user=None), values=1)
OWNER = Prepared(lambda user: Player.objects.filter(user=user), values=1, related=lambda: ["user"])


guest_of_code = GUEST.first


def find_player_key(player: Player | None) -> int:
    """Return the player's primary key, or 0, which no row has, without a player. With NULL, a
    database would scan the rows of all players."""
    return player.pk if player else 0
