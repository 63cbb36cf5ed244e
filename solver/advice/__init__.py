"""Advice: the value of every option of a position, and the ledger of a game."""

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
