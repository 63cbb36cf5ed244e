"""A simulation as plain data, for JSON: every figure has its own error beside it."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from game.trials.planning.one_trial import EFFECT, KEPT, NONE
from game.trials.planning.simulation import Simulation
from game.trials.planning.simulation_words import SimulationWords
from solver.statistics.tallies import TrialTally

Figures = Iterator[tuple[str, float | None]]


def simulation_facts(of: Simulation) -> dict[str, Any]:
    """Margins are half a 95 % range of what the simulation itself leaves open."""
    trial = of.trial
    asked = of.worlds.get(EFFECT) or of.worlds[NONE]
    told: dict[str, float | None] = {}
    if EFFECT in of.worlds:
        told.update(_share("power", asked.found))
        told.update(_share("power_of_any", asked.any_found))
    told.update(_share("false_findings", of.worlds[NONE].any_found))
    told.update(_mean("half", asked.half))
    told.update(_mean("difference", asked.gained))
    told.update(_mean("people_counted", asked.people))
    if KEPT in of.worlds:
        told.update(_mean("difference_half_kept", of.worlds[KEPT].gained))
        told["bias_half_kept"] = _less(of.worlds[KEPT].gained.mean, trial.effect)
    return {
        "trials": of.trials,
        "seconds": of.seconds,
        "precise": of.precise,
        **told,
        "settings": asdict(trial),
        "sentences": SimulationWords(of).sentences,
    }


def _share(name: str, of: TrialTally) -> Figures:
    yield name, of.mean
    yield f"{name}_margin", of.share_margin


def _mean(name: str, of: TrialTally) -> Figures:
    yield name, of.mean
    yield f"{name}_margin", of.margin


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other
