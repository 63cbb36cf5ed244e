"""manage.py trial_likeness: how far the exclusion of who plays too well can be trusted."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import translation

from game.judgement.detection import detections
from game.judgement.too_good import expert_games
from game.models import Player
from solver.advice import Advisor
from solver.rules import PLAYED


class Command(BaseCommand):
    help = "How often honest bots, and bots that ask a solver, count as too good in a trial."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--ruleset", choices=list(PLAYED), default=Player().ruleset)
        parser.add_argument("--games", type=int, default=500, help="of every bot (%(default)s)")
        parser.add_argument("--series", type=int, default=10, help="games together (%(default)s)")
        parser.add_argument(
            "--once-in", type=int, default=1000, help="the number of the rule (%(default)s)"
        )

    def handle(
        self, *args: Any, ruleset: str, games: int, series: int, once_in: int, **options: Any
    ) -> None:
        rules = PLAYED[ruleset]
        if not expert_games(rules):
            raise CommandError(f"no expert has played {ruleset}: there is nothing to compare with")
        if min(games, series, once_in) < 1:
            raise CommandError("--games, --series and --once-in are at least 1")
        advisor = Advisor.open(rules)
        advisor.compile()
        self.stdout.write(f"{'plays as':14}{'asks':>8}{'lost a game':>13}{'too good':>10}")
        with translation.override("en"):
            for one in detections(advisor, games=games, series=series, once_in=once_in):
                facts = f"{one.asked:8.0%}{one.lost:13.2f}{one.found:10.2%}"
                self.stdout.write(f"{one.grade.name!s:14}{facts}")
