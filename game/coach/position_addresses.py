"""Positions as query strings of addresses: short, readable, and the same in all links."""

from collections.abc import Sequence
from urllib.parse import urlencode

from django.utils.crypto import constant_time_compare, salted_hmac

from game.core.game_queries import Played
from solver.advice import Position


def explore_query(position: Position, points: Sequence[int] = (), needed: int | None = None) -> str:
    """Return a position as a query string for the page Explore. ``points`` are the scores of the
    filled upper boxes, if the caller knows them. With ``needed``, the page shows the chance of this
    many more points."""
    facts: dict[str, str | int] = {
        "rules": position.rules.id,
        "filled": ".".join(position.rules.ids(position.filled)),
        "upper": ".".join(map(str, points)) or position.upper,
        "dice": "".join(map(str, position.dice)),
        "left": position.rolls_left,
    }
    if position.stock:
        facts["stock"] = position.stock
    if position.chips_won:
        facts["chips_won"] = 1
    if needed is not None:
        facts["needed"] = needed
    return urlencode(facts)


def sign_hint(played: Played) -> str:
    """Return a signature: the proof that the server has counted a hint for the current decision."""
    facts = f"{played.game.pk}.{len(played.actions)}.{played.entries}"
    return salted_hmac("game.hint", facts, algorithm="sha256").hexdigest()[:32]


def is_hint_proof(shown: str, played: Played) -> bool:
    return constant_time_compare(shown, sign_hint(played))
