"""A sitting at the drill, and what was missed or slow in it; where it began is stored nowhere."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from statistics import median
from typing import NamedTuple

from solver.dp.space import TIE

PAUSE = timedelta(minutes=30)  # after which another session begins
# A right answer was slow that took so many times as long as the middle one, and so long at least.
SLOW, AT_LEAST = 2, 10_000  # milliseconds
FEWEST = 5  # answers whose time is known, for a middle one


class Sat(NamedTuple):
    """An answer: its key, what was asked, what it cost, when it came, and how long it took."""

    key: int
    card: int
    regret: float
    at: datetime
    took: int | None = None  # milliseconds, by the browser's word


def in_session(answers: Sequence[Sat], now: datetime) -> Sequence[Sat]:
    """Those, of the latest first, that follow each other, and ``now``, without a pause."""
    later = [now, *(answer.at for answer in answers)]
    pairs = enumerate(zip(later, answers, strict=False))
    return answers[
        : next((n for n, (after, one) in pairs if after - one.at >= PAUSE), len(answers))
    ]


def once_more(answers: Sequence[Sat]) -> list[int]:
    """Keys of the answers that were not right, the costliest first, then of those that were slow,
    the slowest first; one for each position."""
    wrong = [one for one in answers if one.regret > TIE]
    ordered = sorted(wrong, key=lambda one: (-one.regret, one.key)) + slow(answers)
    first: dict[int, int] = {}
    for answer in ordered:
        first.setdefault(answer.card, answer.key)
    return list(first.values())


def slow(answers: Iterable[Sat]) -> list[Sat]:
    known = sorted((one.took, one.key, one) for one in answers if one.took is not None)
    if len(known) < FEWEST:
        return []
    limit = max(AT_LEAST, SLOW * median(took for took, _key, _one in known))
    return [one for took, _key, one in reversed(known) if took >= limit and one.regret <= TIE]
