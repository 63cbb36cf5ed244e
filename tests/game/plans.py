"""Preregistrations for tests: written and locked by the services, as a researcher does."""

from typing import Any

from game.trials.models import Preregistration, Trial
from game.trials.results.preregistration import (
    lock_preregistration,
    save_preregistration,
)

USUAL: dict[str, Any] = {
    "hypotheses": "They learn.",
    "outcome": "cost",
    "exclusions": {},
    "stopping": "everybody",
}


def draft(trial: Trial, **planned: Any) -> Preregistration:
    return save_preregistration(trial=trial, **(USUAL | planned))


def preregister(trial: Trial, **planned: Any) -> Preregistration:
    draft(trial, **planned)
    return lock_preregistration(trial=trial)
