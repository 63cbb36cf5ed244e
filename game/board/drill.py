"""What the pages of a drill show: the position as a board, and then what the answer was worth."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from game.board.model import Board, Sight, build
from game.coach.hints import Hint, Ranked, box_costs, chosen_option, hint
from game.coach.panel import Panel, prices_of
from game.coach.review import Step, step_of
from game.judgement.repetition import credit
from game.models import DrillAttempt
from game.words import phrases
from solver.advice import Advisor, Evaluated, Position, position_of, state_of
from solver.charts import Axis, Chart, Line
from solver.rules import Action, Hold, IllegalAction, Score, State, step

ROLLING = 20  # attempts that the chart averages
FEWEST = 5  # attempts that make a chart


@dataclass(frozen=True)
class DrillAnswer:
    """One attempt, judged."""

    attempt: DrillAttempt
    step: Step
    hint: Hint
    board: Board

    @property
    def right(self) -> bool:
        """What ties with the best is right too."""
        return self.step.chosen.best

    @property
    def verdict(self) -> str:
        facts = {"choice": self.step.label, "cost": self.step.cost}
        if self.right:
            return _("Right: %(choice)s.") % facts
        facts["best"] = self.hint.options[0].label
        return _("%(choice)s: %(cost)s. Best was: %(best)s.") % facts

    @property
    def credit(self) -> str:
        return phrases.percent(credit(self.step.entry.regret))

    @property
    def options(self) -> list[Ranked]:
        """By what is still to come: the points of the card so far are the same for all."""
        points = self.step.state.points
        return [replace(one, expected=one.expected - points) for one in self.step.alternatives]

    @property
    def again(self) -> str:
        card = self.attempt.card
        if not card.interval:
            return _("This position comes again in ten minutes.")
        day = date_format(timezone.localtime(card.due))
        return _("This position comes again on %(day)s.") % {"day": day}


def exercise_board(position: Position, held: Collection[int] | None) -> Board:
    """Without a word of what anything is worth."""
    return build(Sight(state_of(position), owner=True, held=held))


def answer(advisor: Advisor, attempt: DrillAttempt) -> DrillAnswer:
    card, action = attempt.card, attempt.action
    held = action.slots if isinstance(action, Hold) else 0
    # What was held is named first where several dice would do for the best.
    state = replace(state_of(card.position), held=held)
    told = step_of(advisor, attempt.number + 1, state, action)
    at_hand = advisor.evaluate(position_of(state))
    best = replace(hint(advisor, state, at_hand), reason=told.reason)
    return DrillAnswer(attempt, told, best, _judged_board(state, at_hand, best))


def drill_retried(attempt: DrillAttempt, action: Action) -> DrillAttempt | None:
    """As if this had been tried, and not to be saved; None where the rules forbid it."""
    try:
        step(state_of(attempt.card.position), action)
    except IllegalAction:
        return None
    hold = action.slots if isinstance(action, Hold) else None
    category = action.category if isinstance(action, Score) else ""
    retried = DrillAttempt(card=attempt.card, number=attempt.number, hold=hold, category=category)
    retried.pk = attempt.pk
    return retried


def _judged_board(state: State, at_hand: Evaluated, best: Hint) -> Board:
    panel = Panel(True, False, None, best, (), prices_of(box_costs(at_hand)))
    return build(Sight(state, held=Hold(state.held).places, coach=panel))


def in_the_game(advisor: Advisor, state: State, action: Action) -> str:
    """What was done when it counted, and what that cost."""
    position = position_of(state)
    done = chosen_option(advisor.advise(position), position, action, state)
    facts = {"choice": phrases.option(state.rules, done), "cost": phrases.cost(done.regret)}
    return _("Your choice in the game was “%(choice)s”: %(cost)s.") % facts


def progress_chart(regrets: Sequence[float]) -> str:
    """The mean credit of the latest attempts as it went; empty while there are few."""
    if len(regrets) < FEWEST:
        return ""
    earned = [credit(regret) for regret in regrets]
    numbers = range(FEWEST, len(earned) + 1)
    means = [_mean(earned[max(0, number - ROLLING) : number]) for number in numbers]
    line = Line([float(number) for number in numbers], means, area=True)
    return Chart(
        _("Credit, averaged over the last %(count)s positions") % {"count": ROLLING},
        [line],
        x=Axis(label=_("positions tried")),
        y=Axis(low=0.0, high=1.0, percent=True),
        description=_("Now at %(credit)s.") % {"credit": phrases.percent(means[-1])},
        width=400.0,
        height=220.0,
        show_title=False,
    ).for_page()


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
