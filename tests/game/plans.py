"""Preregistrations for tests: written and locked by the services, as a researcher does."""

from typing import Any

from game.models import Preregistration, Trial
from game.trials.results.preregistration import (
    document_of,
    preregistration_lock,
    preregistration_save,
)

USUAL: dict[str, Any] = {
    "hypotheses": "They learn.",
    "outcome": "cost",
    "exclusions": {},
    "stopping": "everybody",
}


def draft(trial: Trial, **planned: Any) -> Preregistration:
    return preregistration_save(trial=trial, **(USUAL | planned))


def preregister(trial: Trial, **planned: Any) -> Preregistration:
    draft(trial, **planned)
    return preregistration_lock(trial=trial, describe=document_of)
