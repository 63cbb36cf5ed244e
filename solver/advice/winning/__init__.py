"""Playing to win: for the rest of a game, the chance to reach a total, or to beat somebody's."""

from solver.advice.winning.both import MOST_OPEN_OF_BOTH, Both, CardOf, NoRoom, NoTurns
from solver.advice.winning.chances import (
    MOST_OPEN,
    Chances,
    TooEarly,
    WinOption,
    chances,
    chances_of_card,
    ranked,
)
from solver.advice.winning.live import chance_about, chance_to_reach
from solver.advice.winning.payoff import Payoff, against, at_least
from solver.advice.winning.perfect import rest_of, rest_of_card, totals_of

__all__ = [
    "MOST_OPEN",
    "MOST_OPEN_OF_BOTH",
    "Both",
    "CardOf",
    "Chances",
    "NoRoom",
    "NoTurns",
    "Payoff",
    "TooEarly",
    "WinOption",
    "against",
    "at_least",
    "chance_about",
    "chance_to_reach",
    "chances",
    "chances_of_card",
    "ranked",
    "rest_of",
    "rest_of_card",
    "totals_of",
]
