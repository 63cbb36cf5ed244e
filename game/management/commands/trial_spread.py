"""manage.py trial_spread: how far bots differ, for planning a trial where nobody has played yet,
and games of theirs, for simulating it.

The files belong to the code; they need making again only when the rules of the game, the bots or
the grades of game/judgement change.
"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from game.trials.planning import bank, bots
from solver.advice import Advisor
from solver.rules import PLAYED


class Command(BaseCommand):
    help = "Have bots of many levels play, and write down how far they differ, and their games."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--ruleset", choices=list(PLAYED), required=True)
        parser.add_argument("--bots", type=int, default=bots.BOTS, help="(%(default)s)")
        parser.add_argument("--games", type=int, default=bots.GAMES, help="(%(default)s)")
        parser.add_argument("--levels", type=int, default=bank.LEVELS, help="(%(default)s)")
        parser.add_argument(
            "--deals", type=int, default=bank.DEALS, help="that each level plays (%(default)s)"
        )
        parser.add_argument("--out", type=Path, help="the file to write, if not the usual one")

    def handle(self, *args: Any, **options: Any) -> None:
        rules = PLAYED[options["ruleset"]]
        coach = Advisor.open(rules)
        coach.compile()
        spread = options["out"] or bots.file_of(rules)
        games = spread.with_name(bank.file_of(rules).name)
        games.write_text(bank.made(coach, options["levels"], options["deals"]), encoding="utf-8")
        self.stdout.write(f"{options['levels']} levels, {options['deals']} games each, in {games}")
        spread.write_text(bots.made(coach, options["bots"], options["games"]), encoding="utf-8")
        self.stdout.write(f"{options['bots']} bots, 2 x {options['games']} games each, in {spread}")
