"""Streaks, the week, and four weeks of a player."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from statistics import fmean
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from hypothesis import example, given
from hypothesis import strategies as st

from game.core.accounts import create_player
from game.core.fair import tickets
from game.core.kind import find_kind
from game.core.profile_queries import Best, Habit, WeekFigures
from game.core.starting import start_game
from game.core.worth.skill import Moments
from game.core.worth.tables import load_advisor
from game.models import FIVE, FiveAnswer, Game, Player
from game.pages.daily.daily_queries import PlayerDays
from game.pages.daily.streaks import DAY, Days, Repair, calculate_better_share, measure_streak
from game.pages.requests.visitors import COOKIE, make_player_cookie
from game.practice.week_board import WeekBack
from solver.rules import YATZY
from tests.known import known
from tests.play import Browser, play_through

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


FIRST = date(2026, 2, 2)  # a Monday
HOUR = timedelta(hours=1)
Clock = Callable[[datetime], None]


@dataclass(frozen=True)
class Habits:
    plays: float
    fives: float
    at_midnight: float  # begun in the last minutes of the day, and finished after it
    too_late: float  # of those
    later: float  # a past day is played


def at(day: date, hours: float) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + hours * HOUR


class Weeks:
    def __init__(self, clock: Clock, seed: int, players: int) -> None:
        self.clock, self.rng = clock, random.Random(seed)
        self.people = list[tuple[Player, Habits]]()
        for _ in range(players):
            habits = self.rng.choice([0.5, 0.8, 0.95]), self.rng.choice([0.2, 0.9]), 0.2, 0.3, 0.2
            self.people.append((create_player(), Habits(*habits)))
        self.open: list[tuple[Game, Player, bool]] = []

    def day(self, day: date) -> None:
        for game, _player, too_late in self.open:
            self.clock(at(day, 1.0 if too_late else 0.99))
            self.finish(game)
        self.open = []
        for player, habit in self.people:
            self.clock(at(day, 12))
            if self.rng.random() < habit.later:
                past = (
                    FIRST + self.rng.randrange(-3, (day - FIRST).days) * DAY
                    if day > FIRST
                    else None
                )
                if past and not Game.objects.filter(player=player, day=past).exists():
                    self.finish(begun(player, day=past, later=True))
            if self.rng.random() < habit.fives:
                self.answer(player, day)
            if self.rng.random() < habit.plays:
                self.play(player, habit, day)

    def play(self, player: Player, habit: Habits, day: date) -> None:
        if self.rng.random() >= habit.at_midnight:
            self.finish(begun(player, day=day))
            return
        self.clock(at(day, 23.9))
        self.open.append((begun(player, day=day), player, self.rng.random() < habit.too_late))

    def finish(self, game: Game) -> None:
        now, value = timezone.now(), known(load_advisor(YATZY)).value_start
        game.final_score, game.bonus = self.rng.randrange(100, 330), 0
        game.regret, game.free_decisions = self.rng.uniform(0, 60), 30
        game.luck, game.finished_at = game.final_score - value + game.regret, now
        find_kind(game).react_to_finish(now)
        game.save()

    def answer(self, player: Player, day: date) -> None:
        answers = FIVE if self.rng.random() < 0.85 else FIVE - 1
        for place in range(1, answers + 1):
            FiveAnswer.objects.create(
                player=player, ruleset="yatzy", day=day, place=place, key="k", hold=0,
                regret=0.0, created_at=at(day, 12),
            )  # fmt: skip


def begun(player: Player, **more: Any) -> Game:
    nonce = tickets.issue().signed
    return start_game(player=player, mode="daily", nonce=nonce, **more).game


class Recount:
    """A count from the rows: what the pages of a player must say at this moment."""

    def __init__(self, player: Player, now: datetime) -> None:
        self.player, self.now, self.today = player.pk, now, now.date()
        self.games = rows(
            "SELECT id, day, finished_at, final_score, started_at FROM game_game"
            " WHERE mode = 'daily' AND ruleset = 'yatzy' AND player_id = %s",
            self.player,
        )
        fives = rows(
            "SELECT day, COUNT(*) FROM game_fiveanswer WHERE player_id = %s GROUP BY day",
            self.player,
        )
        self.fives = frozenset(day_of(day) for day, count in fives if count == 5)
        self.done, self.open, self.later = set[date](), {self.today}, set[date]()
        for _pk, text, finished, _score, _began in self.games:
            day = day_of(text)
            ends = at(day, 25)
            if finished is None and now < ends:
                self.open.add(day)
            elif finished is not None and moment(finished) < ends:
                self.done.add(day)
            elif finished is not None:
                self.later.add(day)

    @property
    def daily(self) -> Plain:
        return Plain(Days(frozenset(self.done), frozenset(self.open), self.fives), self.today)

    @property
    def five(self) -> Plain:
        return Plain(Days(self.fives, frozenset({self.today})), self.today)

    def marks(self) -> dict[date, str]:
        plain = self.daily
        found = dict.fromkeys(self.later, "later") | {
            day: "repaired" for day in plain.every if plain.repaired(day)
        }
        begun_days = {day_of(row[1]) for row in self.games if row[2] is None}
        found |= dict.fromkeys(begun_days & self.open, "open") | dict.fromkeys(self.done, "played")
        return {day: mark for day, mark in found.items() if day.month == self.today.month}

    def better(self) -> tuple[int, int] | None:
        found = rows(
            "SELECT player_id, final_score, finished_at FROM game_game WHERE mode = 'daily'"
            " AND ruleset = 'yatzy' AND day = %s AND finished_at IS NOT NULL AND NOT unranked",
            self.today,
        )
        mine = [score for player, score, _at in found if player == self.player]
        others = [score for player, score, _at in found if player != self.player]
        return (sum(score < mine[0] for score in others), len(others)) if mine else None

    def lost(self, monday: date) -> list[float]:
        found = rows("SELECT regret, finished_at FROM game_game WHERE player_id = %s", self.player)
        return [
            regret
            for regret, finished in found
            if finished and at(monday, 0) <= moment(finished) < at(monday, 7 * 24)
        ]


def rows(sql: str, value: int | date) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, [value])
        return list(cursor.fetchall())


def day_of(text: object) -> date:
    return text if isinstance(text, date) else date.fromisoformat(str(text))


def moment(text: object) -> datetime:
    found = text if isinstance(text, datetime) else datetime.fromisoformat(str(text))
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def check_week(browser: Browser, player: Player, now: datetime) -> None:
    counted, back = Recount(player, now), browser.get("/you/").context["week"]
    monday = now.date() - now.weekday() * DAY
    week = [monday + number * DAY for number in range(7)]
    assert [one.day for one in back.days if one.played] == [d for d in week if d in counted.done]
    assert [one.day for one in back.days if one.five] == [d for d in week if d in counted.fives]
    for words, lost in (
        (back.lost, counted.lost(monday)),
        (back.lost_before, counted.lost(monday - 7 * DAY)),
    ):
        assert words.replace("\u00a0", " ") == (
            f"{fmean(lost):.1f} points lost per game" if lost else ""
        )
    five, plain = back.mine.five, counted.five
    assert five.days == plain.run(counted.today)
    assert five.longest == max(map(plain.run, plain.every))


@pytest.mark.django_db
@pytest.mark.usefixtures("yatzy_tables")
@pytest.mark.parametrize(
    ("seed", "players", "days"),
    [
        pytest.param(2, 3, 13, id="some"),
        pytest.param(1, 20, 28, marks=pytest.mark.nightly, id="four weeks of twenty"),
    ],
)
def test_what_the_pages_say_is_what_the_rows_say(
    monkeypatch: pytest.MonkeyPatch, seed: int, players: int, days: int
) -> None:
    def clock(moment: datetime) -> None:
        monkeypatch.setattr("django.utils.timezone.now", lambda: moment)

    clock(at(FIRST, 0))
    weeks, seen = Weeks(clock, seed, players), set[str]()
    for number in range(days):
        day = FIRST + number * DAY
        weeks.day(day)
        if number % 5 == 0 or number == days - 1:
            seen |= look(clock, weeks, at(day, 23.95))
            seen |= look(clock, weeks, at(day, 24.5))
            seen |= look(clock, weeks, at(day, 36))
    assert seen == {"", "played", "repaired", "later", "open", "offer"}


def look(clock: Clock, weeks: Weeks, now: datetime) -> set[str]:
    """Check everybody's pages; some games are open after midnight, and none counts at noon."""
    clock(now)
    seen = set[str]()
    for player, _habit in weeks.people:
        browser = Browser()
        browser.cookies[COOKIE] = make_player_cookie(player)
        counted, page = Recount(player, now), browser.get("/daily/").context
        plain, streak = counted.daily, page["streak"].streak
        assert streak.days == plain.run(counted.today)
        assert streak.longest == max(map(plain.run, plain.every))
        assert streak.repaired == {day for day in plain.every if plain.repaired(day)}
        every = [one for week in page["month"].weeks for one in week if one]
        assert {one.day: one.mark for one in every if one.mark} == counted.marks()
        assert {one.day for one in every if one.five} == {
            day for day in counted.fives if day.month == now.month
        }
        left = page["left_open"]
        assert (left.day if left else None) == min(counted.open - {counted.today}, default=None)
        better, end = counted.better(), page.get("end")
        if better and end and better[1]:
            assert end.better.startswith(f"You beat {better[0]} of {better[1]} other")
        else:
            assert not end or not end.better
        seen |= {one.mark for one in every} | ({"offer"} if streak.repair else set())
        check_week(browser, player, now)
    return seen


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
        assert few.change.startswith("Play two games without help in each week")
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
            "Your best kind of decision, of 3 kinds: Choosing what to hold after the second roll",
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
