"""Who has seen the dice of a day before their own game on them was over. That game has no place.

Whoever plays a day as a guest, and then again as somebody else, knows the dice, and so does whoever
watches the game of another. Of a player the database knows it. A cookie knows whose game of the day
was the first that this browser began or watched; who throws all cookies away, or has a second
browser, is not found out, and a game of points without a prize is not worth asking people for more
about themselves. Two who share a browser are told why the second has no place.
"""

from collections.abc import Mapping
from typing import Any

from django.core import signing
from django.http import HttpResponse

from game.core.accounts import day_seen
from game.core.fair import days
from game.core.game_queries import player_daily
from game.core.kind import kind_of
from game.models import Game, Player
from game.pages.requests.visitors import PlayRequest
from solver.rules import Ruleset

COOKIE = "dice-seen"
SALT = "game.dice-seen"
MAX_AGE = 2 * 24 * 60 * 60
Cookies = Mapping[str, str]


def before(request: PlayRequest, rules: Ruleset | None) -> bool:
    """Whether the game of today that is about to begin can have no place."""
    player, rules = request.visitor.player, rules or Game().rules
    if player is not None and player.has_seen(days.today(), rules.id):
        return True
    return _first_is_another(player, request.COOKIES, rules)


def spoilt_by(game: Game, player: Player | None, cookies: Cookies) -> bool:
    """Whether to see this game takes the place that a game of one's own could still have."""
    day = kind_of(game).open_day
    if day is None or (player is not None and player.pk == game.player_id):
        return False
    own = player_daily(player, day, game.rules)
    if own is not None:
        return not own.over and not own.unranked
    if day != days.today():
        return False
    if player is None:
        return game.ruleset not in _first_players(cookies)
    return not player.has_seen(day, game.ruleset)


def noted(request: PlayRequest, response: HttpResponse, game: Game) -> HttpResponse:
    """Whoever sees this game has seen the dice of its day."""
    player = request.visitor.player
    if player is not None and game.day is not None:
        day_seen(player=player, day=game.day, ruleset=game.ruleset)
    return _kept(request, response, game)


def remembered(request: PlayRequest, response: HttpResponse, game: Game) -> HttpResponse:
    """Whose game it was that this browser began."""
    return _kept(request, response, game) if kind_of(game).ranked else response


def _kept(request: PlayRequest, response: HttpResponse, game: Game) -> HttpResponse:
    if game.day is None or game.day != days.today():
        return response
    first = {game.ruleset: game.player.code, **_first_players(request.COOKIES)}
    response.set_cookie(
        COOKIE,
        signing.dumps({"day": game.day.isoformat(), "first": first}, salt=SALT),
        max_age=MAX_AGE,
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
    return response


def _first_is_another(player: Player | None, cookies: Cookies, rules: Ruleset) -> bool:
    first = _first_players(cookies).get(rules.id)
    return first is not None and (player is None or player.code != first)


def _first_players(cookies: Cookies) -> Mapping[str, str]:
    """The codes of today's first players, by the ruleset."""
    try:
        known: dict[str, Any] = signing.loads(cookies.get(COOKIE, ""), salt=SALT)
    except signing.BadSignature:
        return {}
    first: dict[str, str] = known["first"]
    return first if known["day"] == days.today().isoformat() else {}
