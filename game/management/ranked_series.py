"""The points that players lost in ranked daily games, for the operators of the site."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Count, Q, Sum

from game.core.words import labels
from game.core.worth.too_good import read_expert_losses
from game.models import Player
from game.pages.daily.daily_queries import query_counted_daily
from solver.dp.space import TIE
from solver.rules import Ruleset
from solver.statistics.likeness import bound_chance


@dataclass(frozen=True, slots=True)
class Series:
    """A player's ranked games. ``chance`` is the highest probability with which an honest expert
    would lose so few points."""

    name: str
    code: str
    games: int
    flawless: int
    lost: float
    chance: float


def list_ranked_series(rules: Ruleset, *, since: date, fewest: int) -> Iterator[Series]:
    judged = query_counted_daily(rules).filter(unranked=False, day__gte=since, regret__isnull=False)
    flawless = Count("pk", filter=Q(regret__lt=TIE))
    by_player = judged.order_by().values("player")
    rows: Iterable[Mapping[str, Any]] = by_player.annotate(
        games=Count("pk"), flawless=flawless, lost=Sum("regret")
    ).filter(games__gte=fewest)
    sums = list(rows)
    players = Player.objects.select_related("user").in_bulk([row["player"] for row in sums])
    expert = read_expert_losses(rules)
    for row in sums:
        player, facts = players[row["player"]], (row["games"], row["flawless"], row["lost"])
        surprise = bound_chance(expert, row["games"], row["lost"])
        yield Series(labels.format_player(player), player.code, *facts, surprise)
