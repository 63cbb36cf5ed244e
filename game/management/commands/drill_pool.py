"""manage.py drill_pool: make the positions that everybody can drill.

The file belongs to the code; it needs making again only when the rules of the game or the grading
in game/coach/pool.py change.
"""

from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.judgement import pool
from game.judgement.tables import advisor
from solver.rules import YATZY


class Command(BaseCommand):
    help = "Make the pool of drill positions from simulated games, graded by difficulty."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--out", type=Path, default=pool.FILE, help="the file to write")

    def handle(self, *args: Any, **options: Any) -> None:
        coach = advisor(YATZY)
        if coach is None:
            raise CommandError("there is no table of values: run python -m solver solve first")
        made = pool.made(coach)
        out: Path = options["out"]
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("w", newline="") as file:
            pool.write(made, file)
        counts = Counter(one.level for one in made)
        told = ", ".join(f"{counts[level]} of level {level}" for level in pool.LEVELS)
        self.stdout.write(f"{len(made)} positions in {out}: {told}")
