"""Play to win: the chance to win with each option of a position, in addition to its points."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from solver.advice.advisor import Advisor
from solver.advice.options import Option, sort_by_cost
from solver.advice.winning.endgame import Endgame, Payoff
from solver.advice.winning.perfect import predict_card_points, predict_points
from solver.dp.space import TIE
from solver.dp.turn import Turn
from solver.rules.position import Position, check_card
from solver.rules.rulesets import Ruleset

# Seven open boxes take about a second on one core. Each additional open box triples the time.
MOST_OPEN = 7


class TooEarly(ValueError):
    """The error if too many boxes are open to calculate the chances in reasonable time."""

    def __init__(self, open_boxes: int, most: int) -> None:
        super().__init__(
            f"{open_boxes} boxes are open: chances are calculated only if at most {most} are open"
        )
        self.open_boxes = open_boxes
        self.most = most


@dataclass(frozen=True, slots=True)
class WinOption:
    option: Option  # the option, with its value in points
    chance: float  # chance to win with this option, if all later decisions are the best for winning
    regret: float  # highest chance of all options, minus the chance of this option

    @property
    def best(self) -> bool:
        return self.regret < TIE


@dataclass(frozen=True)
class Chances:
    """All options with their chances to win, best first; ties are in the order of points."""

    choices: tuple[WinOption, ...]
    by_points: WinOption  # the option with the most points
    for_points: float  # chance to win if all decisions are the best for points

    @property
    def best(self) -> WinOption:
        return self.choices[0]

    @property
    def chance(self) -> float:
        """The highest chance to win. The chance of ``best`` may be lower by less than ``TIE``."""
        return max(choice.chance for choice in self.choices)

    @property
    def differs(self) -> bool:
        """True if the best option to win differs from the best option for points."""
        return not self.by_points.best


def find_chances(
    coach: Advisor, position: Position, payoff: Payoff, *, most_open: int = MOST_OPEN
) -> Chances:
    """Return each option's chance to win. ``payoff`` gives the chance for a number of points in the
    rest of the game. They include the upper bonus, even if it is already secured."""
    advice = coach.advise(position)  # advise() also checks the position
    open_boxes = len(coach.rules.open(position.filled))
    if open_boxes > most_open:
        raise TooEarly(open_boxes, most_open)
    turn = build_winning_turn(
        coach.rules,
        position.filled,
        coach.space.find_column(position.upper),
        position.chips_won,
        payoff.worth.tobytes(),
    )
    worth = []
    for option in advice.options:
        if option.action == "hold":
            holds = turn.holds(position.rolls_left)
            worth.append(float(holds[turn.rules.cup.hold_index[option.dice]]))
        else:
            at = turn.place[turn.rules.index[option.category]]
            worth.append(float(turn.scores[at, turn.rolls[option.dice]]))
    best = max(worth)
    choices = [
        WinOption(option, chance, max(0.0, best - chance))
        for option, chance in zip(advice.options, worth, strict=True)
    ]
    for_points = payoff.calculate_expected(predict_points(coach, position))
    # Options with equal chances stay in the order of their points.
    order = sort_by_cost([choice.regret for choice in choices])
    return Chances(tuple([choices[at] for at in order]), choices[0], for_points)


def find_card_chances(
    coach: Advisor, filled: int, upper: int, payoff: Payoff, *, chips_won: bool = False
) -> tuple[float, float]:
    """Return the chances to win before a turn: with play to win, and with play for points."""
    check_card(coach.rules, filled, upper, chips_won)
    endgame = Endgame(coach.rules, filled, upper, payoff, chips_won=chips_won)
    for_points = payoff.calculate_expected(
        predict_card_points(coach, filled, upper, chips_won=chips_won)
    )
    return endgame.turn.start, for_points


@lru_cache(maxsize=32)
def build_winning_turn(
    rules: Ruleset, filled: int, upper: int, chips_won: bool, worth: bytes
) -> Turn:
    """Return the card's next turn, in which an option's value is the chance to win. The turn is
    cached, because all rolls of the turn need it."""
    return Endgame(rules, filled, upper, Payoff(np.frombuffer(worth)), chips_won=chips_won).turn
