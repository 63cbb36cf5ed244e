"""Advice: the value of every hold and box of a position, and the luck and mistakes of a game."""

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
    checked_card,
    checked_position,
    position_of,
    state_of,
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
    "checked_card",
    "checked_position",
    "is_mistake",
    "position_of",
    "state_of",
]
