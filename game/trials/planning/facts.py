"""The results of a plan and its simulation, as plain data for JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from game.trials.planning.one_trial import EFFECT, KEPT, NONE
from game.trials.planning.page import PlanPage
from game.trials.planning.simulation import Simulation
from game.trials.planning.simulation_words import SimulationWords
from solver.statistics.planning import COMPARISONS, Design, Plan, people_needed, surenesses
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


def facts(page: PlanPage, simulation: Simulation | None = None) -> dict[str, Any]:
    """Half widths by design, and all that they follow from; what was simulated where arms were
    asked for."""
    trial = page.simulated
    return {
        **asdict(page.plan),
        **_halves(page, page.plan),
        "designs": {design.value: _design(page, design) for design in Design},
        "same_play": [
            {"people": plan.people, "games": plan.games} | _halves(page, plan)
            for plan in page.divided
        ],
        "minutes": _minutes(page),
        "spread": asdict(page.known.spread),
        "source": {
            name: getattr(page.known, name)
            for name in ("source", "own", "trials", "people", "games")
        },
        "sentences": [*page.sentences, *page.origin],
        "arms": trial.arms if trial else None,
        "phases": asdict(trial.phases) if trial else None,
        "simulation": simulation_facts(simulation) if simulation else None,
    }


def _halves(page: PlanPage, plan: Plan) -> dict[str, float | None]:
    found = surenesses(plan, page.known.spread)
    return {design.value: one.half if one else None for design, one in found.items()}


def _minutes(page: PlanPage) -> dict[str, float | bool]:
    a_game = page.known.minutes
    return {
        "a_game": a_game,
        "timed": page.known.timed,
        "each": a_game * page.plan.games,
        "all": a_game * page.plan.played,
    }


def _design(page: PlanPage, design: Design) -> dict[str, float | None] | None:
    found = page.found[design]
    if found is None:
        return None
    told: dict[str, float | None] = {
        "half": found.half,
        "error": found.error,
        "degrees": found.degrees,
    }
    if design in COMPARISONS:
        told["smallest"] = found.smallest
    if design in COMPARISONS and page.effect:
        told["power"] = found.power(page.effect)
        told["people_needed"] = people_needed(page.plan, page.known.spread, design, page.effect)
    return told
