"""./yatzy drill_pool: make the positions that all players can drill.

The files are part of the program. Make them again only if the rules change, or the grading in
game/practice/drill_pool.py or, for the theme "win", drill_winning_pool.py.
"""

from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from game.core.worth.drilled import make_pool_path
from game.practice import drill_pool, drill_winning_pool
from solver.advice import Advisor
from solver.rules import PLAYED


class Command(BaseCommand):
    help = "Make the pool of drill positions from simulated games, graded by difficulty."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--ruleset", choices=list(PLAYED), required=True, help="ruleset of the drill positions")
        add(
            "--theme",
            choices=["points", "win"],
            default="points",
            help="goal of the drill positions (default: points)",
        )
        add("--out", type=Path, help="file for the positions (default: the ruleset's file)")

    def handle(
        self, *args: Any, ruleset: str, theme: str, out: Path | None, **options: Any
    ) -> None:
        rules = PLAYED[ruleset]
        coach = Advisor.open(rules)
        made = (
            drill_winning_pool.make_pool(coach) if theme == "win" else drill_pool.make_pool(coach)
        )
        out = out or (
            drill_winning_pool.make_pool_path(rules) if theme == "win" else make_pool_path(rules)
        )
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("w", newline="") as file:
            drill_pool.write_pool(rules, made, file)
        counts = Counter(exercise.level for exercise in made)
        levels = ", ".join(f"{counts[level]} of level {level}" for level in sorted(counts))
        self.stdout.write(f"{len(made)} positions in {out}: {levels}")
