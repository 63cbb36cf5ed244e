"""What the pages of the drill say beside a position and its answer."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from game.coach.hints import chosen_option
from game.core.words import phrases
from game.core.words.times import day, in_words
from game.core.worth.repetition import credit
from game.models import DrillCard
from solver.advice import Advisor, position_of
from solver.charts import Axis, Chart, Line
from solver.rules import Action, State

ROLLING = 20  # attempts that the chart averages
FEWEST = 5  # attempts that make a chart


def comes_again(card: DrillCard) -> str:
    if not card.interval:
        return _("This position comes again in ten minutes.")
    return in_words(_("This position comes again on %(day)s."), day=day(card.due))


def needed_to_win(many: int) -> str:
    text = ngettext("%(needed)s point needed to win", "%(needed)s points needed to win", many)
    return phrases.unbroken(text % {"needed": many})


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
