"""./yatzy too_good: list players who lost fewer points than even an honest expert would lose."""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Count, Q, Sum

from game.core.fair.days import today
from game.core.words import labels
from game.core.worth.too_good import read_expert_losses
from game.models import Player
from game.pages.daily.daily_queries import query_counted_daily
from solver.dp.space import TIE
from solver.rules import PLAYED, Ruleset
from solver.statistics.chi_squared import bound_chance

ONE_IN = 1000  # if all players are honest, the chance to mark any of them is below 1 in 1000
HEAD = f"{'':2}{'player':24}{'code':18}{'games':>6}{'flawless':>10}{'lost/game':>12}  chance"


@dataclass(frozen=True, slots=True)
class Series:
    """A player's ranked games. ``chance`` is the highest chance that an expert loses this
    little."""

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


class Command(BaseCommand):
    help = (
        "List players with ranked daily games, starting with the player whose results are "
        "least likely for an honest expert."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--ruleset",
            choices=list(PLAYED),
            default=Player().ruleset,
            help="ruleset of the daily games (default: %(default)s)",
        )
        parser.add_argument(
            "--days",
            type=int,
            default=90,
            help="number of most recent days to check (default: %(default)s)",
        )
        parser.add_argument(
            "--fewest",
            type=int,
            default=5,
            help="minimum number of ranked games per player (default: %(default)s)",
        )

    def handle(self, *args: Any, ruleset: str, days: int, fewest: int, **options: Any) -> None:
        rules = PLAYED[ruleset]
        if not read_expert_losses(rules):
            raise CommandError(f"no expert has played {ruleset}: there are no games to compare")
        if days < 1 or fewest < 1:
            raise CommandError("--days and --fewest must be at least 1")
        since = today() - timedelta(days=days - 1)
        every_series = sorted(
            list_ranked_series(rules, since=since, fewest=fewest),
            key=lambda series: (series.chance, series.code),
        )
        marked = [
            series for series in every_series if series.chance * len(every_series) * ONE_IN < 1
        ]
        self.stdout.write(f"{rules.title}: ranked daily games of the latest {days} days")
        self.stdout.write(HEAD)
        for series in every_series:
            self.stdout.write(format_line(series, mark="*" if series in marked else ""))
        self.stdout.write(
            f"Players with {fewest} games or more: {len(every_series)}. With *: {len(marked)}."
        )


def format_line(series: Series, *, mark: str) -> str:
    cost = series.lost / series.games
    facts = f"{series.games:6}{series.flawless:10}{cost:12.3f}  {series.chance:.2g}"
    return f"{mark:2}{series.name[:22]:24}{series.code:18}{facts}"
