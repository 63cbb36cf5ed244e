"""Student's t against printed tables and slow integration; intervals against what they promise."""

from math import gamma, pi, sqrt
from statistics import NormalDist, mean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.statistics import inference
from solver.statistics.inference import (
    Interval,
    Significance,
    regularised_beta,
    t_quantile,
    t_to_level,
    t_to_p,
    z_to_p,
)
from tests.known import known

samples = st.lists(st.integers(60, 374).map(float), min_size=2, max_size=30)


# The distributions


def integrated(t: float, degrees: float, steps: int = 20_000) -> float:
    """P(|T| <= t) by Simpson's rule on the density."""
    xs = np.linspace(0, t, 2 * steps + 1)
    heights = (1 + xs**2 / degrees) ** (-(degrees + 1) / 2)
    weights = np.where(np.arange(2 * steps + 1) % 2, 4.0, 2.0)
    weights[[0, -1]] = 1.0
    front = gamma((degrees + 1) / 2) / sqrt(degrees * pi) / gamma(degrees / 2)
    return 2 * front * float(weights @ heights) * t / steps / 6


@pytest.mark.parametrize("degrees", [1, 1.7, 2, 5, 12.4, 40, 200])
@pytest.mark.parametrize("t", [0.01, 0.5, 1.3, 2.42, 6.0])
def test_the_chance_is_that_of_the_integrated_density(t: float, degrees: float) -> None:
    assert t_to_level(t, degrees) == pytest.approx(integrated(t, degrees), abs=1e-10)


@given(degrees=st.floats(0.5, 1e5), level=st.floats(0.01, 0.999))
def test_the_quantile_inverts_the_distribution(degrees: float, level: float) -> None:
    assert t_to_level(t_quantile(degrees, level), degrees) == pytest.approx(level, abs=1e-8)


@given(degrees=st.floats(0.5, 1e5), t=st.floats(-50, 50))
def test_both_chances_make_one_and_the_sign_does_not_matter(degrees: float, t: float) -> None:
    assert t_to_p(t, degrees) + t_to_level(t, degrees) == pytest.approx(1.0, abs=1e-9)
    assert t_to_p(t, degrees) == t_to_p(-t, degrees)


@given(a=st.floats(0.3, 60), b=st.floats(0.3, 60), x=st.floats(0.001, 0.999))
def test_the_incomplete_beta_function_keeps_its_recurrence(a: float, b: float, x: float) -> None:
    """I_x(a, b) = x I_x(a - 1, b) + (1 - x) I_x(a, b - 1), written one step up."""
    above = regularised_beta(a + 1, b + 1, x, 1 - x)
    parts = x * regularised_beta(a, b + 1, x, 1 - x)
    parts += (1 - x) * regularised_beta(a + 1, b, x, 1 - x)
    assert above == pytest.approx(parts, abs=1e-12)


def test_small_chances_keep_their_digits() -> None:
    assert t_to_p(1e9, 1) == pytest.approx(2 / pi / 1e9, rel=1e-9)  # Cauchy
    assert t_to_p(50.0, 2) == pytest.approx(1 - 50 / sqrt(50**2 + 2), rel=1e-6)


@given(z=st.floats(-5, 5))
def test_the_normal_chance_is_two_sided(z: float) -> None:
    assert z_to_p(z) == pytest.approx(2 * NormalDist().cdf(-abs(z)), abs=1e-12)


# One sample


def test_a_sample_of_a_textbook() -> None:
    """Student's own: the extra hours of sleep of ten patients."""
    gained = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
    found = known(inference.estimate_mean(gained))
    assert (round(found.mean, 2), round(found.low, 3), round(found.high, 3)) == (1.58, 0.700, 2.460)
    test = known(inference.t_test(found))
    assert (round(test.statistic, 3), round(test.p, 5), test.degrees) == (4.062, 0.00283, 9)


@given(values=samples, shift=st.integers(-100, 100))
def test_an_interval_moves_with_its_values(values: list[float], shift: int) -> None:
    here, there = (inference.estimate_mean([v + by for v in values]) for by in (0, shift))
    if len(set(values)) == 1:
        assert (here, there) == (None, None)
        return
    assert known(there).low - known(here).low == pytest.approx(shift, abs=1e-6)
    assert known(there).half == pytest.approx(known(here).half, abs=1e-6)
    assert known(here).error == pytest.approx(stdev(values) / sqrt(len(values)))
    assert mean(values) in known(here)


@pytest.mark.parametrize("values", [[], [250.0], [248.5] * 7, [0.1] * 3])
def test_values_that_do_not_tell_how_far_they_spread_have_no_interval(values: list[float]) -> None:
    assert inference.estimate_mean(values) is None
    assert inference.t_test(inference.estimate_mean(values)) is None


def test_the_study_beat_perfect_play_by_two_and_a_half_standard_errors() -> None:
    test = known(inference.z_test(253.82, 300, 248.44, 38.496))
    assert round(test.statistic, 2) == 2.42
    assert test == Significance(test.statistic, test.p)
    assert test.p == pytest.approx(0.0155, abs=1e-4)
    assert inference.z_test(253.82, 0, 248.44, 38.496) is None
    assert inference.z_test(253.82, 300, 248.44, 0.0) is None


def test_an_interval_knows_its_half_and_what_it_holds() -> None:
    found = Interval(10.0, 8.0, 12.0, 1.0, 5)
    assert found.half == 2.0
    assert 8.0 in found
    assert 12.1 not in found
