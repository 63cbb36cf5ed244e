"""Student's t against printed tables and slow integration; intervals against what they promise."""

from collections.abc import Iterable, Mapping, Sequence
from math import gamma, pi, sqrt
from statistics import NormalDist, mean, stdev, variance

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.statistics import inference
from solver.statistics.inference import Interval, Significance
from solver.statistics.student import normal_p, regularised_beta, t_p, t_quantile, t_within
from tests.known import known

samples = st.lists(st.integers(60, 374).map(float), min_size=2, max_size=30)


def numbered(*people: Iterable[float]) -> list[dict[int, float]]:
    """Every person's values as those of the games 1, 2, 3..."""
    return [dict(enumerate(values, start=1)) for values in people]


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
    assert t_within(t, degrees) == pytest.approx(integrated(t, degrees), abs=1e-10)


@given(degrees=st.floats(0.5, 1e5), level=st.floats(0.01, 0.999))
def test_the_quantile_inverts_the_distribution(degrees: float, level: float) -> None:
    assert t_within(t_quantile(degrees, level), degrees) == pytest.approx(level, abs=1e-8)


@given(degrees=st.floats(0.5, 1e5), t=st.floats(-50, 50))
def test_both_chances_make_one_and_the_sign_does_not_matter(degrees: float, t: float) -> None:
    assert t_p(t, degrees) + t_within(t, degrees) == pytest.approx(1.0, abs=1e-9)
    assert t_p(t, degrees) == t_p(-t, degrees)


@given(a=st.floats(0.3, 60), b=st.floats(0.3, 60), x=st.floats(0.001, 0.999))
def test_the_incomplete_beta_function_keeps_its_recurrence(a: float, b: float, x: float) -> None:
    """I_x(a, b) = x I_x(a - 1, b) + (1 - x) I_x(a, b - 1), written one step up."""
    above = regularised_beta(a + 1, b + 1, x, 1 - x)
    parts = x * regularised_beta(a, b + 1, x, 1 - x)
    parts += (1 - x) * regularised_beta(a + 1, b, x, 1 - x)
    assert above == pytest.approx(parts, abs=1e-12)


def test_small_chances_keep_their_digits() -> None:
    assert t_p(1e9, 1) == pytest.approx(2 / pi / 1e9, rel=1e-9)  # Cauchy
    assert t_p(50.0, 2) == pytest.approx(1 - 50 / sqrt(50**2 + 2), rel=1e-6)


@given(z=st.floats(-5, 5))
def test_the_normal_chance_is_two_sided(z: float) -> None:
    assert normal_p(z) == pytest.approx(2 * NormalDist().cdf(-abs(z)), abs=1e-12)


# One sample


def test_a_sample_of_a_textbook() -> None:
    """Student's own: the extra hours of sleep of ten patients."""
    gained = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
    found = known(inference.interval(gained))
    assert (round(found.mean, 2), round(found.low, 3), round(found.high, 3)) == (1.58, 0.700, 2.460)
    test = known(inference.t_test(found))
    assert (round(test.statistic, 3), round(test.p, 5), test.degrees) == (4.062, 0.00283, 9)


@given(values=samples, shift=st.integers(-100, 100))
def test_an_interval_moves_with_its_values(values: list[float], shift: int) -> None:
    here, there = (inference.interval([v + by for v in values]) for by in (0, shift))
    if len(set(values)) == 1:
        assert (here, there) == (None, None)
        return
    assert known(there).low - known(here).low == pytest.approx(shift, abs=1e-6)
    assert known(there).half == pytest.approx(known(here).half, abs=1e-6)
    assert known(here).error == pytest.approx(stdev(values) / sqrt(len(values)))
    assert mean(values) in known(here)


@pytest.mark.parametrize("values", [[], [250.0], [248.5] * 7, [0.1] * 3])
def test_values_that_do_not_tell_how_far_they_spread_have_no_interval(values: list[float]) -> None:
    assert inference.interval(values) is None
    assert inference.stratified([values]) is None
    assert inference.stratified([[value] for value in values]) is None
    assert inference.same_dice(numbered(values)) is None
    assert inference.slope(numbered(values)) is None
    assert inference.t_test(inference.interval(values)) is None


def test_the_study_beat_perfect_play_by_two_and_a_half_standard_errors() -> None:
    test = known(inference.z_test(253.82, 300, 248.44, 38.496))
    assert round(test.statistic, 2) == 2.42
    assert test == Significance(test.statistic, test.p)
    assert test.p == pytest.approx(0.0155, abs=1e-4)
    assert inference.z_test(253.82, 0, 248.44, 38.496) is None
    assert inference.z_test(253.82, 300, 248.44, 0.0) is None


def test_pairs_are_judged_by_their_differences() -> None:
    ones, others = [250.0, 190, 301, 222], [240.0, 188, 290, 205]
    assert inference.paired(ones, others) == inference.interval([10.0, 2, 11, 17])
    with pytest.raises(ValueError, match="shorter"):
        inference.paired(ones, others[:2])


# Several people


@given(groups=st.lists(samples, min_size=1, max_size=5))
def test_the_error_of_given_people_comes_from_within_each(groups: list[list[float]]) -> None:
    found = inference.stratified(groups)
    total = sum(map(len, groups))
    variances = sum(len(group) * variance(group) for group in groups) / total**2
    if variances == 0:
        assert found is None
        return
    assert known(found).mean == pytest.approx(sum(map(sum, groups)) / total)
    assert known(found).error == pytest.approx(sqrt(variances))
    assert min(map(len, groups)) - 1 <= known(found).degrees + 1e-9
    assert known(found).degrees <= total - len(groups) + 1e-9


def test_one_person_is_a_plain_sample() -> None:
    values = [201.0, 240, 255, 198, 301]
    assert inference.stratified([values, []]) == pytest.approx(inference.interval(values))


def test_how_far_people_lie_apart_is_nothing_to_the_people_themselves() -> None:
    low, high = [200.0, 210, 190, 205], [300.0, 310, 290, 305]
    together, apart = (
        known(inference.stratified([low, high])),
        known(inference.across_people([low, high])),
    )
    assert together.error == pytest.approx(stdev(low) / sqrt(8))
    assert apart.error == pytest.approx(50)
    assert apart.degrees == 1


def test_a_person_of_one_game_is_taken_to_vary_like_the_others() -> None:
    found = known(inference.stratified([[200.0, 210, 190, 205], [250.0]]))
    alone = variance([200, 210, 190, 205])
    assert found.mean == 211.0
    assert found.error == pytest.approx(sqrt(4 * alone + alone) / 5)


def test_one_person_stands_for_no_others() -> None:
    assert inference.across_people([[200.0, 210], []]) is None
    assert inference.across_people_and_dice(numbered([200.0, 210])) is None


def test_on_shared_dice_luck_that_all_share_is_not_averaged_away() -> None:
    luck = [-40.0, 5, 30, -12, 22, 0]
    people = [[240 + one + drop for one in luck] for drop in (0.0, -10, -20)]
    shared, taken_apart = (
        known(inference.same_dice(numbered(*people))),
        known(inference.stratified(people)),
    )
    assert shared.error == pytest.approx(stdev(luck) / sqrt(6))
    assert shared.error == pytest.approx(taken_apart.error * sqrt(3))
    assert shared.mean == pytest.approx(taken_apart.mean)
    both = known(inference.across_people_and_dice(numbered(*people)))
    assert both.error == pytest.approx(sqrt(shared.error**2 + 100 / 3))
    assert both.degrees < 2 + 5


# Learning


def test_a_line_is_found_with_its_error() -> None:
    """Anscombe's first data set: y = 3.00 + 0.500 x, the error of the slope 0.1179."""
    xs = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
    ys = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]
    found = known(inference.slope([dict(zip(xs, ys, strict=True))]))
    assert (round(found.mean, 4), round(found.error, 4), found.degrees) == (0.5001, 0.1179, 9)
    assert known(inference.t_test(found)).p == pytest.approx(0.00217, abs=1e-5)


def test_people_who_are_better_and_stop_later_have_learnt_nothing() -> None:
    good = {n: 20.0 + n % 2 for n in range(1, 31)}
    poor = {n: 60.0 + n % 2 for n in range(1, 7)}
    found = known(inference.slope([good, poor]))
    assert abs(found.mean) < 0.05
    assert 0.0 in found


def test_dice_that_are_hard_for_everybody_are_not_taken_for_unlearning() -> None:
    hard = [0.0, 0.0, 0.0, 30.0]  # the last dice cost everybody more
    groups = numbered(
        *([20 + level + n % 3 + h for n, h in enumerate(hard)] for level in range(12))
    )
    assert 0.0 not in known(inference.slope(groups))
    shared = known(inference.slope_same_dice(groups))
    assert 0.0 in shared
    assert shared.degrees == 2
    assert shared.mean == pytest.approx(known(inference.slope(groups)).mean)


def test_a_slope_needs_more_games_than_a_line_has_ends() -> None:
    assert inference.slope(numbered([30.0, 20.0])) is None
    assert inference.slope(numbered([30.0, 20.0], [40.0, 20.0], [])) is not None
    assert inference.slope([{3: 30.0}, {3: 20.0}, {3: 9.0}]) is None
    assert inference.slope_same_dice(numbered([30.0, 20.0], [40.0, 20.0])) is None
    assert inference.slope([]) is None


# What 95 % promises


def held(intervals: Sequence[Interval | None], truth: float) -> float:
    return sum(truth in known(found) for found in intervals) / len(intervals)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """Six people, as in the study, whose levels, spreads and numbers of games differ."""
    rng = np.random.default_rng(7)
    levels, spreads, games = [210, 225, 240, 235, 220, 245], [60, 50, 30, 35, 45, 25], [4, 9] * 3
    truth = float(np.average(levels, weights=games))
    rounds = [
        [rng.normal(*person).tolist() for person in zip(levels, spreads, games, strict=True)]
        for _ in range(2000)
    ]
    assert 0.94 < held([inference.stratified(people) for people in rounds], truth) < 0.96


@pytest.mark.sampled("shared")
@pytest.mark.parametrize("games", [(20, 1, 1, 1, 1, 1), (20, 20, 20, 3, 3, 3)], ids=str)
@pytest.mark.parametrize("shared", [30, 10])
def test_on_shared_dice_people_who_stopped_early_do_not_make_it_look_surer(
    games: tuple[int, ...], shared: int
) -> None:
    """Their few games hardly differ from their own means, which says nothing of the dice."""
    rng = np.random.default_rng(11)
    rounds = []
    for _ in range(600):
        luck = rng.normal(0, shared, max(games))
        scores = [225 + luck[:n] + rng.normal(0, 25, n) for n in games]
        rounds.append(numbered(*(one.tolist() for one in scores)))
    assert held([inference.same_dice(people) for people in rounds], 225) > 0.94
    assert held([inference.across_people_and_dice(people) for people in rounds], 225) > 0.94


def degrees_by_definition(groups: Sequence[Mapping[int, float]], weights: Sequence[float]) -> float:
    """Of a sum of squares of linear forms A y whose covariance is A S A': trace² / trace(A S A')².

    A takes everybody's own mean off and adds up, game by game, with the weights. S is taken to be
    either: games on the same dice share everything, or nothing. The fewer degrees count.
    """
    played = [(who, game) for who, group in enumerate(groups) for game in group]
    games = sorted({game for _who, game in played})
    own = np.array([[one[0] == other[0] for other in played] for one in played], float)
    centred = np.eye(len(played)) - own / own.sum(1, keepdims=True)
    adds_up = np.array([[weights[who] * (game == of) for who, game in played] for of in games])
    same = np.array([[one[1] == other[1] for other in played] for one in played], float)
    found = []
    for shared in (same, np.eye(len(played))):
        spread = adds_up @ centred @ shared @ centred.T @ adds_up.T
        found.append(np.trace(spread) ** 2 / np.trace(spread @ spread))
    return float(min(found))


@pytest.mark.parametrize("games", [(20, 1, 1, 1), (9, 9, 2, 5, 3), (6, 6, 6)], ids=str)
def test_the_degrees_of_freedom_on_shared_dice_are_those_of_the_games_that_tell(
    games: tuple[int, ...],
) -> None:
    rng = np.random.default_rng(12)
    groups = numbered(*(rng.normal(225, 30, n).tolist() for n in games))
    found = known(inference.same_dice(groups))
    expected = degrees_by_definition(groups, [1 / sum(games)] * len(games))
    assert found.degrees == pytest.approx(expected)
    assert found.degrees <= max(games) - 1 + 1e-9


def test_an_interval_knows_its_half_and_what_it_holds() -> None:
    found = Interval(10.0, 8.0, 12.0, 1.0, 5)
    assert found.half == 2.0
    assert 8.0 in found
    assert 12.1 not in found
