"""The options of the position on the table, ranked, for the panel beside the game."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from game.coach.reasons import why_best
from game.judgement.severity import Severity, severity
from game.words import phrases
from solver.advice import Advisor, Option, position_of
from solver.dp.arrays import Floats
from solver.rules import State
from solver.rules.dice import DICE, HOLD_INDEX, ROLL_INDEX
from solver.rules.game import EVERY_SLOT, Hold

SHOWN = 5


@dataclass(frozen=True, slots=True)
class Ranked:
    """One option as the panel shows it; ``slots`` are dice to mark, ``category`` a box."""

    label: str
    slots: tuple[int, ...]
    category: str
    expected: float  # final score
    regret: float
    severity: Severity
    cost: str

    @property
    def scores(self) -> bool:
        return bool(self.category)

    @property
    def best(self) -> bool:
        return self.severity.id == "best"


@dataclass(frozen=True, slots=True)
class Hint:
    options: tuple[Ranked, ...]
    reason: str
    bonus: str  # the chance of the bonus, in per cent


def hint(advisor: Advisor, state: State, *, shown: int = SHOWN) -> Hint:
    position = position_of(state)
    advice = advisor.advise(position, outlook=True)
    best = advice.best
    return Hint(
        options=tuple(ranked(state, option) for option in advice.options[:shown]),
        reason=why_best(advisor, position, advice),
        bonus=phrases.percent(best.outlook.bonus_chance) if best.outlook else "",
    )


def to_take(options: Sequence[Ranked]) -> Ranked:
    """The best one, as a move: dice that are all kept are no throw, but a box filled."""
    moves = (one for one in options if one.best and len(one.slots) < DICE)
    return next(moves, options[0])


def ranked(state: State, option: Option) -> Ranked:
    return Ranked(
        label=phrases.option(state.rules, option),
        slots=_marked(state, option).places,
        category=option.category,
        expected=state.points + option.value,
        regret=option.regret,
        severity=severity(option.regret),
        cost=phrases.cost(option.regret),
    )


def _marked(state: State, option: Option) -> Hold:
    """The dice of a hold, those first that were held before; a box marks none."""
    return Hold.of(option.dice if option.action == "hold" else (), state.dice, state.held)


def hold_costs(advisor: Advisor, state: State) -> list[float]:
    """The regret of holding each set of slots, by its bit mask; empty when no throw is left."""
    position = position_of(state)
    if not position.rolls_left:
        return []
    turn = advisor.turn(position.filled, position.upper, chips_won=position.chips_won)
    holds: Floats = turn.holds(position.rolls_left)
    best = turn.best(position.rolls_left)[ROLL_INDEX[position.dice]]
    kept = (HOLD_INDEX[Hold(slots).kept(state.dice)] for slots in range(EVERY_SLOT + 1))
    return [max(0.0, float(best - holds[index])) for index in kept]


def box_costs(advisor: Advisor, state: State) -> dict[str, float]:
    """The regret of scoring in each open box now."""
    _, holds, boxes, values = advisor.arrays(position_of(state))
    best = max(holds.max(initial=-inf), values.max())
    worth = zip(boxes.tolist(), values.tolist(), strict=True)
    return {state.rules.categories[box].id: best - value for box, value in worth if value > -inf}
