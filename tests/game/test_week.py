"""A week looked back upon: beside the week before, what to keep, what to mend, and records."""

from datetime import UTC, datetime, timedelta

import pytest

from game.core.profile_queries import Best, Habit, WeekFigures
from game.core.worth.skill import Moments
from game.pages.daily.daily_queries import PlayerDays
from game.practice.week_board import WeekBack
from solver.rules import YATZY
from tests.play import Browser, play_through

MONDAY = datetime(2026, 3, 9, tzinfo=UTC)
WEEK = timedelta(days=7)


def moments(values: list[float]) -> Moments:
    count = len(values)
    square = sum(value * value for value in values)
    return Moments(count, sum(values) / count, square / count) if count else Moments(0, 0.0, 0.0)


def week(
    lost: list[float],
    before: list[float],
    kinds: list[Habit] | None = None,
    boxes: list[Habit] | None = None,
    best: Best | None = None,
    earlier: Best | None = None,
) -> WeekBack:
    none = Best(None, None)
    losses = moments(lost), moments(before)
    figures = WeekFigures(
        len(lost), *losses, kinds or [], boxes or [], best or none, earlier or none
    )
    return WeekBack(YATZY, MONDAY.date(), PlayerDays({}, frozenset()), figures)


def said(back: WeekBack) -> list[tuple[str, str, bool]]:
    return [(one.name, one.figure.replace("\u00a0", " "), one.lost) for one in back.told]


def test_two_weeks_differ_where_chance_does_not_explain_it() -> None:
    steady = [20.0, 21.0, 19.0, 20.5]
    assert week(steady, steady).change == "The difference between the two weeks may be chance."
    assert "fewer points per game than the week before" in week([5.0, 6.0, 5.5, 5.2], steady).change
    assert week([5.0, 6.0, 5.5, 5.2], steady).change.startswith("You lost 14.7")
    assert "more points per game than the week before" in week(steady, [5.0, 6.0, 5.5, 5.2]).change
    for few in (week([20.0], steady), week(steady, [20.0]), week(steady, [])):
        assert few.change.startswith("After two games without help in each week")
    assert week([], steady).lost == ""


def test_the_best_habit_is_the_choice_that_loses_least_each_time() -> None:
    kinds = [
        Habit("first_hold", 40, 30.0),
        Habit("second_hold", 40, 10.0),
        Habit("box", 10, 4.0),
        Habit("all", 30, 0.0),
    ]
    boxes = [Habit("sixes", 10, 12.5), Habit("ones", 10, 0.0)]
    assert said(week([20.0], [], kinds, boxes)) == [
        (
            "Best of 3 kinds of decision: Choosing what to hold after the second roll",
            "−0.25 points per decision",
            True,
        ),
        ("Worst box: Sixes", "−12.5", True),
    ]
    few = [Habit("box", 4, 0.0), Habit("first_hold", 5, 5.0)]
    assert said(week([20.0], [], few)) == []  # one habit is no choice
    assert said(week([0.0], [], [], [Habit("sixes", 10, 0.0)])) == []


def test_a_record_is_better_than_all_that_was_before() -> None:
    best = Best(281, 3.2)
    first = said(week([3.2], [], best=best))
    assert first == [("Best game", "281", False), ("Fewest points lost", "−3.2", True)]
    record = said(week([3.2], [], best=best, earlier=Best(280, 3.3)))
    assert [name for name, *_ in record] == ["Your best game so far", "Fewest points lost so far"]
    same = said(week([3.2], [], best=best, earlier=Best(281, 3.2)))
    assert [name for name, *_ in same] == ["Best game", "Fewest points lost"]


@pytest.mark.usefixtures("yatzy_tables")
def test_the_page_of_a_week_and_of_those_before(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django.utils.timezone.now", lambda: MONDAY + timedelta(days=5))
    play_through(browser, browser.start(mode="daily"))
    page = browser.get("/you/")
    text = page.text
    assert "1 daily game played in time" in text
    assert "points lost per game" in text.replace("\u00a0", " ")
    assert "Worst box" in text
    assert (page.context["before"], page.context["after"]) == ((MONDAY - WEEK).date(), None)
    earlier = browser.get("/you/?of=2026-03-03")
    assert earlier.context["after"] == MONDAY.date()
    assert "You finished no game without help in this week" in earlier.text
    assert browser.get("/you/?of=2025-01-01").context["before"] is None
    for none in ("2026-03-15", "2024-12-31", "week"):
        assert browser.get(f"/you/?of={none}").status_code == 404
