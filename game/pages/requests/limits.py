"""Limits per client on requests that could slow the site for other players. No address is stored on
disk.

The counters are in the cache: of this process, or in Redis for all processes. No request waits for
Redis: while Redis is down, each process counts alone.
"""

import errno
import logging
from collections.abc import Callable
from time import time

from django.conf import settings
from django.core.cache import caches
from django.core.cache.backends.base import BaseCache
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from game.core.disk import report_full_disk
from game.core.refusals import Refused
from game.models import Player
from game.pages.requests.known import (
    KNOWN,
    find_known_browser,
    hash_name,
    hash_text,
    identify_client,
)

logger = logging.getLogger(__name__)
MINUTE = 60  # length of a window, in seconds
# Requests per minute and client. Drawing a picture or reading a million rolls takes long.
MOST_A_MINUTE = {"picture": 60, "upload": 60, "nickname": 20, "greeting": 6}


class TooMuch(Refused):
    status = 429

    def __init__(self) -> None:
        super().__init__(
            _("There were too many requests at once. Please wait a few minutes and try again.")
        )


def add_to_counter(key: str, window: int, more: int = 1) -> int:
    """Add ``more`` to a counter. Return its total in the current window of ``window`` seconds."""
    return _use_cache(lambda cache: _add_to_counter(cache, key, window, more))


def _add_to_counter(cache: BaseCache, key: str, window: int, more: int) -> int:
    try:
        return more if cache.add(key, more, timeout=window) else cache.incr(key, more)
    except ValueError:  # the cache was full and has deleted the counter
        return more


def _use_cache(question: Callable[[BaseCache], int]) -> int:
    try:
        return question(caches["default"])
    except Exception as error:
        logger.warning("the cache is down, so each process counts limits separately: %r", error)
        return question(caches["process"])


def find_client(request: HttpRequest) -> str:
    return hash_text(identify_client(str(request.META.get("REMOTE_ADDR", ""))))


def list_clients(request: HttpRequest, player: Player | None) -> list[str]:
    """Return the keys under which limits count a request: the player and the address. For an
    account that is at least a day old, return only the player; anyone can make new accounts."""
    if player is None:
        return [find_client(request)]
    user = player.user
    known = user is not None and user.date_joined < timezone.now() - KNOWN
    by_player = f"player-{player.pk}"
    return [by_player] if known else [find_client(request), by_player]


def check_room() -> None:
    """Raise OSError if too little disk space is free. Moves of running games do not call this."""
    if lack := report_full_disk():
        raise OSError(errno.ENOSPC, lack)


def check_start(request: HttpRequest, player: Player | None) -> None:
    """Raise an error after too many new games, or too many first games of new players."""
    check_room()
    _check_limit(f"start:{find_client(request)}", settings.STARTS_A_MINUTE)
    if player is None:
        check_new_player(request)


def check_new_player(request: HttpRequest) -> None:
    check_room()
    _check_limit(f"player:{find_client(request)}", settings.PLAYERS_A_MINUTE)


def check_visit(request: HttpRequest, player: Player | None) -> None:
    """Raise an error after too many visitors have become players (by storing something)."""
    if player is None:
        check_new_player(request)


def check_link(request: HttpRequest) -> None:
    """Raise an error after too many personal links of trials, so that no program can guess one."""
    _check_limit(f"link:{find_client(request)}", settings.PLAYERS_A_MINUTE)


def check_rate(request: HttpRequest, what: str) -> None:
    """Raise TooMuch after too many requests of this kind, which ``MOST_A_MINUTE`` names."""
    _check_limit(f"{what}:{find_client(request)}", MOST_A_MINUTE[what])


def check_failures(request: HttpRequest, what: str, name: str) -> None:
    """Raise TooMuch after too many wrong passwords (``what`` is "login") or participant codes
    ("code") for this name or from this client."""
    counters = _list_failure_counters(request, what, name)
    if any(_read_counter(key) >= most for key, most in counters):
        raise TooMuch


def count_failure(request: HttpRequest, what: str, name: str) -> None:
    for key, _most in _list_failure_counters(request, what, name):
        add_to_counter(key, settings.LOGIN_WINDOW)


def _list_failure_counters(request: HttpRequest, what: str, name: str) -> list[tuple[str, int]]:
    """Return (counter, limit) pairs for wrong passwords or codes. The limit is low per client and
    name, higher per client, and highest per name, so that strangers cannot easily lock out a user.
    A browser in which this user has signed in has only a counter of its own."""
    most, client, who = settings.LOGIN_FAILURES, find_client(request), hash_name(name)
    if browser := find_known_browser(request, name):
        return [(f"{what}:{browser}", most)]
    return [
        (f"{what}:{client}:{who}", most),
        (f"{what}:{client}", 5 * most),
        (f"{what}:{who}", 10 * most),
    ]


def _check_limit(key: str, most: int) -> None:
    if add_to_counter(f"{key}:{int(time()) // MINUTE}", MINUTE) > most:
        raise TooMuch


def _read_counter(key: str) -> int:
    return _use_cache(lambda cache: int(cache.get(key, 0)))
