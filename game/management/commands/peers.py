"""./yatzy peers: measure the points that bots of each grade lose.

For the best grade, a second file has the loss of every game. The files are part of the program.
Make them again only if the rules or the grades change.
"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from game.core.worth import peers, too_good
from solver.advice import Advisor
from solver.rules import PLAYED

EXPERT = 2  # the best grade's bots play this multiple of ``games``


class Command(BaseCommand):
    help = "Let bots of every grade play, and store the points that they lose."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--ruleset", choices=list(PLAYED), required=True, help="ruleset that the bots play")
        add("--games", type=int, default=peers.GAMES, help="games per grade (default: %(default)s)")
        add("--out", type=Path, help="file for the points lost (default: the ruleset's file)")

    def handle(
        self, *args: Any, ruleset: str, games: int, out: Path | None, **options: Any
    ) -> None:
        rules = PLAYED[ruleset]
        coach = Advisor.open(rules)
        coach.compile()
        text = peers.make_peers_file(coach, games=games)
        out = out or peers.make_peers_path(rules)
        out.write_text(text, encoding="utf-8")
        expert = out.with_name(too_good.make_games_path(rules).name)
        expert.write_text(too_good.make_expert_file(coach, games=EXPERT * games), encoding="utf-8")
        self.stdout.write(f"{games} games per grade in {out}: {len(text)} bytes")
