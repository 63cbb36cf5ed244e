"""Games that were begun and not finished: no statistic counts them, so what does that do?

Their scores are not known, but bounds are: nothing more than stands on the card, and what perfect
play would still expect of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from game.judgement import tables
from game.models import Game, Trial
from game.selectors.export import STAYED
from game.selectors.games import games_played
from solver.advice import Advisor, position_of
from solver.rules import State

MOST = 300  # games that are looked at: more are told of by their number alone


@dataclass(frozen=True, slots=True)
class UnderWay:
    """So many games, and the mean of all scores without them and with them at either bound."""

    games: int
    without: float | None = None
    least: float | None = None
    most: float | None = None


def under_way(trial: Trial, until: datetime, scores: Sequence[int]) -> UnderWay:
    stayed = trial.participants.filter(STAYED)
    running = Q(finished_at__isnull=True) | Q(finished_at__gt=until)
    found = Game.objects.filter(running, participant__in=stayed, started_at__lte=until)
    count = found.count()
    advisor = tables.advisor(trial.rules)
    if not count or count > MOST or not scores or advisor is None:
        return UnderWay(count)
    states = [one.state for one in games_played(list(found))]
    total, games = sum(scores), len(scores) + len(states)
    return UnderWay(
        count,
        without=total / len(scores),
        least=(total + sum(state.total for state in states)) / games,
        most=(total + sum(_expected(advisor, state) for state in states)) / games,
    )


def _expected(advisor: Advisor, state: State) -> float:
    """The score that perfect play would reach from here on average."""
    if state.finished:
        return float(state.total)
    if state.dice:
        return state.points + advisor.advise(position_of(state)).best.value
    return state.points + advisor.value(
        state.filled, state.upper, chips_won=state.chips_won, stock=state.stock
    )
