"""Positions as query strings: short, readable, and the same wherever a position is linked."""

from urllib.parse import urlencode

from solver.advice import Position
from solver.rules import Ruleset


def explore_query(rules: Ruleset, position: Position) -> str:
    facts = {
        "filled": ".".join(rules.ids(position.filled)),
        "upper": position.upper,
        "dice": "".join(map(str, position.dice)),
        "left": position.rolls_left,
    }
    return urlencode(facts)
