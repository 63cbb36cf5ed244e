"""A plan as plain data, for JSON."""

from dataclasses import asdict
from typing import Any

from game.trials.planning.page import PlanPage
from game.trials.planning.simulation import Simulation
from game.trials.planning.simulation_facts import simulation_facts
from solver.statistics.planning import COMPARISONS, Design, Plan, people_needed, surenesses


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
