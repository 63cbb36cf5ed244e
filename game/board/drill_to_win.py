"""An attempt at winning, judged: like ``board.drill``, in chances instead of points."""

from dataclasses import dataclass, replace

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from game.board.model import Board, Sight, build
from game.coach.hints import Hint, ranked
from game.coach.panel import Panel, Price
from game.coach.winning import WinRow, rows_of
from game.judgement.repetition import credit
from game.judgement.severity import Severity
from game.judgement.winning import as_points, chance_severity, chosen_chance
from game.judgement.winning_pool import asked
from game.models import DrillAttempt
from game.words import chances as words
from game.words import phrases
from solver.advice import Advisor, state_of
from solver.advice.winning import Chances, WinOption
from solver.rules import Hold

SHOWN = 8  # options


@dataclass(frozen=True)
class WinAnswer:
    attempt: DrillAttempt
    found: Chances
    chosen: WinOption
    board: Board
    hint: Hint
    options: tuple[WinRow, ...]

    @property
    def right(self) -> bool:
        return self.chosen.best

    @property
    def severity(self) -> Severity:
        return chance_severity(self.chosen.regret)

    @property
    def label(self) -> str:
        return phrases.option(self.attempt.card.rules, self.chosen.option)

    @property
    def verdict(self) -> str:
        facts = {"choice": self.label, "cost": words.given_away(self.chosen.regret)}
        if self.right:
            return _("Right: %(choice)s.") % facts
        facts["best"] = self.hint.options[0].label
        return _("%(choice)s: %(cost)s. Best was: %(best)s.") % facts

    @property
    def credit(self) -> str:
        return phrases.percent(credit(as_points(self.chosen.regret)))

    @property
    def reason(self) -> str:
        rules = self.attempt.card.rules
        return f"{words.instead(rules, self.found)} {words.for_points(self.found)}"

    @property
    def again(self) -> str:
        card = self.attempt.card
        if not card.interval:
            return _("This position comes again in ten minutes.")
        return _("This position comes again on %(day)s.") % {
            "day": date_format(timezone.localtime(card.due))
        }


def _price(regret: float) -> Price:
    """In chances, which a figure alone would not tell from points."""
    told = words.given_away(regret)
    return Price(told, told, best=False)


def win_answer(coach: Advisor, attempt: DrillAttempt) -> WinAnswer:
    card, action = attempt.card, attempt.action
    held = action.slots if isinstance(action, Hold) else 0
    state = replace(state_of(card.position), held=held)
    found = asked(coach, card.position, card.needed)
    best = Hint((ranked(state, found.best.option),), "", "")
    costs = {
        one.option.category: _price(one.regret) for one in found.choices if one.option.category
    }
    panel = Panel(True, False, None, best, (), costs)
    board = build(Sight(state, held=Hold(held).places, coach=panel))
    options = rows_of(coach, found)[:SHOWN]
    return WinAnswer(attempt, found, chosen_chance(found, state, action), board, best, options)
