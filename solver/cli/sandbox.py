"""The option that runs bots outside their sandbox (``arena.programs.sandbox``)."""

import argparse
import sys
from typing import Any

from solver.arena.programs import FENCED, USUAL, Limits

NOTICE = "--sandbox changes nothing: walls are the default, and --trust takes them away"


def add_sandbox_option(parser: Any) -> None:
    walls = parser.add_mutually_exclusive_group()
    walls.add_argument(
        "--trust",
        action="store_true",
        help="run bots with your rights (default: in a sandbox without network, home folders and "
        "lasting files, if bubblewrap is installed; see docs/bots.md)",
    )
    walls.add_argument("--sandbox", action="store_true", help=argparse.SUPPRESS)


def choose_limits(options: argparse.Namespace) -> Limits:
    if options.sandbox:
        sys.stderr.write(f"{NOTICE}\n")
    return USUAL if options.trust else FENCED
