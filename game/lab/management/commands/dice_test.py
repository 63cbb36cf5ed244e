"""./yatzy dice_test: test whether the games' dice, or dice that you rolled by hand, are fair."""

import secrets
import time
from argparse import ArgumentParser
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.lab.dice import roll_in_chunks, tally
from solver.cli.dice import add_places
from solver.cli.output import show_progress, show_report
from solver.statistics.fairness import BadFaces, DiceTest, check_fairness_apart, read
from solver.study.html import Words
from solver.study.same_value import report_test

REFUSED = 1e-6  # p-value; one run in a million with fair dice falls below it


class Command(BaseCommand):
    help = "Test 3,000,000 dice of this site by chi-squared, or, with --file, dice rolled by hand."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "--dice",
            type=int,
            default=3_000_000,
            help="number of dice to roll (default: 3,000,000)",
        )
        add("--seed", help="hexadecimal seed, to repeat a test (default: random)")
        add("--file", type=Path, help="file with rolls, such as 13245 or 1,3,2,4,5 (default: none)")
        add_places(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        result = self._read(options) if options["file"] else self._roll_dice(options)
        with redirect_stdout(StringIO()) as shown:
            show_report(report_test(result, Words()))
        self.stdout.write(shown.getvalue())
        if min([result.fit.p, *(die.p for die in result.apart)]) < REFUSED:
            raise CommandError("these dice are not fair", returncode=1)

    def _read(self, options: dict[str, Any]) -> DiceTest:
        path, places = options["file"], options["places"]
        try:
            faces = read(path, places)
        except BadFaces as wrong:
            raise CommandError(str(wrong), returncode=2) from None
        heading = f", without the heading {faces.heading!r}" if faces.heading else ""
        self.stdout.write(f"{sum(faces.counts):,} dice of {path}{heading}\n")
        return check_fairness_apart("your dice", faces.dice, places)

    def _roll_dice(self, options: dict[str, Any]) -> DiceTest:
        if options["places"]:
            raise CommandError("--places describes the rolls of a file: add --file", returncode=2)
        if options["dice"] < 1:
            raise CommandError("--dice must be at least 1", returncode=2)
        try:
            seed = options["seed"]
            master = bytes.fromhex(seed) if seed else secrets.token_bytes(32)
        except ValueError:
            raise CommandError("--seed must be hexadecimal", returncode=2) from None
        began = time.perf_counter()
        dice = options["dice"]
        counter: Counter[int] = Counter()
        with show_progress("Rolling", quiet=False) as progress:
            for chunk in roll_in_chunks(master, dice):
                counter.update(chunk)
                if progress:
                    progress(counter.total(), dice)
        result = tally(counter)
        seconds = time.perf_counter() - began
        self.stdout.write(f"{result.dice:,} dice in {seconds:.1f} s, seed {master.hex()}\n")
        return result
