"""What brings people back: on which days somebody played, and how many in a row that makes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Count, DateTimeField, IntegerField, Q, QuerySet, Value
from django.utils.functional import cached_property

from game.fair import days
from game.judgement.streaks import Days, Streak, streak
from game.models import FIVE, FiveAnswer, Game, Player
from game.selectors.games import counted
from solver.rules import Ruleset


@dataclass(frozen=True, slots=True)
class DayPlayed:
    """A player's game of a day, as far as a calendar has it."""

    day: date
    game: str
    begun_at: datetime
    finished_at: datetime | None
    given_up: bool
    score: int | None

    @property
    def in_time(self) -> bool:
        """Finished before everybody could see its dice."""
        return self.finished_at is not None and self.finished_at < days.closes_at(self.day)

    @property
    def later(self) -> bool:
        return days.played_later(self.day, self.begun_at)

    @property
    def open(self) -> bool:
        """It can still be finished in time."""
        return not self.given_up and self.finished_at is None and not days.closed(self.day)


@dataclass(frozen=True)
class PlayerDays:
    """A player's days of both things, by one ruleset."""

    played: Mapping[date, DayPlayed]
    fives: frozenset[date]  # on which all five were answered
    scores: Sequence[int] = ()  # of all games that count, the latest last

    @cached_property
    def daily(self) -> Streak:
        in_time = frozenset(day for day, one in self.played.items() if one.in_time)
        still = {day for day, one in self.played.items() if one.open}
        return streak(Days(in_time, frozenset({days.today(), *still}), self.fives), days.today())

    @cached_property
    def five(self) -> Streak:
        """Nothing repairs it."""
        return streak(Days(self.fives, frozenset({days.today()})), days.today())

    @property
    def left_open(self) -> DayPlayed | None:
        """Yesterday's game, while it can still be finished in time."""
        found = self.played.get(days.today() - timedelta(days=1))
        return found if found is not None and found.open else None


def daily_finished(rules: Ruleset) -> QuerySet[Game]:
    """First attempts: there is one game of a day for each player."""
    return Game.objects.filter(
        mode=Game.Mode.DAILY, ruleset=rules.id, day__isnull=False, finished_at__isnull=False
    )


def player_days(player: Player, rules: Ruleset) -> PlayerDays:
    """One query, however many days: the end of a game has no time for more."""
    games, fives = _games(player, rules), _fives(player, rules)
    found = games.union(fives, all=True)
    played, answered, scores = dict[date, DayPlayed](), set[date](), list[tuple[datetime, int]]()
    for day, game, *rest in found:
        if not game:
            answered.add(day)
            continue
        begun_at, finished_at, given_up_at, score = rest
        if finished_at is not None:
            scores.append((finished_at, score))
        if day is not None:
            given_up = given_up_at is not None
            played[day] = DayPlayed(day, game, begun_at, finished_at, given_up, score)
    return PlayerDays(played, frozenset(answered), tuple(score for _at, score in sorted(scores)))


def _games(player: Player, rules: Ruleset) -> QuerySet[Game, Any]:
    """The daily ones, and all that count; none of the others has a day."""
    daily = Q(mode=Game.Mode.DAILY)
    found = Game.objects.filter(counted() | daily, player=player, ruleset=rules.id)
    columns = ("day", "pk", "started_at", "finished_at", "abandoned_at", "final_score")
    return found.order_by().values_list(*columns)


def _fives(player: Player, rules: Ruleset) -> QuerySet[FiveAnswer, Any]:
    """Days on which all five were answered, in as many columns."""
    found = FiveAnswer.objects.filter(player=player, ruleset=rules.id).order_by().values("day")
    whole = found.annotate(answers=Count("pk")).filter(answers=FIVE)
    at = Value(None, output_field=DateTimeField())
    return whole.annotate(
        game=Value(""), a=at, b=at, c=at, score=Value(None, output_field=IntegerField())
    ).values_list("day", "game", "a", "b", "c", "score")
