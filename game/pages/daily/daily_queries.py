"""Queries of daily games: dice, rankings, and the days on which a player played."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any

from django.db.models import (
    Avg,
    Case,
    Count,
    DateTimeField,
    IntegerField,
    Q,
    QuerySet,
    Value,
    When,
)
from django.utils.functional import cached_property

from game.core.counting import filter_counted
from game.core.fair import blocks, chain, days
from game.core.game_queries import Rank, has_rank, query_ranked_daily
from game.core.words import labels
from game.models import FIVE, DayChain, FiveAnswer, Game, Player
from game.pages.daily.streaks import Days, Streak, measure_streak
from solver.rules import Ruleset

SHOWN = 20  # the number of leaders that a day shows


@dataclass(frozen=True, slots=True)
class DayPlayed:
    day: date
    game: str
    begun_at: datetime
    finished_at: datetime | None
    given_up: bool
    score: int | None

    @property
    def in_time(self) -> bool:
        """True if the game ended before its dice became public."""
        return self.finished_at is not None and self.finished_at < days.find_closing_time(self.day)

    @property
    def later(self) -> bool:
        return days.is_late_start(self.day, self.begun_at)

    @property
    def open(self) -> bool:
        """True if the game can still be finished in time."""
        return not self.given_up and self.finished_at is None and not days.is_closed(self.day)


@dataclass(frozen=True)
class PlayerDays:
    played: Mapping[date, DayPlayed]
    fives: frozenset[date]  # days on which the player answered all five questions
    scores: Sequence[int] = ()  # scores of all counted games, oldest first

    @cached_property
    def daily(self) -> Streak:
        in_time = frozenset(day for day, daily in self.played.items() if daily.in_time)
        still = {day for day, daily in self.played.items() if daily.open}
        return measure_streak(
            Days(in_time, frozenset({days.today(), *still}), self.fives), days.today()
        )

    @cached_property
    def five(self) -> Streak:
        """The streak of days in Five a Day. It cannot be repaired."""
        return measure_streak(Days(self.fives, frozenset({days.today()})), days.today())

    @property
    def left_open(self) -> DayPlayed | None:
        """Yesterday's unfinished game, while the player can still finish it in time; else None."""
        yesterday = self.played.get(days.today() - timedelta(days=1))
        return yesterday if yesterday is not None and yesterday.open else None


def query_counted_daily(rules: Ruleset) -> QuerySet[Game]:
    """Return the counted daily games, one per player and day."""
    daily = {"mode": Game.Mode.DAILY, "ruleset": rules.id, "day__isnull": False}
    return Game.objects.filter(filter_counted(), **daily)


def read_player_days(player: Player, rules: Ruleset) -> PlayerDays:
    """Return the player's days. One query reads them, because the end of a game must be quick."""
    mine = {"player": player, "ruleset": rules.id}
    # Daily games, and other counted games, which have no ``day``.
    games = Game.objects.filter(filter_counted() | Q(mode=Game.Mode.DAILY), **mine).order_by()
    counts = Case(When(filter_counted(), then=Value(value=True)), default=Value(value=False))
    columns = ("day", "pk", "started_at", "finished_at", "abandoned_at", "final_score", "counts")
    # Days with five answers, in the same columns.
    answers = FiveAnswer.objects.filter(**mine).order_by().values("day")
    whole = answers.annotate(answers=Count("pk")).filter(answers=FIVE)
    at = Value(None, output_field=DateTimeField())
    no_score, no = Value(None, output_field=IntegerField()), Value(value=False)
    fives = whole.annotate(game=Value(""), a=at, b=at, c=at, score=no_score, counts=no)
    rows = (
        games.annotate(counts=counts)
        .values_list(*columns)
        .union(fives.values_list("day", "game", "a", "b", "c", "score", "counts"), all=True)
    )
    played, answered, scores = dict[date, DayPlayed](), set[date](), list[tuple[datetime, int]]()
    for day, game, *values in rows:
        if not game:
            answered.add(day)
            continue
        begun_at, finished_at, given_up_at, score, is_counted = values
        if is_counted:
            scores.append((finished_at, score))
        if day is not None:
            given_up = given_up_at is not None
            played[day] = DayPlayed(day, game, begun_at, finished_at, given_up, score)
    return PlayerDays(played, frozenset(answered), tuple(score for _at, score in sorted(scores)))


@dataclass(frozen=True, slots=True)
class Leader:
    """A line of the day's results. Equal scores share a rank."""

    rank: int
    name: str
    score: int
    mine: bool


@dataclass(frozen=True, slots=True)
class DayBoard:
    """The ranking of a day. ``rank`` is the rank of the viewer's game, or None if it has none."""

    players: int = 0
    average: float | None = None
    leaders: tuple[Leader, ...] = ()
    rank: Rank | None = None


def build_day_boards(
    day: date, rules: Ruleset, player: Player | None = None, mine: Game | None = None
) -> tuple[DayBoard, DayBoard]:
    """Return the day's rankings, of players and of guests, in at most three queries."""
    ranked = mine if mine is not None and has_rank(mine) else None
    score = ranked.final_score if ranked else None
    counts: dict[str, Any] = {"players": Count("pk"), "average": Avg("final_score")}
    if score is not None:
        counts["better"] = Count("pk", filter=Q(final_score__gt=score))
        counts["worse"] = Count("pk", filter=Q(final_score__lt=score))
    everybody = query_ranked_daily(day, rules).order_by().values("among_guests")
    rows: Iterable[Mapping[str, Any]] = everybody.annotate(**counts)
    by_board = {row["among_guests"]: row for row in rows}

    def make_board(*, guests: bool) -> DayBoard:
        if guests not in by_board:
            return DayBoard()
        row = by_board[guests]
        games = query_ranked_daily(day, rules).filter(among_guests=guests)
        best = games.order_by("-final_score", "finished_at")[:SHOWN]
        viewer = player.pk if player else None
        leaders, place, last = list[Leader](), 0, -1
        for number, game in enumerate(best, start=1):
            points = game.final_score or 0
            if points != last:
                place, last = number, points
            name = labels.format_player(game.player)
            leaders.append(Leader(place, name, points, game.player_id == viewer))
        rank = None
        if ranked is not None and ranked.among_guests == guests:
            rank = Rank(row["better"] + 1, row["players"], row["worse"], guests)
        return DayBoard(row["players"], row["average"], tuple(leaders), rank)

    return make_board(guests=False), make_board(guests=True)


@cache
def read_day_chain() -> DayChain:
    """Return the hash chain of the daily dice. The first ``migrate`` made it; it never changes."""
    return DayChain.objects.get()


def derive_day_seed(day: date, ruleset: str) -> str:
    link = find_day_link(day)
    if not link:
        return blocks.derive_early_day_seed(day, ruleset)
    return chain.derive_day_key(link, ruleset)


def find_day_link(day: date) -> str:
    """Return the day's link in the hash chain, or "" for days before the chain began."""
    number = (day - read_day_chain().first).days + 1
    return chain.calculate_link(read_day_chain().end, number) if number > 0 else ""


def find_day_anchor() -> str:
    return chain.calculate_link(read_day_chain().end, 0)
