"""Positions as query strings: short, readable, and the same wherever a position is linked."""

from collections.abc import Sequence
from urllib.parse import urlencode

from solver.advice import Position


def explore_query(position: Position, points: Sequence[int] = (), needed: int | None = None) -> str:
    """``points`` of the filled upper boxes, where they are known and not their total alone.

    ``needed`` asks for the chance of so many more.
    """
    facts: dict[str, str | int] = {
        "rules": position.rules.id,
        "filled": ".".join(position.rules.ids(position.filled)),
        "upper": ".".join(map(str, points)) or position.upper,
        "dice": "".join(map(str, position.dice)),
        "left": position.rolls_left,
    }
    if position.chips_won:
        facts["chips_won"] = 1
    if needed is not None:
        facts["needed"] = needed
    return urlencode(facts)
