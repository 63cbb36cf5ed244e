"""coverage: whether the ranges of a trial's results hold what they say, on made-up trials."""

import argparse
from dataclasses import asdict
from typing import Any

from solver.advice.wire import BadInput
from solver.cli.output import add_json_option, print_json, progress_bar, show_table
from solver.cli.players import add_seed, whole_from
from solver.statistics.coverage import SCENARIOS, Covered, coverage

TRIALS, MOST_TRIALS = 2_000, 1_000_000


def add_commands(commands: Any) -> None:
    parser = commands.add_parser(
        "coverage",
        help="whether a trial's ranges hold the truth, on made-up trials",
        description="Make up trials whose truth is known, analyse each as a trial's results are, "
        "and count how often every 95 % range holds the truth.",
    )
    parser.add_argument(
        "--trials",
        type=whole_from(1, MOST_TRIALS),
        default=TRIALS,
        metavar="N",
        help=f"how many of each kind ({TRIALS})",
    )
    parser.add_argument("--only", default="", metavar="KIND", help="kinds that begin so: arms")
    add_seed(parser)
    add_json_option(parser)
    parser.set_defaults(run=run_coverage)


def run_coverage(options: argparse.Namespace) -> None:
    if not any(one.name.startswith(options.only) for one in SCENARIOS):
        raise BadInput("kinds of trials are: " + "; ".join(one.name for one in SCENARIOS))
    with progress_bar("trials", quiet=options.json) as progress:
        found = list(coverage(options.trials, options.seed, options.only, progress))
    if options.json:
        print_json([asdict(line) for line in found])
        return
    columns = ["trials", "95 % range of", "covered", "half", "false", "power"]
    title = f"How often ranges hold the truth, in {options.trials:,} made-up trials of each kind"
    above = ["", *(line.world for line in found)]
    rows = [_row(line, named) for line, named in zip(found, above, strict=False)]
    show_table(title, columns, rows, left=2)


def _row(line: Covered, above: str) -> list[str]:
    """The kind of trial is named in its first row alone."""
    return [
        line.world if line.world != above else "",
        line.about,
        f"{line.covered:.1%}",
        f"{line.half:.3g}",
        *("" if of is None else f"{of:.1%}" for of in (line.false_positives, line.power)),
    ]
