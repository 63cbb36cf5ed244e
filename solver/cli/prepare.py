"""The command prepare: make the missing tables and results of rulesets."""

import argparse
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from solver.advice.wire import BadInput
from solver.cli.output import (
    add_json_option,
    add_zero_option,
    print_json,
    show_progress,
    show_table,
)
from solver.cli.parser import say
from solver.rules import PLAYED, RULESETS, Ruleset, find_ruleset
from solver.tables import VALUES
from solver.tables.maker import Busy, Failed, prepare
from solver.tables.parts import PARTS, find_existing_parts


def add_commands(commands: Any) -> None:
    command = commands.add_parser("prepare")
    command.add_argument(
        "rulesets",
        nargs="*",
        metavar="RULESET",
        help=f"rulesets to prepare, of {', '.join(PLAYED)} (default: the first {len(RULESETS)})",
    )
    command.add_argument(
        "--parts",
        default=",".join(PARTS),
        metavar="A,B",
        help=f"parts to make, of {','.join(PARTS)} (default: all)",
    )
    add_zero_option(command, "--nice", "nice value, 0 to 19; at 19, other programs go first")
    add_json_option(command)
    command.set_defaults(run=run_prepare)


def run_prepare(options: argparse.Namespace) -> int:
    rulesets = [find_ruleset(name, PLAYED) for name in options.rulesets or RULESETS]
    parts = _parse_parts(options.parts)
    if options.nice:
        os.nice(options.nice)
    with _treat_sigterm_as_interrupt():
        results = [_prepare_ruleset(rules, parts, quiet=options.json) for rules in rulesets]
    _show_results(rulesets, results, as_json=options.json)
    return 2 if any(result["problem"] for result in results) else 0


def solve_where_missing(rules: Ruleset, *, quiet: bool) -> None:
    if find_existing_parts(rules)[VALUES]:
        return
    try:
        with show_progress(f"Solving {rules.title}", quiet=quiet) as progress:
            prepare(rules, (VALUES,), progress)
    except (Busy, Failed) as error:
        raise BadInput(str(error)) from None


def _parse_parts(text: str) -> tuple[str, ...]:
    named = set(text.split(","))
    if unknown := named.difference(PARTS):
        raise BadInput(f"unknown part {min(unknown)!r}; known: {', '.join(PARTS)}")
    return tuple(part for part in PARTS if part in named)


def _prepare_ruleset(rules: Ruleset, parts: tuple[str, ...], *, quiet: bool) -> dict[str, Any]:
    began, made, problem = perf_counter(), list[str](), ""
    try:
        with show_progress(f"Preparing {rules.title}", quiet=quiet) as progress:
            made = [piece.name for piece in prepare(rules, parts, progress)]
    except (Busy, Failed) as error:
        problem = str(error)
        say(problem)
    seconds = perf_counter() - began
    return {
        "there": find_existing_parts(rules),
        "made": made,
        "seconds": seconds,
        "problem": problem,
    }


def _show_results(rulesets: list[Ruleset], results: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        print_json({"rulesets": {r.id: facts for r, facts in zip(rulesets, results, strict=True)}})
        return
    rows = [
        [
            rules.title,
            *("yes" if facts["there"][part] else "–" for part in PARTS),
            f"{facts['seconds']:.1f}",
        ]
        for rules, facts in zip(rulesets, results, strict=True)
    ]
    show_table("What is there now", ["", *PARTS, "seconds"], rows)


@contextmanager
def _treat_sigterm_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM as an interrupt, so that no file stays half-written."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
