"""The command sources: the source of each number that this program calls published."""

import argparse
from dataclasses import asdict
from typing import Any

from solver.cli.output import add_json_option, print_json
from solver.study.sources import format_markdown, read_cited_works


def add_commands(commands: Any) -> None:
    parser = commands.add_parser("sources")
    add_json_option(parser)
    parser.set_defaults(run=run_sources)


def run_sources(options: argparse.Namespace) -> None:
    if options.json:
        print_json([asdict(work) for work in read_cited_works()])
    else:
        print(format_markdown())  # noqa: T201
