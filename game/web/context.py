import secrets

from django.http import HttpRequest

from game.models import Player
from game.web.live import tab_of
from game.web.visitors import Visitor


def visitor(request: HttpRequest) -> dict[str, object]:
    """What every page knows of its reader."""
    found: Visitor | None = getattr(request, "visitor", None)
    player = found.player if found else None
    participant = found.participant if found else None
    return {
        "player": player,
        "participant": participant,
        "tab": tab_of(request.headers.get("X-Tab", "")) or secrets.token_urlsafe(6),
        "theme": player.theme if player else Player.Theme.AUTO.value,
    }
