"""What decisions cost people while they learn, in spans of games that double: 1, 2, 3-4, 5-8...

Whoever learns does so by how much they have played already, so that spans as wide as what came
before them lie evenly on an axis of powers, beside programs that need a thousand times as many.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from statistics import fmean

from solver.statistics.inference import Interval, interval
from solver.statistics.trial_figures import TrialGame


@dataclass(frozen=True, slots=True)
class Doubling:
    """``lost`` is the mean of the people's own means in these games; its range is for people like
    these, and None where there is one or they are all alike."""

    first: int
    last: int
    people: int
    lost: float
    range: Interval | None

    @property
    def power(self) -> float:
        """Where it stands on an axis of powers: halfway between its ends."""
        return (log10(self.first) + log10(self.last)) / 2


def doublings(games: Sequence[TrialGame]) -> list[Doubling]:
    """Of the games that were judged; the last span ends with the last of them."""
    spans: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    judged = [game for game in games if game.regret is not None]
    for game in judged:
        spans[_span(game.number)][game.participant].append(game.regret or 0.0)
    latest = max((game.number for game in judged), default=0)
    return [_doubling(span, people, latest) for span, people in sorted(spans.items())]


def _span(number: int) -> int:
    return (number - 1).bit_length()


def _doubling(span: int, people: dict[str, list[float]], latest: int) -> Doubling:
    means = [fmean(lost) for lost in people.values()]
    first = 2 ** (span - 1) + 1 if span else 1
    return Doubling(first, min(2**span, latest), len(means), fmean(means), interval(means))
