"""Weeks of players with habits of their own, and every figure of their pages counted again from the
rows of the database by a script that knows nothing of the game."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from statistics import fmean
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from game.core.accounts import create_player
from game.core.fair import tickets
from game.core.kind import find_kind
from game.core.starting import start_game
from game.core.worth.tables import load_advisor
from game.models import FIVE, FiveAnswer, Game, Player
from game.pages.daily.streaks import DAY, Days
from game.pages.requests.visitors import COOKIE, make_player_cookie
from solver.rules import YATZY
from tests.game.test_streaks import Plain
from tests.known import known
from tests.play import Browser

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


def habits(rng: random.Random) -> Habits:
    return Habits(rng.choice([0.5, 0.8, 0.95]), rng.choice([0.2, 0.9]), 0.2, 0.3, 0.2)


def at(day: date, hours: float) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + hours * HOUR


class Weeks:
    def __init__(self, clock: Clock, seed: int, players: int) -> None:
        self.clock, self.rng = clock, random.Random(seed)
        self.people = [(create_player(), habits(self.rng)) for _ in range(players)]
        self.open: list[tuple[Game, Player, bool]] = []

    def day(self, day: date) -> None:
        self.finish_yesterdays(day)
        for player, habit in self.people:
            self.clock(at(day, 12))
            if self.rng.random() < habit.later:
                self.play_later(player, day)
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

    def finish_yesterdays(self, day: date) -> None:
        for game, _player, too_late in self.open:
            self.clock(at(day, 1.0 if too_late else 0.99))
            self.finish(game)
        self.open = []

    def play_later(self, player: Player, day: date) -> None:
        past = FIRST + self.rng.randrange(-3, (day - FIRST).days) * DAY if day > FIRST else None
        if past and not Game.objects.filter(player=player, day=past).exists():
            self.finish(begun(player, day=past, later=True))

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


def check_daily(browser: Browser, player: Player, now: datetime) -> set[str]:
    counted, page = Recount(player, now), browser.get("/daily/").context
    plain, told = counted.daily, page["streak"].streak
    assert told.days == plain.run(counted.today)
    assert told.longest == max(map(plain.run, plain.every))
    assert told.repaired == {day for day in plain.every if plain.repaired(day)}
    every = [one for week in page["month"].weeks for one in week if one]
    assert {one.day: one.mark for one in every if one.mark} == counted.marks()
    assert {one.day for one in every if one.five} == {
        day for day in counted.fives if day.month == now.month
    }
    left = page["left_open"]
    assert (left.day if left else None) == min(counted.open - {counted.today}, default=None)
    better, end = counted.better(), page.get("end")
    if better and end and better[1]:
        assert end.better.startswith(f"Better than {better[0]} of {better[1]} other")
    else:
        assert not end or not end.better
    return {one.mark for one in every} | ({"offer"} if told.repair else set())


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
        assert words.replace("\u00a0", " ") == lost_words(lost)
    five, plain = back.mine.five, counted.five
    assert five.days == plain.run(counted.today)
    assert five.longest == max(map(plain.run, plain.every))


def lost_words(lost: list[float]) -> str:
    return f"{fmean(lost):.1f} points lost per game" if lost else ""


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
        seen |= check_daily(browser, player, now)
        check_week(browser, player, now)
    return seen
