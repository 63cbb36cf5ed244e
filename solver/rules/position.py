"""A position: the dice and the scorecard of a decision, without the game before it."""

from dataclasses import dataclass

from solver import Refusal
from solver.rules.dice import FACES, Dice
from solver.rules.game import Box, State
from solver.rules.rulesets import Ruleset


class BadPosition(Refusal, ValueError):
    """The error for a position that no game can reach. ``field`` is the name of the wrong field."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Position:
    rules: Ruleset
    filled: int
    upper: int  # the upper total in points
    dice: Dice
    rolls_left: int  # rolls left in this turn, without saved rolls, which are used last
    chips_won: bool = False
    stock: int = 0  # number of saved rolls left

    @property
    def throws_left(self) -> int:
        return self.rolls_left + self.stock


def find_position(state: State) -> Position:
    dice, stock = tuple(sorted(state.dice)), state.saved_left
    left = state.throws_left - stock
    return Position(state.rules, state.filled, state.upper, dice, left, state.chips_won, stock)


def check_card(
    rules: Ruleset, filled: int, upper: int, chips_won: bool = False, stock: int = 0
) -> None:
    if not 0 <= filled <= rules.full:
        raise BadPosition(f"{filled} is no set of the {len(rules.categories)} boxes", "filled")
    if upper not in rules.list_upper_totals(filled):
        upper_filled = [n for n in rules.ids(filled) if rules.categories[rules.index[n]].face]
        names = ", ".join(upper_filled) or "no upper boxes"
        raise BadPosition(f"an upper total of {upper} cannot come from {names}", "upper")
    joker = rules.joker
    if chips_won and not (joker and filled >> rules.index[joker.box] & 1):
        raise BadPosition(
            "bonus chips are only won once the box for five of a kind holds points", "chips_won"
        )
    most = rules.most_saved(filled.bit_count())
    if not 0 <= stock <= most:
        raise BadPosition(f"from 0 to {most} throws can be saved by now, not {stock}", "stock")


def check_position(position: Position) -> None:
    rules = position.rules
    check_card(rules, position.filled, position.upper, position.chips_won, position.stock)
    if position.filled == rules.full:
        raise BadPosition("every box is filled: the game is over", "filled")
    if len(position.dice) != rules.dice:
        raise BadPosition(f"there are {rules.dice} dice, not {len(position.dice)}", "dice")
    for die in position.dice:
        if not 1 <= die <= FACES:
            raise BadPosition(f"a die shows 1 to {FACES}, not {die}", "dice")
    if not 0 <= position.rolls_left < rules.throws:
        limits = f"0 to {rules.throws - 1}"
        raise BadPosition(f"rolls left is {limits}, not {position.rolls_left}", "rolls_left")


def build_state(position: Position) -> State:
    """Return a game in this position. The upper boxes have points that add up to the upper total,
    the high boxes as many as possible. The filled lower boxes have 0 points, except that the
    joker's box has points if chips were won."""
    rules, left, points = position.rules, position.upper, dict[int, int]()
    upper = [number for number in rules.upper if position.filled >> number & 1]
    while upper:
        number = upper.pop()
        totals = rules.list_upper_totals(sum(1 << box for box in upper))
        face = rules.categories[number].face
        counts = range(rules.dice, -1, -1)
        points[number] = next(n * face for n in counts if left - n * face in totals)
        left -= points[number]
    if rules.joker and position.chips_won:
        number = rules.index[rules.joker.box]
        points[number] = rules.categories[number].score((FACES,) * rules.dice)
    boxes = tuple(
        Box(points.get(number, 0), ()) if position.filled >> number & 1 else None
        for number in range(len(rules.categories))
    )
    return State(rules, boxes, position.throws_left, position.dice, stock=position.stock)
