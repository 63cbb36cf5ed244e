"""The options of the position on the table, ranked, for the panel beside the game."""

from collections.abc import Sequence
from dataclasses import dataclass

from game.coach.reasons import why_best
from game.core.words import phrases
from game.core.worth.severity import Severity, severity
from solver.advice import Advice, Advisor, Evaluated, Option, Position
from solver.rules import Action, Hold, Score, State, kept_by_slots

SHOWN = 5


@dataclass(frozen=True, slots=True)
class Ranked:
    """One option as the panel shows it; ``slots`` are dice to mark, ``category`` a box."""

    label: str
    slots: tuple[int, ...]
    keeps_all: bool
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


def hint(advisor: Advisor, state: State, at_hand: Evaluated, *, shown: int = SHOWN) -> Hint:
    advice = advisor.advice(at_hand, outlook=True)
    best = advice.best
    return Hint(
        options=tuple(ranked(state, option) for option in advice.options[:shown]),
        reason=why_best(advisor, at_hand.position, advice),
        bonus=phrases.percent(best.outlook.bonus_chance) if best.outlook else "",
    )


def to_take(options: Sequence[Ranked]) -> Ranked:
    """The best one, as a move: dice that are all kept are no throw, but a box filled."""
    moves = (one for one in options if one.best and not one.keeps_all)
    return next(moves, options[0])


def ranked(state: State, option: Option) -> Ranked:
    return Ranked(
        label=phrases.option(state.rules, option),
        slots=_marked(state, option).places,
        keeps_all=option.action == "hold" and len(option.dice) == state.rules.dice,
        category=option.category,
        expected=state.points + option.value,
        regret=option.regret,
        severity=severity(option.regret),
        cost=phrases.cost(option.regret),
    )


def _marked(state: State, option: Option) -> Hold:
    """The dice of a hold, those first that were held before; a box marks none."""
    return Hold.of(option.dice if option.action == "hold" else (), state.dice, state.held)


def hold_costs(at_hand: Evaluated, state: State) -> list[float]:
    """The regret of holding each set of slots, by its bit mask; empty when no throw is left."""
    if not at_hand.position.throws_left:
        return []
    return at_hand.hold_costs(kept_by_slots(state.dice))


def box_costs(at_hand: Evaluated) -> dict[str, float]:
    """The regret of scoring in each open box now."""
    return {box.category: box.regret for box in at_hand.each_box()}


def chosen_option(advice: Advice, position: Position, action: Action, state: State) -> Option:
    if isinstance(action, Score):
        return next(o for o in advice.options if o.category == action.category)
    kept = action.kept(state.dice)
    return next(o for o in advice.options if o.action == "hold" and o.dice == kept)
