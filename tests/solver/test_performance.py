import numpy as np
import pytest

from solver.arena.performance import Performance, fit, simulate
from solver.arena.results import find_result
from solver.players import PLAYERS, find_player
from solver.rules import RULESETS, YATZY
from solver.statistics.chi_squared import (
    chi_squared,
    chi_squared_tail,
    group_in_tens,
    merge_cells,
    upper_gamma,
)
from solver.statistics.fairness import check_fairness, check_virtual_dice
from solver.study.published import check_real_dice

pytestmark = pytest.mark.usefixtures("yatzy_tables")


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
