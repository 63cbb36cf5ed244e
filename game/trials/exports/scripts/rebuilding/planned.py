"""The analyses that were planned: the same figures, without those whom a rule leaves out."""

from statistics import fmean
from typing import Any

from rebuilding.figures import SKIPPED, CountedGames, against_known, lost_of
from rebuilding.statistics import slope, t_test


def planned_figures(sample: CountedGames, outcome: str) -> "dict[str, Any]":
    """Return the figures of the planned analyses that these scripts calculate."""
    name = "regret" if outcome == "cost" else "score"
    alike, others = sample.of_these(name, each=True), sample.of_others(name)
    middle = fmean([fmean(own.values()) for own in sample.values(name) if own] or [0.0])
    steep: Any = slope(sample.values("regret")) if sample.simple else SKIPPED
    return {
        "these_people": _ends(alike) or {"mean": middle},
        "people_like_these": _ends(others),
        "against_perfect": _planned_test(sample, outcome),
        "learning": SKIPPED
        if steep == SKIPPED
        else {**_ends(steep), "p": (t_test(steep) or {}).get("p")},
    }


def _ends(found: Any) -> Any:
    if found == SKIPPED or not found:
        return found
    return {name: found[name] for name in ("mean", "low", "high", "error")}


def _planned_test(sample: CountedGames, outcome: str) -> Any:
    if outcome == "cost":
        lost = lost_of(sample)
        mean, test = (lost["mean"], lost["test"]) if lost else (None, None)
    else:
        test = against_known(sample)
        mean = fmean(game["score"] for game in sample.games) - sample.start if test else None
    if test == SKIPPED or not test:
        return test
    return {"mean": mean, "statistic": test["statistic"], "p": test["p"]}
