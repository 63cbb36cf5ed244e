"""Playing to win: the chance to reach a total, or to beat an opponent, in the rest of a game."""

from solver.advice.winning.chances import (
    MOST_OPEN,
    Chances,
    TooEarly,
    WinOption,
    chances,
    chances_of_card,
)
from solver.advice.winning.endgame import Payoff, against, at_least
from solver.advice.winning.live import chance_about, chance_to_reach
from solver.advice.winning.perfect import rest_of, rest_of_card, totals_of

__all__ = [
    "MOST_OPEN",
    "Chances",
    "Payoff",
    "TooEarly",
    "WinOption",
    "against",
    "at_least",
    "chance_about",
    "chance_to_reach",
    "chances",
    "chances_of_card",
    "rest_of",
    "rest_of_card",
    "totals_of",
]
