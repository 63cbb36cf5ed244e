"""Shares, games still needed and the sequential test, against figures worked out another way."""

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.statistics.inference import (
    LEAD,
    Z95,
    count_games_needed,
    estimate_mean,
    estimate_share,
    find_deciding_game,
)
from tests.known import known


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
