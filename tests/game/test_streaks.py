"""Streaks and shares among players, beside counting that is slow and plain."""

from datetime import date, timedelta
from functools import cache

from hypothesis import example, given
from hypothesis import strategies as st

from game.pages.daily.streaks import DAY, Days, Repair, calculate_better_share, measure_streak

TODAY = date(2026, 3, 14)  # a Saturday
AGO = st.frozensets(st.integers(0, 40), max_size=41)
OFTEN = st.frozensets(st.integers(0, 40), min_size=18, max_size=41)
SCORES = st.lists(st.integers(0, 5), min_size=1, max_size=12)


def days_ago(ago: frozenset[int] | set[int]) -> frozenset[date]:
    return frozenset(TODAY - timedelta(days=days) for days in ago)


class Plain:
    """The rule as it is said, asked of one day at a time, however often."""

    def __init__(self, of: Days, today: date) -> None:
        self.of, self.today = of, today
        self.first = min(of.done, default=today)
        self.repaired = cache(self._repaired)

    def _repaired(self, day: date) -> bool:
        if day < self.first or day in self.of.done or day in self.of.open or day >= self.today:
            return False
        week = [day + timedelta(days=number - day.weekday()) for number in range(7)]
        before = any(self.repaired(other) for other in week if other < day)
        return day + DAY in (self.of.repairing or ()) and self.lives(day - DAY) and not before

    def lives(self, day: date) -> bool:
        if day < self.first:
            return False
        if day in self.of.done or self.repaired(day):
            return True
        return day in self.of.open and self.lives(day - DAY)

    def run(self, last: date) -> int:
        days, day = 0, last
        while self.lives(day):
            days += day in self.of.done
            day -= DAY
        return days

    @property
    def every(self) -> list[date]:
        return [self.first + timedelta(days=n) for n in range((self.today - self.first).days + 1)]


@given(AGO | OFTEN, AGO | OFTEN, st.booleans(), st.booleans(), st.integers(0, 6))
@example(frozenset({2, 3}), frozenset({0}), True, False, 0)
def test_a_streak_is_what_the_rule_says(
    done: frozenset[int], fives: frozenset[int], repairs: bool, still: bool, weekday: int
) -> None:
    today = TODAY + timedelta(days=weekday)
    done_on, fives_on = (
        {day + timedelta(days=weekday) for day in days_ago(one)} for one in (done, fives)
    )
    still_open = frozenset({today, today - DAY} if still else {today})
    of = Days(frozenset(done_on), still_open, frozenset(fives_on) if repairs else None)
    plain, said = Plain(of, today), measure_streak(of, today)
    assert said.days == plain.run(today)
    assert said.longest == max(map(plain.run, plain.every))
    assert said.repaired == {day for day in plain.every if plain.repaired(day)}
    assert said.today == (today in of.done)
    # What is on offer is what answering the five today would change, and nothing else.
    with_it = Plain(Days(of.done, of.open, (of.repairing or frozenset()) | {today}), today)
    mends = repairs and with_it.repaired(today - DAY) and not plain.repaired(today - DAY)
    assert said.repair == (Repair(today - DAY, with_it.run(today)) if mends else None)


@given(AGO, AGO)
def test_one_day_more_never_makes_the_longest_shorter(
    done: frozenset[int], more: frozenset[int]
) -> None:
    """Without repairs, which are given out from the first day on."""
    both = measure_streak(Days(days_ago(done | more), days_ago({0})), TODAY)
    assert both.longest >= measure_streak(Days(days_ago(done), days_ago({0})), TODAY).longest
    assert both.longest >= both.days


@given(SCORES, st.data())
def test_one_is_better_than_those_with_fewer_points_and_never_more_is_said(
    scores: list[int], data: st.DataObject
) -> None:
    mine = data.draw(st.sampled_from(scores))
    worse, others = sum(score < mine for score in scores), len(scores) - 1
    said = calculate_better_share(worse, len(scores))
    if not others:
        assert said is None
        return
    assert said is not None
    assert said <= 100 * worse / others < said + 1
