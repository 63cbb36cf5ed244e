"""Advice: the value of every option in a position, and the luck and the mistakes of a game."""

from solver.advice.advisor import (
    BONUS,
    CHIPS,
    NO_POINTS,
    Advisor,
    Entry,
    Evaluated,
    Ledger,
    Part,
    TurnEnd,
)
from solver.advice.options import Advice, Option, Outlook, is_mistake
from solver.rules.position import (
    BadPosition,
    Position,
    build_state,
    check_card,
    check_position,
    find_position,
)

__all__ = [
    "BONUS",
    "CHIPS",
    "NO_POINTS",
    "Advice",
    "Advisor",
    "BadPosition",
    "Entry",
    "Evaluated",
    "Ledger",
    "Option",
    "Outlook",
    "Part",
    "Position",
    "TurnEnd",
    "build_state",
    "check_card",
    "check_position",
    "find_position",
    "is_mistake",
]
