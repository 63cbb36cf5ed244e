"""The dice of a day: the hash chain that determines them, and which players have seen them."""

import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.apps import apps as here
from django.core import signing
from django.db.models.signals import post_migrate
from django.http import HttpResponse

from game.core.fair import days
from game.core.game_queries import find_player_daily
from game.core.kind import find_kind
from game.models import Game, Player
from game.pages.daily.daily_queries import read_day_chain
from game.pages.requests.visitors import PlayRequest
from solver.rules import Ruleset

COOKIE = "dice-seen"
SALT = "game.dice-seen"
MAX_AGE = 2 * 24 * 60 * 60
Cookies = Mapping[str, str]


def has_seen_dice(request: PlayRequest, rules: Ruleset | None) -> bool:
    """Return whether the visitor has seen today's dice. A game on known dice is unranked."""
    player, rules = request.visitor.player, rules or Game().rules
    if player is not None and player.has_seen(days.today(), rules.id):
        return True
    first = _read_first_players(request.COOKIES).get(rules.id)
    return first is not None and (player is None or player.code != first)


def would_spoil_daily(game: Game, player: Player | None, cookies: Cookies) -> bool:
    """Return whether the viewer's own daily game loses its rank if a page shows these dice."""
    day = find_kind(game).open_day
    if day is None or (player is not None and player.pk == game.player_id):
        return False
    mine = find_player_daily(player, day, game.rules)
    if mine is not None:
        return not mine.over and not mine.unranked
    if day != days.today():
        return False
    if player is None:
        return game.ruleset not in _read_first_players(cookies)
    return not player.has_seen(day, game.ruleset)


def set_seen_cookie(request: PlayRequest, game: Game, response: HttpResponse) -> HttpResponse:
    """Set a cookie that names the player who first saw today's dice in this browser."""
    if game.day is None or game.day != days.today():
        return response
    first = {game.ruleset: game.player.code, **_read_first_players(request.COOKIES)}
    response.set_cookie(
        COOKIE,
        signing.dumps({"day": game.day.isoformat(), "first": first}, salt=SALT),
        max_age=MAX_AGE,
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
    return response


def _read_first_players(cookies: Cookies) -> Mapping[str, str]:
    """Return, by ruleset, the players' codes in today's cookie; empty if the cookie is older."""
    try:
        known: dict[str, Any] = signing.loads(cookies.get(COOKIE, ""), salt=SALT)
    except signing.BadSignature:
        return {}
    first: dict[str, str] = known["first"]
    return first if known["day"] == days.today().isoformat() else {}


def listen() -> None:
    post_migrate.connect(_begin_day_chain, dispatch_uid="game.pages.daily.daily_dice")


def _begin_day_chain(apps: Any = here, **_told: object) -> None:
    """Create the hash chain of the daily dice after ``migrate``. It begins tomorrow, because people
    are already playing today's dice."""
    try:
        chains = apps.get_model("game", "DayChain")
    except LookupError:  # an earlier version has no table for the chain
        return
    first = days.today() + timedelta(days=1)
    chains.objects.get_or_create(pk=1, defaults={"end": secrets.token_hex(32), "first": first})
    read_day_chain.cache_clear()
    read_day_chain()
