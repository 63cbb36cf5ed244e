"""Counting simulated trials: means, what is open about them, and going on where one stopped."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.statistics.inference import interval
from solver.statistics.shares import Z95, wilson
from solver.statistics.student import t_quantile
from solver.statistics.tallies import TrialTally

values = st.lists(st.floats(-100, 100), max_size=30)


def tally(of: list[float], begun: TrialTally | None = None) -> TrialTally:
    found = begun or TrialTally()
    for one in of:
        found = found.plus(one)
    return found


@given(of=values)
def test_a_mean_has_the_error_of_a_sample(of: list[float]) -> None:
    found, known = tally(of), interval(of)
    assert found.count == len(of)
    if of:
        assert found.mean == pytest.approx(float(np.mean(of)), abs=1e-9)
    if known:
        half = known.half / t_quantile(len(of) - 1) * Z95
        assert found.margin == pytest.approx(half, rel=1e-5, abs=1e-5)


@given(first=values, then=values)
def test_going_on_comes_to_the_same_as_never_having_stopped(
    first: list[float], then: list[float]
) -> None:
    assert tally(then, tally(first)) == tally(first + then)


@given(of=values)
def test_what_tells_nothing_is_no_value(of: list[float]) -> None:
    assert tally(of).plus(None) == tally(of)


def test_one_value_has_no_error_and_none_no_mean() -> None:
    assert tally([3.0]).margin is None
    assert TrialTally().mean is None
    assert tally([1.0, 3.0]).margin == pytest.approx(Z95)


@given(count=st.integers(200, 5000), share=st.floats(0.1, 0.9))
def test_a_share_is_about_as_sure_as_wilson_says(count: int, share: float) -> None:
    found = round(share * count)
    low, high = wilson(found, count) or (0.0, 0.0)
    assert TrialTally(count, found, found).share_margin == pytest.approx((high - low) / 2, rel=0.06)


@given(count=st.integers(1, 5000))
def test_none_and_all_are_never_certain(count: int) -> None:
    none, every = TrialTally(count), TrialTally(count, count, count)
    assert none.share_margin == pytest.approx(every.share_margin)
    assert none.share_margin > 1.9 / (count + 4)
