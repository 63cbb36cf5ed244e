"""What people lose in spans of games that double."""

from math import log10, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.statistics.doublings import doublings
from solver.statistics.inference import interval
from solver.statistics.trial_figures import TrialGame


def game(participant: str, number: int, regret: float | None) -> TrialGame:
    return TrialGame(participant, number, 250, 0, regret, 0.0)


def test_spans_double_and_the_last_ends_with_the_last_game() -> None:
    found = doublings([game("P01", number, 1.0) for number in range(1, 13)])
    assert [(one.first, one.last) for one in found] == [(1, 1), (2, 2), (3, 4), (5, 8), (9, 12)]
    assert [one.power for one in found] == pytest.approx(
        [0.0, log10(2), log10(sqrt(12)), log10(sqrt(40)), log10(sqrt(108))]
    )


def test_everybody_counts_the_same_in_a_span_however_many_games_they_played() -> None:
    played = [game("P01", 3, 2.0), game("P01", 4, 4.0), game("P02", 3, 9.0)]
    (span,) = doublings(played)
    assert (span.people, span.lost, span.range) == (2, 6.0, interval([3.0, 9.0]))


def test_games_that_were_not_judged_count_nowhere() -> None:
    assert doublings([game("P01", 1, None)]) == []
    found = doublings([game("P01", 1, 5.0), game("P01", 2, None)])
    assert [(one.first, one.last, one.lost) for one in found] == [(1, 1, 5.0)]


def test_of_one_person_there_is_no_range() -> None:
    (span,) = doublings([game("P01", 1, 5.0)])
    assert span.range is None


@given(st.sets(st.integers(1, 300), min_size=1))
def test_every_game_is_in_one_span(numbers: set[int]) -> None:
    spans = doublings([game("P01", number, float(number)) for number in numbers])
    for number in numbers:
        (home,) = [one for one in spans if one.first <= number <= one.last]
        inside = [other for other in numbers if home.first <= other <= home.last]
        assert home.lost == pytest.approx(sum(inside) / len(inside))
