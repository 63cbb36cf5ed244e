"""Trials to be simulated, for tests: small ones, so that many of them take a moment."""

from typing import Any

from game.models import Trial
from game.trials.planning.bots import spread_of_bots
from game.trials.planning.one_trial import Phases, SimulatedTrial

RULES = Trial().rules


def a_trial(
    *, baseline: int = 0, training: int = 2, test: int = 0, followup: int = 0, **settings: Any
) -> SimulatedTrial:
    outcome = settings.pop("outcome", "cost")
    usual: dict[str, Any] = {
        "people": 24,
        "arms": 2,
        "effect": 12.0,
        "spread": spread_of_bots(RULES, outcome),
    }
    phases = Phases(baseline, training, test, followup)
    return SimulatedTrial(RULES.id, outcome, phases=phases, **(usual | settings))
