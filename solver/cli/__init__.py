"""``python -m solver``: one module a group of commands, each adding its own to the parser."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from solver.advice import BadPosition
from solver.advice.wire import BadInput
from solver.arena.checkpoint import OtherTournament
from solver.arena.contestants import UnknownContestant
from solver.arena.dice_file import BadDiceFile
from solver.cli import (
    advise,
    audit,
    bench,
    bot,
    dice,
    evaluate,
    exact,
    learn,
    mix,
    playbook,
    players,
    prepare,
    solve,
    sources,
    study,
    tournament,
    win,
)
from solver.cli.output import Parser, say
from solver.dp.space import Unsolvable
from solver.exact.evaluation import OutOfMemory
from solver.players import CannotPlay, UnknownPlayer
from solver.players.files import BadLearned
from solver.rules import UnknownRuleset
from solver.statistics.faces import BadFaces
from solver.tables import TableError

REFUSALS = (
    BadInput,
    BadPosition,
    UnknownRuleset,
    Unsolvable,
    UnknownPlayer,
    UnknownContestant,
    OtherTournament,
    CannotPlay,
    BadDiceFile,
    BadFaces,
    BadLearned,
    TableError,
    OutOfMemory,
)


PROG = "python -m solver"
GROUPS = (
    solve,
    exact,
    prepare,
    advise,
    win,
    audit,
    evaluate,
    players,
    mix,
    playbook,
    dice,
    study,
    sources,
    learn,
    tournament,
    bot,
    bench,
)


def build_parser(prog: str = PROG) -> argparse.ArgumentParser:
    parser = Parser(prog=prog, description="Solve Yatzy exactly, and ask the solution anything.")
    _add_commands(parser)
    return parser


def _add_commands(parser: argparse.ArgumentParser) -> Any:
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for module in GROUPS:
        module.add_commands(commands)
    return commands


def summaries() -> dict[str, str]:
    """Return a line about each command."""
    choices = _add_commands(Parser())._choices_actions
    return {choice.dest: choice.help for choice in choices}


def main(arguments: Sequence[str] | None = None, *, prog: str = PROG) -> int:
    options = build_parser(prog).parse_args(arguments)
    try:
        return int(options.run(options) or 0)
    except BrokenPipeError:
        # The reader of our output has gone: not an error, and nothing more can be printed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except REFUSALS as refusal:
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
