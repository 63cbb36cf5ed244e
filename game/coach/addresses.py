"""Positions as query strings: short, readable, and the same wherever a position is linked."""

from collections.abc import Sequence
from urllib.parse import urlencode

from solver.advice import Position


def explore_query(position: Position, points: Sequence[int] = ()) -> str:
    """``points`` of the filled upper boxes, where they are known and not their total alone."""
    facts: dict[str, str | int] = {
        "rules": position.rules.id,
        "filled": ".".join(position.rules.ids(position.filled)),
        "upper": ".".join(map(str, points)) or position.upper,
        "dice": "".join(map(str, position.dice)),
        "left": position.rolls_left,
    }
    if position.chips_won:
        facts["chips_won"] = 1
    return urlencode(facts)
