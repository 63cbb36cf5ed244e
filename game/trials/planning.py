"""The standard deviations of people in closed trials, for the planner."""

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np
from django.db.models import Exists, OuterRef

from game.models import Coach
from game.trials.analysis.power import Spread
from game.trials.analysis.primary import SCORE
from game.trials.models import Trial, TrialGame
from solver.statistics.chi_squared import Floats

LEAST_PEOPLE = 6  # minimum number of people for an estimate of the spread


def estimate_spread(ruleset: str, outcome: str) -> tuple[Spread, int] | None:
    """Return the standard deviations of people in closed trials with these rules, and the number of
    people. Only games before a person's first coached game count. Return None if too few people
    have two such games."""
    trials = Trial.objects.filter(
        ruleset=ruleset, rehearsal=False, closed_at__isnull=False, unmasked_at__isnull=False
    )
    coached = TrialGame.objects.filter(
        participant=OuterRef("participant"), number__lte=OuterRef("number")
    ).exclude(game__coach=Coach.OFF)
    name = "game__final_score" if outcome == SCORE else "game__regret"
    games = TrialGame.objects.filter(
        ~Exists(coached),
        participant__trial__in=trials,
        participant__withdrawn_at__isnull=True,
        game__finished_at__isnull=False,
        game__ruleset=ruleset,
        **{f"{name}__isnull": False},
    )
    people: dict[tuple[int, int], list[float]] = {}
    rows = games.order_by("number").values_list("participant__trial", "participant", name)
    for trial, participant, value in rows:
        people.setdefault((trial, participant), []).append(float(value))
    played = {who: np.array(costs) for who, costs in people.items() if len(costs) > 1}
    by_trial = [
        [costs for who, costs in played.items() if who[0] == at]
        for at in {who[0] for who in played}
    ]
    by_trial = [group for group in by_trial if len(group) > 1]
    everybody = [costs for group in by_trial for costs in group]
    if len(everybody) < LEAST_PEOPLE:
        return None
    spare = sum(len(costs) - 1 for costs in everybody)
    within = sum(float(costs.var()) * len(costs) for costs in everybody) / spare
    between = _calculate_variance(
        by_trial, within, lambda costs: (float(costs.mean()), 1 / len(costs))
    )
    change = _calculate_variance(by_trial, within, _compare_halves)
    return Spread(sqrt(between), sqrt(change), sqrt(within)), len(everybody)


def _compare_halves(costs: Floats) -> tuple[float, float]:
    """Return the mean cost of the second half of the games minus that of the first half, and a
    factor: the variance of one game times this factor is the variance of the difference."""
    half = len(costs) // 2
    return float(costs[half:].mean() - costs[:half].mean()), 1 / half + 1 / (len(costs) - half)


def _calculate_variance(
    groups: Sequence[Sequence[Floats]],
    within: float,
    measure: Callable[[Floats], tuple[float, float]],
) -> float:
    """Return the variance between people, without the part that comes from variation between games.
    ``within`` is the variance of a game. ``measure`` returns a person's value and a factor;
    ``within`` times this factor is the part of the value's variance that comes from games."""
    square = noise = spare = 0.0
    for group in groups:
        values, factors = zip(*map(measure, group), strict=True)
        square += float(np.var(values)) * len(values)
        noise += (len(values) - 1) * within * float(np.mean(factors))
        spare += len(values) - 1
    return max(0.0, (square - noise) / spare)
