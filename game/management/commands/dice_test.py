"""manage.py dice_test: throw the dice of many games and compare the faces with chance."""

import secrets
import time
from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import Progress

from game.dice_test import DiceTest, tally, thrown

PATIENCE = 2.0  # seconds before a progress bar is of use
REFUSED = 1e-6  # fair dice look worse than this once in a million runs


class Command(BaseCommand):
    help = "Chi-squared test of the dice (3,000,000 of them, as for the thesis's virtual dice)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dice", type=int, default=3_000_000, help="how many")
        parser.add_argument("--seed", help="32 bytes in hexadecimal, to repeat a test")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["dice"] < 1:
            raise CommandError("--dice must be at least 1", returncode=2)
        master = self._master(options["seed"])
        began = time.perf_counter()
        result = _throw(master, options["dice"])
        self._report(result, master, time.perf_counter() - began)
        if result.p_value < REFUSED:
            raise CommandError("these dice are not fair", returncode=1)

    def _master(self, text: str | None) -> bytes:
        try:
            return bytes.fromhex(text) if text else secrets.token_bytes(32)
        except ValueError:
            raise CommandError("--seed must be hexadecimal", returncode=2) from None

    def _report(self, result: DiceTest, master: bytes, seconds: float) -> None:
        lines = [f"{result.dice:,} dice in {seconds:.1f} s, seed {master.hex()}", ""]
        for face, count in enumerate(result.counts, start=1):
            lines.append(f"  {face}  {count:>10,}  {count - result.expected:>+10.1f}")
        lines += [
            "",
            f"mean         {result.mean:.5f}  ({result.mean_error:+.2f} standard errors from 3.5)",
            f"chi-squared  {result.chi_squared:.3f}  (5 degrees of freedom)",
            f"p-value      {result.p_value:.4f}",
        ]
        self.stdout.write("\n".join(lines))


def _throw(master: bytes, dice: int) -> DiceTest:
    counter: Counter[int] = Counter()
    began = time.perf_counter()
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("Throwing", total=dice, visible=False)
        for chunk in thrown(master, dice):
            counter.update(chunk)
            late = time.perf_counter() - began > PATIENCE
            progress.update(task, advance=len(chunk), visible=late)
    return tally(counter)
