"""A position as it is asked, and what an answer was worth: in points, or in chances to win."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from game.coach import chance_words
from game.coach.hints import Hint, Ranked, box_costs, hint, ranked
from game.coach.panel import Panel, Price, prices_of
from game.coach.review import Step, step_of
from game.coach.winning_advice import WinRow, rows_of
from game.core.words import phrases
from game.core.worth.repetition import credit
from game.core.worth.severity import Severity, severity
from game.core.worth.winning import as_points, chosen_chance
from game.pages.board.board import Board, Sight, build
from game.practice.drill_winning_pool import asked
from solver.advice import Advisor, Position, position_of, state_of
from solver.rules import Action, Hold, State

CHANCES_SHOWN = 8  # options


@dataclass(frozen=True)
class JudgedAnswer:
    """``chosen`` is the box, if it was one; ``step`` is there where it is judged in points."""

    label: str
    chosen: str
    right: bool  # what ties with the best is right too
    regret: float  # in points
    cost: str
    hint: Hint
    options: Sequence[Ranked] | Sequence[WinRow]
    board: Board
    step: Step | None = None

    @property
    def severity(self) -> Severity:
        return severity(self.regret)

    @property
    def verdict(self) -> str:
        facts = {"choice": self.label, "cost": self.cost, "best": self.hint.options[0].label}
        if self.right:
            return _("Right: %(choice)s.") % facts
        return _("%(choice)s: %(cost)s. Best was: %(best)s.") % facts

    @property
    def credit(self) -> str:
        return phrases.percent(credit(self.regret))


def position_board(position: Position, held: Collection[int] | None) -> Board:
    """Without a word of what anything is worth."""
    return build(Sight(state_of(position), owner=True, held=held))


def judged(coach: Advisor, position: Position, action: Action, needed: int = 0) -> JudgedAnswer:
    """``needed``: so many points, where it is asked how to win."""
    # What was held is named first where several dice would do for the best.
    state = replace(state_of(position), held=action.slots if isinstance(action, Hold) else 0)
    return _in_chances(coach, state, action, needed) if needed else _in_points(coach, state, action)


def _in_points(coach: Advisor, state: State, action: Action) -> JudgedAnswer:
    step = step_of(coach, 1, state, action)
    at_hand = coach.evaluate(position_of(state))
    best = replace(hint(coach, state, at_hand), reason=step.reason)
    costs = prices_of(box_costs(at_hand))
    return JudgedAnswer(
        label=step.label,
        chosen=step.chosen.category,
        right=step.chosen.best,
        regret=step.entry.regret,
        cost=step.cost,
        hint=best,
        # By what is still to come: the points of the card so far are the same for all.
        options=[replace(one, expected=one.expected - state.points) for one in step.alternatives],
        board=_board(state, best, costs),
        step=step,
    )


def _in_chances(coach: Advisor, state: State, action: Action, needed: int) -> JudgedAnswer:
    found = asked(coach, position_of(state), needed)
    chosen = chosen_chance(found, state, action)
    reason = f"{chance_words.instead(coach.rules, found)} {chance_words.for_points(found)}"
    best = Hint((ranked(state, found.best.option),), reason, "")
    told = {one.option.category: chance_words.given_away(one.regret) for one in found.choices}
    costs = {box: Price(words, words, best=False) for box, words in told.items()}
    return JudgedAnswer(
        label=phrases.option(coach.rules, chosen.option),
        chosen=chosen.option.category,
        right=chosen.best,
        regret=as_points(chosen.regret),
        cost=chance_words.given_away(chosen.regret),
        hint=best,
        options=rows_of(coach, found)[:CHANCES_SHOWN],
        board=_board(state, best, costs),
    )


def _board(state: State, best: Hint, prices: dict[str, Price]) -> Board:
    panel = Panel(True, False, None, best, (), prices)
    return build(Sight(state, held=Hold(state.held).places, coach=panel))
