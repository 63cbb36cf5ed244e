"""Why FSRS: two rules over the same made-up learners, whose memory neither rule knows.

There are no answers of real people to replay, so this says only what it says: over learners that
forget exponentially, some quickly and some slowly, the schedule of FSRS asks when the chance to
know a position is nearer to the nine in ten that it promises than SM-2 does, which promises none.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from game.core.worth.repetition import AGAIN, EARLIER, RECALL, Answered, scheduled

BEGUN = datetime(2026, 1, 1, 18, tzinfo=UTC)
DAYS = timedelta(days=365)
WRONG, RIGHT = 3.0, 0.0  # points
Due = Callable[[Sequence[Answered]], datetime]


@dataclass
class Memory:
    """Of one position: it is known after ``t`` days with a chance of 2 ** (-t / half_life)."""

    growth: float
    half_life: float = 4.0

    def known(self, days: float) -> float:
        return float(2.0 ** (-days / self.half_life))

    def asked(self, days: float, *, right: bool) -> None:
        """What was nearly forgotten and known all the same is remembered longest."""
        grown = self.half_life * (1 + self.growth * (1 - self.known(days)))
        self.half_life = grown if right else max(1.0, 0.4 * self.half_life)


def fsrs(answers: Sequence[Answered]) -> datetime:
    return scheduled(answers, BEGUN).due


def sm2(answers: Sequence[Answered]) -> datetime:
    """The rule before: a day, six, then the ease, which full marks raise by a tenth."""
    interval, ease, streak, due = 0, 2.5, 0, BEGUN
    for answer in answers:
        if answer.regret == WRONG:
            interval, streak, due = 0, 0, answer.at + AGAIN
            continue
        ease += 0.1
        interval = (1, 6)[streak] if streak < 2 else min(365, round(interval * ease))
        streak, due = streak + 1, answer.at + timedelta(days=interval) - EARLIER
    return due


def replayed(rule: Due, seed: int) -> list[float]:
    """The chance to know the position, each time that a year of this rule asks."""
    rng = np.random.default_rng(seed)
    memory, answers, chances = Memory(growth=rng.uniform(0.5, 8.0)), list[Answered](), list[float]()
    while (due := rule(answers)) < BEGUN + DAYS:
        days = (due - answers[-1].at) / timedelta(days=1) if answers else 0.0
        chances.append(memory.known(days))
        right = bool(rng.random() < memory.known(days)) if answers else False
        memory.asked(days, right=right)
        answers.append(Answered(RIGHT if right else WRONG, due))
    return [chance for chance in chances if chance < 0.999]  # not those of ten minutes later


@pytest.fixture(scope="module")
def asked() -> dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    learners = range(40)
    rules: dict[str, Due] = {"fsrs": fsrs, "sm2": sm2}
    return {
        name: np.concatenate([np.array(replayed(rule, seed)) for seed in learners])
        for name, rule in rules.items()
    }


def test_fsrs_asks_nearer_to_the_chance_that_it_promises(
    asked: dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]],
) -> None:
    off = {name: float(np.mean(np.abs(chances - RECALL))) for name, chances in asked.items()}
    assert off["fsrs"] < 0.7 * off["sm2"]
    assert asked["fsrs"].mean() > asked["sm2"].mean()


@pytest.mark.nightly
def test_fsrs_asks_no_more_often(
    asked: dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]],
) -> None:
    assert len(asked["fsrs"]) <= len(asked["sm2"])
