"""Exact distributions: golden figures, and two slower ways to the same numbers."""

from pathlib import Path

import numpy as np
import pytest

from solver.arena.results import exact
from solver.exact.distribution import Distribution, distribution
from solver.players import find_player
from solver.rules import YATZY
from solver.study.published import KEYS, distance, published
from tests.known import known

pytestmark = pytest.mark.usefixtures("yatzy_tables")

# mean, standard deviation, median, chance of the bonus, distance from the published histogram
GOLDEN = {
    "optimal": (248.43999, 38.4964, 249, 0.89806, 0.3036),
    "scorecard-based": (198.98724, 44.1780, 202, 0.59441, 0.0892),
    "scorecard-based:points": (199.16410, 38.8106, 194, 0.10864, 0.2259),
    "dice-based": (179.85072, 42.9225, 174, 0.29610, 0.0638),
    "dice-based:pseudo-code": (171.40115, 41.1221, 164, 0.28299, 0.1226),
    "forced-scoring": (116.13617, 27.5130, 112, 0.04358, 0.2070),
    "forced-scoring:sensible": (120.32170, 28.2514, 117, 0.04358, 0.2783),
    "forced-scoring:one-reroll": (86.36263, 20.3060, 85, 0.00168, 0.3068),
    "greedy": (199.16410, 38.8106, 194, 0.10864, None),
}


@pytest.mark.sampled("name")
@pytest.mark.parametrize("name", GOLDEN)
def test_the_figures_of_a_player(name: str) -> None:
    mean, deviation, median, bonus, far = GOLDEN[name]
    of = exact(find_player(name), YATZY).distribution
    assert of.mean == pytest.approx(mean, abs=6e-6)
    assert of.deviation == pytest.approx(deviation, abs=6e-5)
    assert of.median == median
    assert of.bonus_probability == pytest.approx(bonus, abs=6e-6)
    assert of.probabilities.sum() == pytest.approx(1, abs=1e-12)
    if far is not None:
        theirs = known(published(name.partition(":")[0]))
        assert distance(of.in_tens(), theirs.shares) == pytest.approx(far, abs=6e-5)


def test_perfect_play_is_golden_to_the_last_digit_that_is_known() -> None:
    of = exact(find_player("optimal"), YATZY).distribution
    assert of.mean == pytest.approx(248.439989378, abs=1e-8)
    assert of.deviation == pytest.approx(38.4964, abs=5e-5)
    assert (of.median, of.states) == (249, 461_309)
    assert len(of.probabilities) == 375  # 0 to 374, the most that there is


def test_threads_and_progress_change_nothing() -> None:
    seen = []
    strategy = find_player("forced-scoring").tabular(YATZY)
    one = distribution(strategy, threads=1, progress=lambda done, total: seen.append((done, total)))
    two = distribution(strategy, threads=2)
    assert (one.probabilities == two.probabilities).all()
    assert seen == [(n, 15) for n in range(1, 16)]


def test_quantiles_and_ranks_of_a_small_distribution() -> None:
    of = Distribution(np.array([0.25, 0.0, 0.25, 0.5]), 0.0, 1)
    assert [of.quantile(share) for share in (0.25, 0.5, 0.51, 1.0)] == [0, 2, 3, 3]
    assert (of.mean, of.mode, of.median) == (2.0, 3, 2)
    assert [of.below(score) for score in (0, 1, 2, 3, 9)] == [0.125, 0.25, 0.375, 0.75, 1.0]
    assert of.in_tens().tolist() == [1.0]


def test_the_published_histograms_are_what_their_means_say() -> None:
    for name in KEYS:
        theirs = known(published(name))
        assert theirs.mean_of_counts == pytest.approx(theirs.mean, abs=0.8)
        assert 99_995 <= theirs.games <= 100_000


def test_what_was_kept_is_read_and_damage_only_costs_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from solver.arena import results

    monkeypatch.setattr(results, "lab_dir", lambda: tmp_path)
    player = find_player("forced-scoring")
    assert results.stored(player, YATZY) is None
    first = results.exact(player, YATZY)
    assert known(results.stored(player, YATZY)).seconds == first.seconds
    for damage in ("nonsense", "{}", '{"probabilities": [2], "bonus_probability": 0, "states": 1}'):
        results.path_of(player, YATZY).write_text(damage)
        assert results.stored(player, YATZY) is None
    assert results.exact(player, YATZY).distribution.mean == first.distribution.mean
    assert [path.name[0] for path in tmp_path.iterdir()] == ["f"]
