from functools import partial

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from game.coach.closing import closed_here
from game.models import Player
from game.selectors.studies import studies
from game.web.live import tab_of_page
from game.web.visitors import Visitor


def visitor(request: HttpRequest) -> dict[str, object]:
    """What every page knows of its reader."""
    found: Visitor | None = getattr(request, "visitor", None)
    player = found.player if found else None
    participant = found.participant if found else None
    return {
        "player": player,
        "participant": participant,
        "tab": tab_of_page(request),
        "blind": SimpleLazyObject(partial(_blind, found)),
        "theme": player.theme if player else Player.Theme.AUTO.value,
    }


def _blind(visitor: Visitor | None) -> bool:
    """Whether a trial closes what teaches to this reader, so that no menu offers it."""
    if visitor is None:
        return False
    player = visitor.player if visitor.participant is not None else None
    return (player is not None and studies().include(player)) or closed_here()
