"""The player of a request, asked for by every request."""

from django.contrib.auth.models import User

from game.core.prepared import Prepared
from game.models import Player

GUEST = Prepared(lambda code: Player.objects.filter(code=code, user=None), values=1)
OWNER = Prepared(lambda user: Player.objects.filter(user=user), values=1, related=["user"])


guest_of_code = GUEST.first


def player_of_account(user: User) -> Player | None:
    return OWNER.first(user.pk)


def key_of(player: Player | None) -> int:
    """To look by for what is theirs. Nobody has the key of who is no player yet.

    By NULL a database would look through every row of everybody.
    """
    return player.pk if player else 0
