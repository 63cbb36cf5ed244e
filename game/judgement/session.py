"""A sitting at the drill, and what was missed in it; nothing is stored of where it began."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from solver.dp.space import TIE

PAUSE = timedelta(minutes=30)  # after which another session begins


class Sat(NamedTuple):
    """An answer: its key, what was asked, what it cost and when it came."""

    key: int
    card: int
    regret: float
    at: datetime


def in_session(answers: Sequence[Sat], now: datetime) -> Sequence[Sat]:
    """Those, of the latest first, that follow each other, and ``now``, without a pause."""
    later = [now, *(answer.at for answer in answers)]
    pairs = enumerate(zip(later, answers, strict=False))
    return answers[
        : next((n for n, (after, one) in pairs if after - one.at >= PAUSE), len(answers))
    ]


def missed(answers: Iterable[Sat]) -> list[int]:
    """Keys of the answers that were not right: one for each position, the costliest first."""
    worst: dict[int, int] = {}
    for answer in sorted(answers, key=lambda one: (-one.regret, one.key)):
        if answer.regret > TIE:
            worst.setdefault(answer.card, answer.key)
    return list(worst.values())
