"""The commands of ``python -m solver``. Python imports only the module of the chosen command."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib import import_module

from solver import Refusal
from solver.cli.parser import Parser, say

PROG = "python -m solver"
# The module and the help text of each command. A module adds its commands with `add_commands`.
COMMANDS = {
    "solve": ("solve", "solve a ruleset and write its tables"),
    "verify": ("solve", "check a value table against theory"),
    "exact": ("solve", "calculate the expected points still to come as an exact fraction"),
    "certificate": ("solve", "write a proof of V that docs/verify.py checks"),
    "prepare": ("solve", "make the missing tables of one or more rulesets"),
    "value": ("advise", "print the expected points still to come from a card"),
    "advise": ("advise", "rank every hold and box of a position"),
    "win": (
        "advise",
        "calculate the chance of every hold and box to reach a total, or to beat another card",
    ),
    "audit": ("study", "calculate the cost of the decisions that the published study prints"),
    "evaluate": ("evaluate", "calculate the exact mean score of a player"),
    "distribution": ("players", "calculate the exact chance of every final score of a player"),
    "simulate": ("players", "let a player play many games (the performance test)"),
    "players": ("players", "list all players, each with a summary"),
    "mix": ("evaluate", "combine the holds of one player with the boxes of another player"),
    "playbook": ("players", "print rules that a person can remember, with their values"),
    "dice-test": ("dice", "test dice for fairness (mean and chi-squared)"),
    "same-value": ("study", "compare players on the same dice"),
    "study": ("study", "print every table of the study's chapter 4 next to our results"),
    "sources": ("study", "list the source of each published figure"),
    "learn": ("learn", "train and grade players that learn by playing"),
    "tournament": (
        "tournament",
        "let many players play each other; print their scores and points lost",
    ),
    "positions": ("positions", "make positions with exact values, and score answers to them"),
    "bot": ("bot", "create, check and play bots in any language"),
    "bench": ("bench", "measure the solver's speed on this machine; print medians"),
}


def make_parser(command: str, prog: str = PROG) -> ArgumentParser:
    """Return a parser with the options of this command, and the names of all commands."""
    parser = Parser(prog=prog, description="Solve Yatzy exactly, and query the solution.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    called, _ = COMMANDS.get(command, ("", ""))
    if called:
        import_module(f"solver.cli.{called}").add_commands(commands)
    for name, (module, line) in COMMANDS.items():
        if module != called:
            commands.add_parser(name, help=line)
    return parser


def main(arguments: Sequence[str] | None = None, *, prog: str = PROG) -> int:
    given = sys.argv[1:] if arguments is None else list(arguments)
    options = make_parser(given[0] if given else "", prog).parse_args(given)
    try:
        return int(options.run(options) or 0)
    except BrokenPipeError:
        # A closed pipe is no error. Without this line, the interpreter would report it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Refusal as refusal:
        say(str(refusal))
        return 2
    except OSError as error:
        if error.filename is None:
            raise
        say(f"{error.filename}: {error.strerror}")
        return 2
    except KeyboardInterrupt:
        say("interrupted; no half-written table was left behind")
        return 130
