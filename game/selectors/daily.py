"""What brings people back: their days in a row, and the days gone by."""

from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Avg, Count, QuerySet

from game.fair import days
from game.judgement.streaks import Streak, streak
from game.models import Game, Player
from solver.rules import Ruleset


@dataclass(frozen=True, slots=True)
class PastDay:
    day: date
    players: int
    average: float | None
    mine: int | None


def daily_finished(rules: Ruleset) -> QuerySet[Game]:
    """First attempts: there is one game of a day for each player."""
    return Game.objects.filter(
        mode=Game.Mode.DAILY, ruleset=rules.id, day__isnull=False, finished_at__isnull=False
    )


def daily_streak(player: Player, rules: Ruleset) -> Streak:
    """Days whose game was finished before everybody could see its dice."""
    found = daily_finished(rules).filter(player=player).values_list("day", "finished_at")
    in_time = {day for day, at in found if day and at and at < days.closes_at(day)}
    return streak(in_time, days.today())


def daily_past(
    player: Player | None, rules: Ruleset, before: date, count: int, first: date
) -> list[PastDay]:
    """The latest first; two queries, however many days."""
    shown = [before - timedelta(days=ago) for ago in range(1, count + 1)]
    shown = [day for day in shown if day >= first]
    found = daily_finished(rules).filter(day__in=shown)
    ranked = found.filter(unranked=False).values("day")
    added_up = ranked.annotate(players=Count("pk"), average=Avg("final_score"))
    facts = {row["day"]: (row["players"], row["average"]) for row in added_up}
    mine = dict(found.filter(player=player).values_list("day", "final_score")) if player else {}
    return [PastDay(day, *facts.get(day, (0, None)), mine.get(day)) for day in shown]
