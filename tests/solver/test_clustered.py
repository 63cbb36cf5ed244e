"""Sessions as single values: against the ordinary ways where these hold, and by simulation."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.statistics import inference
from solver.statistics.clustered import by_session, slope_by_session
from tests.known import known

values = st.lists(st.integers(0, 60).map(float), min_size=2, max_size=9, unique=True)


@given(people=st.lists(values, min_size=1, max_size=4))
def test_sessions_of_a_game_each_are_games(people: list[list[float]]) -> None:
    found = known(by_session([[[value] for value in of] for of in people]))
    plain = known(inference.stratified(people))
    assert found.mean == pytest.approx(plain.mean)
    assert found.error == pytest.approx(plain.error)
    assert found.degrees == pytest.approx(plain.degrees)


@given(people=st.lists(values, min_size=1, max_size=3), times=st.integers(1, 4))
def test_a_game_played_over_and_over_in_a_session_counts_once(
    people: list[list[float]], times: int
) -> None:
    found = known(by_session([[[value] * times for value in of] for of in people]))
    plain = known(inference.stratified(people))
    assert found.error == pytest.approx(plain.error)
    assert found.degrees == pytest.approx(plain.degrees)


def test_long_sessions_pull_the_mean_along_and_the_error_allows_for_it() -> None:
    """Sessions of unequal length, each at a level of its own: the squared error is right on
    average."""
    rng, sizes = np.random.default_rng(3), (1, 2, 3, 9)
    means, squares = [], []
    for _trial in range(4000):
        of = [[level] * size for level, size in zip(rng.normal(0, 1, 4), sizes, strict=True)]
        found = known(by_session([of]))
        means.append(found.mean)
        squares.append(found.error**2)
    assert np.mean(squares) == pytest.approx(np.var(means), rel=0.05)


def test_whoever_has_one_session_is_taken_to_vary_as_the_others_do() -> None:
    others = [[[10.0], [14.0]], [[20.0], [24.0]]]
    found = known(by_session([*others, [[30.0]]]))
    assert found.error**2 == pytest.approx((2 * 8 + 2 * 8 + 8) / 25)
    assert by_session([[[1.0, 2.0, 3.0]], [[4.0]]]) is None
    assert by_session([]) is None


def numbered(*sessions: Sequence[float]) -> list[dict[int, float]]:
    found: list[dict[int, float]] = []
    number = 0
    for session in sessions:
        found.append({number + at + 1: value for at, value in enumerate(session)})
        number += len(session)
    return found


@given(people=st.lists(values.filter(lambda of: len(of) > 2), min_size=1, max_size=3))
def test_the_slope_over_sessions_of_a_game_each_is_that_over_games(
    people: list[list[float]],
) -> None:
    found = slope_by_session([numbered(*([value] for value in of)) for of in people])
    plain = inference.slope([dict(enumerate(of, start=1)) for of in people])
    if plain is None:
        assert found is None
        return
    assert (known(found).mean, known(found).error) == pytest.approx((plain.mean, plain.error))
    assert known(found).degrees == plain.degrees


def test_a_good_day_after_a_bad_one_is_no_learning() -> None:
    """Two sessions of five games: games one by one find it, sessions have nothing to say."""
    of = numbered([30.0, 31, 29, 30, 32], [20.0, 21, 19, 20, 22])
    flat = {number: value for session in of for number, value in session.items()}
    assert known(inference.t_test(inference.slope([flat]))).p < 0.01
    assert slope_by_session([of]) is None
    third = numbered([30.0, 31, 29, 30, 32], [20.0, 21, 19, 20, 22], [29.0, 30, 31, 28, 32])
    assert known(inference.t_test(slope_by_session([third]))).p > 0.5
