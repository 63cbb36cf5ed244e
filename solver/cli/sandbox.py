"""--sandbox: programs and classes of others run inside walls (``arena.programs.sandbox``)."""

import argparse
from typing import Any

from solver.arena.programs import FENCED, USUAL, Limits


def add_sandbox_option(parser: Any) -> None:
    parser.add_argument(
        "--sandbox",
        action="store_true",
        help="programs and classes have no network, see no home, and write nothing that stays "
        "(Linux with bubblewrap; docs/bots.md says what holds without)",
    )


def limits_of(options: argparse.Namespace) -> Limits:
    return FENCED if options.sandbox else USUAL
