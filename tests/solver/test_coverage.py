"""Ranges hold the truth, and tests find nothing where nothing is, about as often as they say."""

from typing import NamedTuple

import pytest

from tests.known import known
from tests.solver.coverage import coverage

NIGHTLY = pytest.mark.nightly


class Kind(NamedTuple):
    """A kind of made-up trial, with ends that at most one seed in a hundred goes beyond."""

    name: str
    trials: int
    seed: int
    ranges: int
    least: float  # share of trials whose range holds the truth
    most: float  # share of trials in which something is found that is not there


KINDS = [
    Kind("own dice", 120, 5, 5, 105 / 120, 15 / 120),
    Kind("shared dice", 120, 5, 5, 105 / 120, 15 / 120),
    Kind("arms, own dice", 120, 7, 4, 105 / 120, 1),
    pytest.param(Kind("arms, shared dice", 120, 7, 4, 105 / 120, 1), marks=NIGHTLY),
    pytest.param(Kind("arms within people", 120, 7, 4, 105 / 120, 1), marks=NIGHTLY),
    Kind("arms, no effect", 120, 2, 4, 0, 15 / 120),
    Kind("3 arms, an effect, the weak drop out", 60, 3, 2, 49 / 60, 9 / 60),
    pytest.param(Kind("3 arms, no effect", 600, 11, 8, 0, 0.08), marks=NIGHTLY),
    pytest.param(Kind("2 arms, no effect", 600, 11, 8, 0, 0.08), marks=NIGHTLY),
    pytest.param(Kind("within people, no effect", 600, 11, 2, 0, 0.08), marks=NIGHTLY),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_ranges_hold_as_often_as_they_say(kind: Kind) -> None:
    lines = list(coverage(kind.trials, kind.seed, kind.name))
    assert len(lines) == kind.ranges
    assert min(line.covered for line in lines) >= kind.least
    assert max(line.false_positives or 0.0 for line in lines) <= kind.most


def test_sessions_count_as_one_value_each_where_days_differ() -> None:
    # Games one by one miss the truth far too often, and find learning where there is none.
    lines = {line.about: line for line in coverage(100, seed=4, only="sessions")}
    one_by_one = lines["skill, these people, games one by one"]
    assert one_by_one.covered < 0.85 < lines["skill, these people"].covered
    assert known(lines["slope of learning, games one by one"].false_positives) > 0.15
    assert known(lines["slope of learning"].false_positives) < 0.15
