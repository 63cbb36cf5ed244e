"""The dice of all games together: how often each face fell, and whether that is fair."""

from collections import Counter
from math import sqrt
from operator import itemgetter
from typing import Any

from rebuilding.figures import SKIPPED, CountedGames
from rebuilding.games import Row
from rebuilding.statistics import chi_squared_p

MOST_DEALT = 1000  # games whose dice the program counts
MOST_EXACT = 400  # dice up to which it goes through all counts for p


def dice(sample: CountedGames, told: Row) -> Any:
    """Return the faces of dice that fell once; on shared dice the seeds are needed to identify
    them."""
    if sample.shared or len(sample.games) > MOST_DEALT or not sample.games:
        return SKIPPED if sample.games else None
    thrown: Counter[str] = sum((game["made"].thrown for game in sample.games), Counter())
    found = _counted(thrown)
    return found | {
        "expected": found["dice"] / 6,
        "mean_standard_error": sqrt(35 / 12 / found["dice"]),
        "degrees": 5,
        "games": len(sample.games),
        "apart": _apart(sample, [one["die"] for one in told["dice"]["apart"]]),
    }


def _counted(thrown: "Counter[str]") -> Row:
    counts = {face: thrown[face] for face in "123456"}
    total = sum(counts.values())
    due = total / 6
    statistic = sum((count - due) ** 2 for count in counts.values()) / due
    return {
        "dice": total,
        "counts": counts,
        "mean": sum(int(face) * n for face, n in counts.items()) / total,
        "chi_squared": statistic,
        "p": SKIPPED if total <= MOST_EXACT else chi_squared_p(statistic),
    }


def _apart(sample: CountedGames, dice: "list[int | None]") -> "list[Row]":
    """Return the faces by place; None is for dice without a number."""
    thrown: dict[int | None, Counter[str]] = {die: Counter() for die in dice}
    for game in sample.games if dice else []:
        for (place, face), count in game["made"].fallen.items():
            thrown[place if place in thrown else None][face] += count
    found: list[Row] = [{"die": die} | _counted(counts) for die, counts in thrown.items()]
    if any(one["p"] == SKIPPED for one in found):
        return [one | {"p_of_several": SKIPPED} for one in found]
    least = 0.0
    for rank, one in enumerate(sorted(found, key=itemgetter("p"))):  # as Holm raises them
        least = max(least, min(1.0, (len(found) - rank) * one["p"]))
        one["p_of_several"] = least
    return found
