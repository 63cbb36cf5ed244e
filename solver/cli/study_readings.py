"""study readings: every reading of the study's words, ranked by its own histograms."""

import argparse
from dataclasses import asdict
from typing import Any

from solver.cli.output import add_json_option, print_json, progress_bar, say, show_table
from solver.cli.players import write_file
from solver.study.candidates import FILE, Candidate, all_candidates, as_csv, candidates
from solver.study.histograms import KEYS

SHOWN = 10
COLUMNS = ["", "mean", "median", "off the published", "chi-squared", "holds", "boxes"]


def add_readings(parts: Any) -> None:
    readings = parts.add_parser(
        "readings",
        help="which program did they run? every reading of its words, ranked",
        description="Show the readings of the study's words whose exact scores come closest to "
        "its histograms, as they come with the program; --json has all of them.",
    )
    readings.add_argument(
        "--write", action="store_true", help="work all of them out again, and keep them: minutes"
    )
    add_json_option(readings)
    readings.set_defaults(run=run_readings)


def run_readings(options: argparse.Namespace) -> None:
    if options.write:
        with progress_bar("Readings", quiet=options.json) as progress:
            write_file(FILE, as_csv(all_candidates(progress)))
        say(f"written: {FILE}")
        candidates.cache_clear()
    found = candidates()
    if options.json:
        print_json([asdict(one) for one in found])
        return
    for player in KEYS:
        own = [one for one in found if one.player == player]
        title = f"{player}: the closest of {len(own)} readings"
        show_table(title, COLUMNS, [_row(one) for one in own[:SHOWN]])


def _row(of: Candidate) -> list[str]:
    return [
        " ".join(option.name for option in of.options),
        f"{of.mean:.2f}",
        str(of.median),
        f"{of.distance:.1%}",
        f"{of.chi_squared:,.0f}",
        str(of.holds),
        str(of.boxes),
    ]
