"""Perfect play in a trial: what it is good for, and what it makes of the very same dice."""

from collections.abc import Mapping
from functools import lru_cache

from django.db.models import QuerySet

from game.coach.scores import perfect as perfect_distribution
from game.fair.blocks import block
from game.judgement import tables
from game.models import Game, Trial
from game.trials.results.reading import seeds_shared
from solver.advice import Advisor
from solver.arena.match import from_block, play_out
from solver.players.advised import Advised
from solver.statistics.trial_figures import Conditions


def conditions_of(trial: Trial, games: QuerySet[Game]) -> Conditions:
    """As far as this site knows them: nothing of perfect play without its table."""
    advisor = tables.advisor(trial.rules)
    if advisor is None:
        return Conditions(None, shared_dice=trial.shared_dice)
    perfect = perfect_scores(games, advisor) if trial.shared_dice else {}
    return Conditions(advisor.value_start, deviation(advisor), trial.shared_dice, perfect)


def deviation(advisor: Advisor) -> float | None:
    """Of the final scores of perfect play: from one of two files, which may be missing."""
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
    faces = from_block(block(seed, advisor.rules))
    return play_out(Advised(advisor), advisor.rules, faces).end.total
