"""The dice of all games together: how often each face fell, and whether that is fair."""

from collections import Counter
from math import sqrt
from typing import Any

from rebuilding.figures import SKIPPED, CountedGames
from rebuilding.statistics import chi_squared_p

MOST_DEALT = 1000  # games whose dice the program counts
MOST_EXACT = 400  # dice up to which it goes through all counts for p


def dice(sample: CountedGames) -> Any:
    """Of dice that fell once; on shared dice it takes the seeds to tell which those are."""
    if sample.shared or len(sample.games) > MOST_DEALT or not sample.games:
        return SKIPPED if sample.games else None
    counts: Counter[str] = sum((game["made"].thrown for game in sample.games), Counter())
    total = sum(counts.values())
    due = total / 6
    statistic = sum((counts[face] - due) ** 2 for face in "123456") / due
    return {
        "dice": total,
        "counts": {face: counts[face] for face in "123456"},
        "expected": due,
        "mean": sum(int(face) * n for face, n in counts.items()) / total,
        "mean_standard_error": sqrt(35 / 12 / total),
        "chi_squared": statistic,
        "degrees": 5,
        "p": SKIPPED if total <= MOST_EXACT else chi_squared_p(statistic),
        "games": len(sample.games),
    }
