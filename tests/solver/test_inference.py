"""Student's t against printed tables and slow integration; intervals against what they promise."""

from math import gamma, log, pi, sqrt
from statistics import NormalDist, mean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.arena.performance import Performance, fit, simulate
from solver.arena.results import find_result
from solver.players import PLAYERS, find_player
from solver.rules import RULESETS, YATZY
from solver.statistics import inference
from solver.statistics.chi_squared import (
    chi_squared,
    chi_squared_tail,
    group_in_tens,
    merge_cells,
    upper_gamma,
)
from solver.statistics.fairness import check_fairness, check_virtual_dice
from solver.statistics.inference import (
    LEAD,
    Z95,
    Interval,
    Significance,
    count_games_needed,
    estimate_mean,
    estimate_share,
    find_deciding_game,
    regularised_beta,
    t_quantile,
    t_to_level,
    t_to_p,
    z_to_p,
)
from solver.study.published import check_real_dice
from tests.known import known

pytestmark = pytest.mark.usefixtures("yatzy_tables")


samples = st.lists(st.integers(60, 374).map(float), min_size=2, max_size=30)


# The distributions


@pytest.mark.parametrize("degrees", [1, 1.7, 2, 5, 12.4, 40, 200])
@pytest.mark.parametrize("t", [0.01, 0.5, 1.3, 2.42, 6.0])
def test_the_chance_is_that_of_the_integrated_density(t: float, degrees: float) -> None:
    steps = 20_000  # of Simpson's rule on the density
    xs = np.linspace(0, t, 2 * steps + 1)
    heights = (1 + xs**2 / degrees) ** (-(degrees + 1) / 2)
    weights = np.where(np.arange(2 * steps + 1) % 2, 4.0, 2.0)
    weights[[0, -1]] = 1.0
    front = gamma((degrees + 1) / 2) / sqrt(degrees * pi) / gamma(degrees / 2)
    assert t_to_level(t, degrees) == pytest.approx(
        2 * front * float(weights @ heights) * t / steps / 6, abs=1e-10
    )


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


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_ends_of_wilsons_interval_are_shares_just_rejected_by_a_z_test(
    counted: tuple[int, int],
) -> None:
    count, of = counted
    for end in known(estimate_share(count, of)):
        variance = end * (1 - end) / of
        assert (count / of - end) ** 2 == pytest.approx(Z95**2 * variance, abs=1e-12)


def test_no_games_tell_nothing_of_a_share() -> None:
    assert estimate_share(0, 0) is None


def test_games_still_needed_are_those_after_which_the_interval_leaves_nought_out() -> None:
    differences = np.random.default_rng(3).normal(1.0, 12.0, 200)
    needed = known(count_games_needed(differences))
    total, error = 200 + needed, differences.std(ddof=1)
    assert needed > 0
    assert Z95 * error / sqrt(total) <= abs(differences.mean()) < Z95 * error / sqrt(total - 1)
    clear = differences + 50
    assert 0 not in known(estimate_mean(clear))
    assert count_games_needed(clear) == 0


def test_no_difference_needs_no_number_of_games() -> None:
    assert count_games_needed(np.zeros(20)) is None
    assert count_games_needed(np.ones(1)) is None


def test_the_lead_is_where_one_is_nineteen_times_as_likely_as_the_other() -> None:
    likelier = log(0.55 / 0.45)
    assert (LEAD - 1) * likelier < log(19) <= LEAD * likelier
    assert find_deciding_game([1] * 14) is None
    assert find_deciding_game([0, 1] * 15 + [-1]) == 30
    assert find_deciding_game([-1] * 20) == 15
    assert find_deciding_game([1, -1] * 100) is None


def test_a_better_player_is_seldom_named_wrongly() -> None:
    """The ruin of a gambler: how often a walk with 55 % up reaches the lower end first."""
    odds = 0.45 / 0.55
    assert odds**LEAD / (1 + odds**LEAD) < 0.05


@pytest.mark.sampled("name")
@pytest.mark.parametrize("name", [one for one in PLAYERS if not one.startswith("learned-")])
def test_simulated_games_fit_the_exact_distribution(name: str) -> None:
    player = find_player(name)
    rules = next(rules for rules in RULESETS.values() if player.plays(rules))
    result = simulate(player.open(rules), rules, name, 60_000, seed=7)
    found = result.fit(find_result(player, rules).distribution)
    assert found.degrees > 30
    assert found.p > 0.001
    assert result.counts.sum() == result.games == 60_000


def test_a_test_that_ought_to_fail_does() -> None:
    optimal = simulate(find_player("optimal").open(YATZY), YATZY, "optimal", 60_000, seed=7)
    assert optimal.fit(find_result(find_player("greedy"), YATZY).distribution).p < 1e-12
    shifted = np.roll(optimal.counts, 3)
    assert fit(shifted, find_result(find_player("optimal"), YATZY).distribution).p < 1e-6


@pytest.mark.sampled("name")
@pytest.mark.parametrize("name", ["optimal", "dice-based", "greedy", "random"])
def test_a_seed_gives_the_same_games_on_any_number_of_threads(name: str) -> None:
    strategy = find_player(name).open(YATZY)
    one, two, other = (
        simulate(strategy, YATZY, name, 3000, seed, threads=threads)
        for seed, threads in ((5, 1), (5, 2), (6, 2))
    )
    assert (one.counts == two.counts).all()
    assert (one.counts != other.counts).any()


def test_more_games_than_fit_at_once_are_played_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.arena.performance.AT_ONCE", 1000)
    seen = []
    strategy = find_player("forced-scoring").open(YATZY)
    result = simulate(
        strategy, YATZY, "", 2500, 1, progress=lambda done, total: seen.append((done, total))
    )
    assert result.counts.sum() == 2500
    assert seen == [(n, 45) for n in range(1, 46)]


def test_the_figures_of_a_handful_of_games() -> None:
    counts = np.zeros(375, dtype=np.int64)
    counts[[88, 95, 213, 341]] = [1, 1, 1, 1]
    result = Performance("nobody", 4, 1, counts, 1, 0.0)
    assert (result.mean, result.median, result.least, result.most) == (184.25, 154.0, 88, 341)
    assert result.bonus_share == 0.25
    assert [ten.count for ten in result.tens()][:2] == [1, 1]
    assert result.tens()[-1].up_to_here == 1.0
    assert result.deviation == pytest.approx(np.std([88, 95, 213, 341], ddof=1))


def test_tens_start_and_end_where_games_are() -> None:
    counts = np.zeros(50, dtype=np.int64)
    counts[[17, 38]] = 3
    assert [(ten.low, ten.count) for ten in group_in_tens(counts)] == [(10, 3), (20, 0), (30, 3)]


@pytest.mark.parametrize(
    ("statistic", "degrees", "p"),
    [
        (3.841458820694124, 1, 0.05),
        (11.070497693516351, 5, 0.05),
        (1.0, 2, 0.6065306597126334),  # exp(-1/2)
        (124.34211340400407, 100, 0.05),
        (0.0, 5, 1.0),
        (4.0, 0, 1.0),
    ],
)
def test_the_tail_of_chi_squared(statistic: float, degrees: int, p: float) -> None:
    assert chi_squared_tail(statistic, degrees) == pytest.approx(p, rel=1e-6)


def test_five_degrees_have_a_closed_form() -> None:
    from math import erfc, exp, pi, sqrt

    for x in (0.3, 1.7, 4.9, 12.0, 40.0):
        closed = erfc(sqrt(x / 2)) + sqrt(2 * x / pi) * exp(-x / 2) * (1 + x / 3)
        assert upper_gamma(2.5, x / 2) == pytest.approx(closed, rel=1e-11)


def test_cells_with_little_expected_are_put_together() -> None:
    seen, due = merge_cells(np.array([1.0, 2, 3, 4, 0]), np.array([3.0, 3, 6, 1, 1]))
    assert (seen.tolist(), due.tolist()) == ([3, 7], [6, 8])
    assert chi_squared([10, 10], [10, 10]).p == 1.0


def test_real_dice_are_fair_as_far_as_510_of_them_tell() -> None:
    test = check_real_dice()
    assert (test.dice, round(test.mean, 4)) == (510, 3.5686)
    assert test.fit.statistic == pytest.approx(1.694118, abs=1e-6)
    assert test.fit.p == pytest.approx(0.88964, abs=1e-5)


def test_virtual_dice_are_fair_and_repeat_with_their_seed() -> None:
    test = check_virtual_dice()
    assert test.dice == 3_000_000
    assert test.mean == pytest.approx(3.5, abs=0.003)
    assert test.fit.p > 0.01
    assert check_virtual_dice(60_000, 3) == check_virtual_dice(60_000, 3)


def test_loaded_dice_are_found_out() -> None:
    assert check_fairness("loaded", [100, 100, 100, 100, 100, 160]).fit.p < 0.001
