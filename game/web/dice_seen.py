"""Which player of this browser began a day's game first. Only that one is ranked.

Whoever plays a day as a guest, and then again as somebody else, knows the dice. A cookie knows
that; who throws all cookies away, or has a second browser, is not found out, and a game of points
without a prize is not worth asking people for more about themselves. Two who share a browser are
told why the second has no place.
"""

from collections.abc import Mapping
from typing import Any

from django.core import signing
from django.http import HttpResponse

from game.fair import days
from game.kind import kind_of
from game.models import Game
from game.web.visitors import PlayRequest
from solver.rules import Ruleset

COOKIE = "dice-seen"
SALT = "game.dice-seen"
MAX_AGE = 2 * 24 * 60 * 60


def by_another(request: PlayRequest, rules: Ruleset | None) -> bool:
    first = _first_players(request).get((rules or Game().rules).id)
    player = request.visitor.player
    return first is not None and (player is None or player.code != first)


def remembered(request: PlayRequest, response: HttpResponse, game: Game) -> HttpResponse:
    if not kind_of(game).ranked or game.day != days.today():
        return response
    first = {game.ruleset: game.player.code, **_first_players(request)}
    response.set_cookie(
        COOKIE,
        signing.dumps({"day": game.day.isoformat(), "first": first}, salt=SALT),
        max_age=MAX_AGE,
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
    return response


def _first_players(request: PlayRequest) -> Mapping[str, str]:
    """The codes of today's first players, by the ruleset."""
    try:
        known: dict[str, Any] = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT)
    except signing.BadSignature:
        return {}
    first: dict[str, str] = known["first"]
    return first if known["day"] == days.today().isoformat() else {}
