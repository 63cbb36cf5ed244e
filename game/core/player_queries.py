"""Queries that find the player who sent a request. Every request makes one of these queries."""

from game.core.prepared import Prepared
from game.models import Player

GUEST = Prepared(lambda code: Player.objects.filter(code=code, user=None), values=1)
OWNER = Prepared(lambda user: Player.objects.filter(user=user), values=1, related=lambda: ["user"])


guest_of_code = GUEST.first


def find_player_key(player: Player | None) -> int:
    """Return the player's primary key, or 0 if there is no player. No row has the key 0, so a query
    finds nothing; with NULL, the database would read the rows of all players."""
    return player.pk if player else 0
