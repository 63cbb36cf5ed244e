"""Streaks and shares among players, beside counting that is slow and plain."""

from datetime import date, timedelta
from functools import cache

from hypothesis import example, given
from hypothesis import strategies as st

from game.pages.daily.streaks import DAY, Days, Repair, Streak, better_than, streak

TODAY = date(2026, 3, 14)  # a Saturday
AGO = st.frozensets(st.integers(0, 40), max_size=41)
OFTEN = st.frozensets(st.integers(0, 40), min_size=18, max_size=41)
SCORES = st.lists(st.integers(0, 5), min_size=1, max_size=12)


def days_ago(ago: frozenset[int] | set[int]) -> frozenset[date]:
    return frozenset(TODAY - timedelta(days=days) for days in ago)


def found(done: set[int], fives: set[int] | None = None, still: set[int] | None = None) -> Streak:
    repairing = None if fives is None else days_ago(fives)
    return streak(Days(days_ago(done), days_ago({0, *(still or ())}), repairing), TODAY)


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
        """Whether a streak goes on over this day."""
        if day < self.first:
            return False
        if day in self.of.done or self.repaired(day):
            return True
        return day in self.of.open and self.lives(day - DAY)

    def run(self, last: date) -> int:
        """Days done, back to where no streak was."""
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
    plain, said = Plain(of, today), streak(of, today)
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
    both = streak(Days(days_ago(done | more), days_ago({0})), TODAY)
    assert both.longest >= streak(Days(days_ago(done), days_ago({0})), TODAY).longest
    assert both.longest >= both.days


def test_a_missed_day_ends_a_streak_and_today_is_not_over() -> None:
    assert found({1, 2, 3}).days == 3
    assert found({2, 3, 4}).days == 0
    assert found({2, 3, 4}).longest == 3


def test_a_missed_day_is_on_offer_only_on_the_next_day() -> None:
    assert found({2, 3, 4}, set()).repair == Repair(TODAY - DAY, 3)
    assert found({0, 2, 3, 4}, set()).repair == Repair(TODAY - DAY, 4)
    assert found({3, 4, 5}, set()).repair is None
    assert found({2, 3, 4}, None).repair is None
    assert found({2, 3, 4}, {0}).days == 3
    assert found({2, 3, 4}, {0}).repaired == days_ago({1})


def test_once_a_week_from_monday_to_sunday() -> None:
    """Ago 3 is a Wednesday, 5 a Monday, 6 the Sunday before."""
    assert found({2, 4, 6, 7}, {4, 2}).repaired == days_ago({5})
    assert found({2, 4, 6, 7}, {4, 2}).days == 0
    assert found({0, 1, 2, 3, 4, 7}, {5, 4}).repaired == days_ago({6, 5})
    assert found({0, 1, 2, 3, 4, 7}, {5, 4}).days == 6


def test_nothing_is_repaired_where_no_streak_is() -> None:
    """A week's repair is not spent on days before the first, or long after the last."""
    assert found({1, 3}, {4, 5, 1}).repaired == days_ago({2})
    assert found({20, 1, 3}, {4, 5, 1}).repaired == days_ago({2})


def test_a_day_that_is_still_open_is_not_missed() -> None:
    assert found({0, 2, 3}, still={1}).days == 3
    assert found({2, 3}, set(), still={1}).repair is None


def test_days_to_come_count_for_nothing() -> None:
    assert found({-1, 0}).days == 1
    assert found({-1}) == Streak()


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
