"""The hint before a move: the best options, their dice, and how hard the best is to find."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from game.coach.reasons import explain_best
from game.core.words import phrases
from game.core.words.speech import LIMITS
from game.core.worth.peers import Peers
from game.core.worth.severity import Severity, find_severity
from solver.advice import Advice, Advisor, Evaluated, Option, find_position
from solver.dp.space import TIE
from solver.rules import Action, Hold, Ruleset, Score, State, list_kept_by_slots


@dataclass(frozen=True, slots=True)
class ShownDie:
    face: int
    kept: bool


def mark_held_dice(state: State, action: Action) -> list[ShownDie]:
    """Return the dice, each marked if the action holds it; filling a box marks all dice."""
    kept = action.places if isinstance(action, Hold) else range(len(state.dice))
    return [ShownDie(face, slot in kept) for slot, face in enumerate(state.dice)]


@dataclass(frozen=True, slots=True)
class Hardness:
    """The difficulty of finding the best option, measured with bots of the player's grade:
    ``found`` is the share of bots that choose the best option, and ``lost`` is the bots' mean loss
    in this position, divided by their mean loss per decision. ``runner_up`` is the cost of the
    second-best option in points."""

    found: float
    lost: float
    runner_up: float

    @property
    def hard(self) -> bool:
        """True if most bots of this grade miss the best option and lose at least as much as usual,
        or if the second-best option is nearly as good. The coach then explains the best option."""
        return self.runner_up < LIMITS["close"] or (
            self.found < LIMITS["half"] and self.lost >= LIMITS["usual"]
        )

    @property
    def rare(self) -> bool:
        """True if fewer than one in four bots find the best option and a miss is costly. The coach
        then praises the player."""
        return self.found < LIMITS["few"] and self.lost >= LIMITS["much"]


def measure_hardness(at_hand: Evaluated, peers: Peers) -> Hardness:
    values = np.concatenate((at_hand.hold_values, at_hand.box_values))
    regrets = at_hand.value - values[values > -np.inf]
    weights = np.exp(-regrets / peers.temperature)
    best, drawn = regrets < TIE, float(weights.sum())
    return Hardness(
        found=float(weights[best].sum()) / drawn,
        lost=float(weights @ regrets) / drawn / peers.rating,
        runner_up=float(regrets[~best].min(initial=np.inf)),
    )


@dataclass(frozen=True, slots=True)
class Ranked:
    """An option in the coach's list. ``slots`` are the dice to mark; ``category`` is a box."""

    label: str
    slots: tuple[int, ...]
    keeps_all: bool
    category: str
    expected: float  # the expected final score
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


def build_hint(
    advisor: Advisor, state: State, at_hand: Evaluated, *, shown: int = int(LIMITS["hint_options"])
) -> Hint:
    advice = advisor.make_advice(at_hand, outlook=True)
    return Hint(
        options=tuple(rank_option(state, option) for option in advice.options[:shown]),
        reason=explain_best(advisor, at_hand.position, advice),
    )


def find_best_move(advisor: Advisor, state: State) -> Ranked:
    """Return the best option. If several are best, prefer one that does not hold all dice."""
    return rank_option(state, choose_best_move(advisor.advise(find_position(state)), advisor.rules))


def pick_move(options: Sequence[Ranked]) -> Ranked:
    """Return the first best option that does not hold all dice, or else the first option."""
    moves = (option for option in options if option.best and not option.keeps_all)
    return next(moves, options[0])


def choose_best_move(advice: Advice, rules: Ruleset) -> Option:
    """Return the first best option that does not hold all dice, or else the best option."""
    best = (option for option in advice.options if option.best)
    moves = (option for option in best if option.action == "score" or len(option.dice) < rules.dice)
    return next(moves, advice.best)


def rank_option(state: State, option: Option) -> Ranked:
    dice = option.dice if option.action == "hold" else ()
    return Ranked(
        label=phrases.describe_option(state.rules, option),
        slots=Hold.from_faces(dice, state.dice, state.held).places,  # held slots first
        keeps_all=len(dice) == state.rules.dice,
        category=option.category,
        expected=state.points + option.value,
        regret=option.regret,
        severity=find_severity(option.regret),
        cost=phrases.format_cost(option.regret),
    )


def hold_costs(at_hand: Evaluated, state: State) -> list[float]:
    """Return what each hold costs, indexed by the bit mask of its slots; [] if no rolls are
    left."""
    if not at_hand.position.throws_left:
        return []
    return at_hand.hold_costs(list_kept_by_slots(state.dice))


def calculate_box_costs(at_hand: Evaluated) -> dict[str, float]:
    return {box.category: box.regret for box in at_hand.iter_boxes()}


def find_chosen_option(advice: Advice, action: Action, state: State) -> Option:
    if isinstance(action, Score):
        return next(o for o in advice.options if o.category == action.category)
    kept = action.kept(state.dice)
    return next(o for o in advice.options if o.action == "hold" and o.dice == kept)
