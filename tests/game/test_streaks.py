"""Streaks and shares among players, beside counting that is slow and plain."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from game.judgement.streaks import better_than, streak

TODAY = date(2026, 3, 14)
AGO = st.sets(st.integers(0, 25), max_size=26)
SCORES = st.lists(st.integers(0, 5), min_size=1, max_size=12)


def days_ago(ago: set[int]) -> set[date]:
    return {TODAY - timedelta(days=days) for days in ago}


@given(AGO)
def test_a_streak_is_the_longest_run_with_one_day_missed_at_most(ago: set[int]) -> None:
    last = 0 if 0 in ago else 1
    runs = [range(last, first + 1) for first in ago if first >= last]
    kept = [sum(day in ago for day in run) for run in runs if len(set(run) - ago) <= 1]
    assert streak(days_ago(ago), TODAY).days == max(kept, default=0)


@given(AGO)
def test_what_is_forgiven_is_a_missed_day_between_two_days_of_the_streak_or_yesterday(
    ago: set[int],
) -> None:
    found = streak(days_ago(ago), TODAY)
    if found.forgiven is None:
        return
    away = (TODAY - found.forgiven).days
    assert away not in ago
    assert away + 1 in ago
    assert away == 1 or away - 1 in ago


def test_yesterday_is_forgiven_and_today_is_not_over() -> None:
    assert streak(days_ago({2, 3, 4}), TODAY).days == 3
    assert streak(days_ago({2, 3, 4}), TODAY).forgiven == TODAY - timedelta(days=1)
    assert streak(days_ago({3, 4, 5}), TODAY).days == 0


def test_days_to_come_count_for_nothing() -> None:
    assert streak({TODAY + timedelta(days=1), TODAY}, TODAY).days == 1


@given(SCORES, st.data())
def test_one_is_better_than_those_with_fewer_points_and_never_more_is_said(
    scores: list[int], data: st.DataObject
) -> None:
    mine = data.draw(st.sampled_from(scores))
    worse, others = sum(score < mine for score in scores), len(scores) - 1
    said = better_than(worse, len(scores))
    if not others:
        assert said is None
        return
    assert said is not None
    assert said <= 100 * worse / others < said + 1
