"""Who does best in the daily games: of a week by the sum, of all time by the average.

A week rewards who comes every day; over all time that would be a list of who has been here
longest, so there the average of at least so many games decides.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Avg, Count, Max, Q, QuerySet, Sum

from game.core.words import labels
from game.models import Game, Player
from game.pages.daily.daily_queries import daily_finished
from solver.rules import Ruleset

FEWEST = 7  # games, for a place of all time
SHOWN = 50


@dataclass(frozen=True, slots=True)
class Place:
    place: int
    name: str
    games: int
    total: int
    average: float
    best: int
    mine: bool


def week_of(day: date) -> tuple[date, date]:
    """Its Monday and its Sunday."""
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=6)


def leaders_of_week(
    rules: Ruleset, day: date, player: Player | None, *, guests: bool = False
) -> list[Place]:
    ranked = _ranked(rules, guests=guests).filter(day__range=week_of(day))
    return _places(_added_up(ranked), "total", player)


def leaders_of_all_time(
    rules: Ruleset, player: Player | None, *, guests: bool = False
) -> list[Place]:
    often = _added_up(_ranked(rules, guests=guests)).filter(games__gte=FEWEST)
    return _places(often, "average", player)


def _ranked(rules: Ruleset, *, guests: bool) -> QuerySet[Game]:
    """Guests, and whoever had a young account when they finished, have a board of their own."""
    return daily_finished(rules).filter(unranked=False, among_guests=guests)


def _added_up(ranked: QuerySet[Game]) -> QuerySet[Any, Any]:
    return (
        ranked.order_by()
        .values("player")
        .annotate(
            games=Count("pk"),
            total=Sum("final_score"),
            average=Avg("final_score"),
            best=Max("final_score"),
        )
    )


def _places(rows: QuerySet[Any, Any], by: str, player: Player | None) -> list[Place]:
    """The first of them, and one's own wherever it is."""
    found = list(rows.order_by(f"-{by}", "player")[:SHOWN])
    mine = player.pk if player else None
    if mine is not None and all(row["player"] != mine for row in found):
        found += rows.filter(player=mine)
    names = Player.objects.select_related("user").in_bulk([row["player"] for row in found])
    return [_place(row, rows, by, found, names[row["player"]], mine) for row in found]


def _place(
    row: dict[str, Any],
    rows: QuerySet[Any, Any],
    by: str,
    found: list[dict[str, Any]],
    player: Player,
    mine: int | None,
) -> Place:
    """Equal ones share a place; beyond those that are shown the database counts."""
    ahead = [other for other in found[:SHOWN] if other[by] > row[by]]
    full = len(found) > SHOWN and row is found[-1]
    better = rows.filter(Q(**{f"{by}__gt": row[by]})).count() if full else len(ahead)
    facts = {name: row[name] for name in ("games", "total", "average", "best")}
    return Place(better + 1, labels.player(player), **facts, mine=row["player"] == mine)
