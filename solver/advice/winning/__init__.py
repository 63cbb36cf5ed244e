"""Play to win: the chance to reach a total, or to beat an opponent, in the rest of a game."""

from solver.advice.winning.chances import (
    MOST_OPEN,
    Chances,
    TooEarly,
    WinOption,
    find_card_chances,
    find_chances,
)
from solver.advice.winning.endgame import Payoff, make_duel_payoff, make_target_payoff
from solver.advice.winning.live import calculate_chance, estimate_chance
from solver.advice.winning.perfect import predict_card_points, predict_points, predict_totals

__all__ = [
    "MOST_OPEN",
    "Chances",
    "Payoff",
    "TooEarly",
    "WinOption",
    "calculate_chance",
    "estimate_chance",
    "find_card_chances",
    "find_chances",
    "make_duel_payoff",
    "make_target_payoff",
    "predict_card_points",
    "predict_points",
    "predict_totals",
]
