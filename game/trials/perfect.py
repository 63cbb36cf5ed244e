"""Perfect play in a trial: what it is good for, and what it makes of the very same dice."""

from collections.abc import Mapping
from functools import lru_cache

from django.db.models import QuerySet

from game.fair.blocks import block
from game.judgement import tables
from game.lab.pages import perfect as perfect_distribution
from game.models import Game, Trial
from game.selectors.trial_results import seeds_shared
from game.trials.bots import action_of
from solver.advice import Advisor, position_of
from solver.rules import Action, Hold, State, play, start
from solver.statistics.trial_figures import Conditions


def conditions_of(trial: Trial, games: QuerySet[Game]) -> Conditions:
    """As far as this site knows them: nothing of perfect play without its table."""
    advisor = tables.advisor(trial.rules)
    if advisor is None:
        return Conditions(None, shared_dice=trial.shared_dice)
    perfect = perfect_scores(games, advisor) if trial.shared_dice else {}
    return Conditions(advisor.value_start, deviation(advisor), trial.shared_dice, perfect)


def deviation(advisor: Advisor) -> float | None:
    """Of the final scores of perfect play: from one of two files that may both be missing."""
    if advisor.outlook_start:
        return advisor.outlook_start.deviation
    found = perfect_distribution(advisor.rules)
    return found.deviation if found else None


def perfect_scores(games: QuerySet[Game], advisor: Advisor) -> Mapping[int, int]:
    """Of each game whose dice everybody shares, by its number."""
    return {number: perfect_score(advisor, seed) for number, seed in seeds_shared(games).items()}


@lru_cache(maxsize=4096)
def perfect_score(advisor: Advisor, seed: str) -> int:
    """Played out over the dice of this seed, in about 3 ms."""
    dice, state = block(seed, advisor.rules), start(advisor.rules)
    while not state.finished:
        state = play(state, _best(advisor, state), dice)
    return state.total


def _best(advisor: Advisor, state: State) -> Action:
    """A turn begins by throwing all dice."""
    if not state.dice:
        return Hold(0)
    return action_of(state, advisor.advise(position_of(state)).best)
