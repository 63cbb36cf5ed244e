"""How often one client may do what costs others something. No address is kept on a disk.

What is counted lies in the cache: of this process, or in Redis for all. A cache that is away counts
nothing, for nobody who plays may wait for it.
"""

import logging
from datetime import timedelta
from time import time

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from game.models import Player
from game.services import Refused

logger = logging.getLogger(__name__)
MINUTE = 60  # seconds
PICTURES_A_MINUTE = 60
UPLOADS_A_MINUTE = 60
NICKNAMES_A_MINUTE = 20
KNOWN = timedelta(days=1)  # after which an account is somebody, wherever it comes from


class TooMuch(Refused):
    status = 429

    def __init__(self) -> None:
        super().__init__(_("That was too much at once. Please wait a few minutes and try again."))


def counted(key: str, window: int) -> int:
    """How often this key was counted in its window; 0 where nobody can say."""
    try:
        if cache.add(key, 1, timeout=window):
            return 1
        return cache.incr(key)
    except ValueError:  # a full cache has dropped it meanwhile
        return 1
    except Exception as error:
        logger.warning("nothing is limited while the cache is away: %r", error)
        return 0


def said(text: str) -> str:
    """What is counted, as only this site can read it."""
    return salted_hmac("game.web.limits", text, algorithm="sha256").hexdigest()


def client_of(request: HttpRequest) -> str:
    return said(str(request.META.get("REMOTE_ADDR", "")))


def clients_of(request: HttpRequest, player: Player | None) -> list[str]:
    """By whom a request is counted: by its address, and by its player.

    A new player costs nothing, so it is no other client; an account of yesterday is.
    """
    if player is None:
        return [client_of(request)]
    user = player.user
    known = user is not None and user.date_joined < timezone.now() - KNOWN
    by_player = f"player-{player.pk}"
    return [by_player] if known else [client_of(request), by_player]


def check_start(request: HttpRequest, player: Player | None) -> None:
    """Before a game is begun, and with it, where nobody is there yet, a player is made."""
    _check(f"start:{client_of(request)}", settings.STARTS_A_MINUTE)
    if player is None:
        check_new_player(request)


def check_new_player(request: HttpRequest) -> None:
    _check(f"player:{client_of(request)}", settings.PLAYERS_A_MINUTE)


def check_visit(request: HttpRequest, player: Player | None) -> None:
    """Before somebody who is nobody yet leaves something that only a player can own."""
    if player is None:
        check_new_player(request)


def check_link(request: HttpRequest) -> None:
    """Personal links of trials: a class opens its own at once, a program tries many."""
    _check(f"link:{client_of(request)}", settings.PLAYERS_A_MINUTE)


def check_upload(request: HttpRequest) -> None:
    """Reading a million throws, or making many, takes a processor for a while."""
    _check(f"upload:{client_of(request)}", UPLOADS_A_MINUTE)


def check_picture(request: HttpRequest) -> None:
    """Drawing one takes a processor for a while."""
    _check(f"picture:{client_of(request)}", PICTURES_A_MINUTE)


def check_nickname(request: HttpRequest) -> None:
    """Names are tried out by people, a few at a time."""
    _check(f"nickname:{client_of(request)}", NICKNAMES_A_MINUTE)


def check_login(request: HttpRequest, name: str) -> None:
    """Raises TooMuch where this name, or this client, has failed too often lately."""
    for key, most in _failures(request, name):
        if _looked_up(key) >= most:
            raise TooMuch


def login_failed(request: HttpRequest, name: str) -> None:
    for key, _most in _failures(request, name):
        counted(key, settings.LOGIN_WINDOW)


def _failures(request: HttpRequest, name: str) -> list[tuple[str, int]]:
    """Few for one client and one name; more for a name, whose owner must not be locked out."""
    most, client = settings.LOGIN_FAILURES, client_of(request)
    return [
        (f"login:{client}:{said(name.casefold())}", most),
        (f"login:{client}", 5 * most),
        (f"login:{said(name.casefold())}", 10 * most),
    ]


def _check(key: str, most: int) -> None:
    if counted(f"{key}:{int(time()) // MINUTE}", MINUTE) > most:
        raise TooMuch


def _looked_up(key: str) -> int:
    try:
        return int(cache.get(key, 0))
    except Exception as error:
        logger.warning("nothing is limited while the cache is away: %r", error)
        return 0
