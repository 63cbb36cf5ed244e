"""Playing to win: the chance of every option of a position, beside what it is worth in points."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from solver.advice.advisor import Advisor
from solver.advice.options import Option, in_order
from solver.advice.winning.endgame import Endgame, Payoff
from solver.advice.winning.perfect import rest_of, rest_of_card
from solver.dp.space import TIE
from solver.dp.turn import Turn
from solver.rules.position import Position, checked_card
from solver.rules.rulesets import Ruleset

# So many open boxes take at most about a second on one core; each one more takes three times as
# long. What is known in the other's place may be one box behind.
MOST_OPEN = 7


class TooEarly(ValueError):
    """More boxes are open than can be looked through in the time there is."""

    def __init__(self, open_boxes: int, most: int) -> None:
        super().__init__(
            f"{open_boxes} boxes are open: chances are worked out from {most} open boxes on"
        )
        self.open_boxes = open_boxes
        self.most = most


@dataclass(frozen=True, slots=True)
class WinOption:
    """``chance`` is that of winning with this option and the best play to win after it."""

    option: Option  # in points
    chance: float
    regret: float  # in chances

    @property
    def best(self) -> bool:
        return self.regret < TIE


@dataclass(frozen=True)
class Chances:
    """Every option, the best first; of equal chances the one worth more points.

    ``by_points`` is what perfect play for points chooses, and ``for_points`` the chance of anyone
    who goes on playing so to the end.
    """

    choices: tuple[WinOption, ...]
    by_points: WinOption
    for_points: float

    @property
    def best(self) -> WinOption:
        return self.choices[0]

    @property
    def chance(self) -> float:
        """The highest there is: ``best`` may lie less than a tie below it."""
        return max(choice.chance for choice in self.choices)

    @property
    def differs(self) -> bool:
        """Whether the best move to win differs from the best move for points."""
        return not self.by_points.best


def chances(
    coach: Advisor, position: Position, payoff: Payoff, *, most_open: int = MOST_OPEN
) -> Chances:
    """``payoff`` is that of all that is still to come, counted like V: the upper bonus is part of
    it, even where it is secured already."""
    advice = coach.advise(position)  # also checks the position
    open_boxes = len(coach.rules.open(position.filled))
    if open_boxes > most_open:
        raise TooEarly(open_boxes, most_open)
    turn = winning_turn(
        coach.rules,
        position.filled,
        coach.space.column(position.upper),
        position.chips_won,
        payoff.worth.tobytes(),
    )
    worth = [_chance(turn, position, option) for option in advice.options]
    best = max(worth)
    choices = [
        WinOption(option, chance, max(0.0, best - chance))
        for option, chance in zip(advice.options, worth, strict=True)
    ]
    for_points = payoff.expected(rest_of(coach, position))
    order = in_order([choice.regret for choice in choices])  # those that tie stay by their points
    return Chances(tuple([choices[at] for at in order]), choices[0], for_points)


def chances_of_card(
    coach: Advisor, filled: int, upper: int, payoff: Payoff, *, chips_won: bool = False
) -> tuple[float, float]:
    """Before the first throw of a turn: played to win, and played for points to the end."""
    checked_card(coach.rules, filled, upper, chips_won)
    endgame = Endgame(coach.rules, filled, upper, payoff, chips_won=chips_won)
    for_points = payoff.expected(rest_of_card(coach, filled, upper, chips_won=chips_won))
    return endgame.turn.start, for_points


@lru_cache(maxsize=32)
def winning_turn(rules: Ruleset, filled: int, upper: int, chips_won: bool, worth: bytes) -> Turn:
    """Return the first turn of an endgame; one endgame answers for all its dice."""
    return Endgame(rules, filled, upper, Payoff(np.frombuffer(worth)), chips_won=chips_won).turn


def _chance(turn: Turn, position: Position, option: Option) -> float:
    if option.action == "hold":
        return float(turn.holds(position.rolls_left)[turn.rules.cup.hold_index[option.dice]])
    at = turn.place[turn.rules.index[option.category]]
    return float(turn.scores[at, turn.rolls[option.dice]])
