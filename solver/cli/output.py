"""Output of commands: JSON on one line for programs; tables and reports for people."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from solver.dp.sweep import Progress as Report
from solver.rules import DEFAULT, RULESETS, SOLVED
from solver.study.html import BulletList, Folded, Heading, NamedValues, Paragraph, Part, TextTable


def print_json(facts: Any) -> None:
    print(json.dumps(facts), flush=True)  # noqa: T201


def show_table(title: str, columns: list[str], rows: list[list[str]], *, left: int = 1) -> None:
    """Print a table. The first ``left`` columns are text, and all other columns are numbers."""
    if not find_spec("rich"):
        widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
        print(title)  # noqa: T201
        for row in (columns, *rows):
            cells = zip(row, widths, strict=True)
            aligned = (
                f"{text:{'<' if n < left else '>'}{wide}}" for n, (text, wide) in enumerate(cells)
            )
            print("  ".join(aligned).rstrip())  # noqa: T201
        return
    from rich.console import Console, JustifyMethod
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        justify: JustifyMethod = "left" if number < left else "right"
        table.add_column(column, justify=justify, overflow="fold")  # "fold" wraps long text
    for row in rows:
        table.add_row(*row)
    # Names of programs may contain brackets, and these must not count as markup.
    Console(markup=False, emoji=False).print(table)


def show_report(parts: Iterable[Part]) -> None:
    for part in parts:
        match part:
            case Heading(text=text) | Paragraph(text=text) if text:
                print(text)  # noqa: T201
            case BulletList():
                print(*part.texts, sep="\n")  # noqa: T201
            case TextTable():
                show_table(part.caption, list(part.head), part.texts, left=part.left)
            case NamedValues():
                show_table("", ["", ""], [list(row) for row in part.rows])
            case Folded():
                show_report(part.parts)


@contextmanager
def show_progress(title: str, *, quiet: bool) -> Iterator[Report | None]:
    """Show a progress bar on standard error, unless ``quiet`` is set or stderr is no terminal."""
    if quiet or not sys.stderr.isatty() or not find_spec("rich"):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=1)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def add_switch(parser: Any, name: str, meaning: str) -> None:
    parser.add_argument(name, action="store_true", help=meaning)


def add_path_option(parser: Any, name: str, meaning: str, metavar: str = "FILE") -> None:
    parser.add_argument(name, type=Path, metavar=metavar, help=meaning)


def add_zero_option(parser: Any, name: str, meaning: str) -> None:
    parser.add_argument(name, type=int, default=0, metavar="N", help=f"{meaning} (default: 0)")


def add_json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def add_ruleset_option(
    parser: argparse.ArgumentParser, among: Iterable[str] = tuple(RULESETS)
) -> None:
    parser.add_argument(
        "--ruleset",
        default=DEFAULT.id,
        metavar="RULESET",
        help=f"ruleset: {', '.join(among)} (default: {DEFAULT.id})",
    )


def add_ruleset(
    parser: argparse.ArgumentParser, *, optional: bool, among: Iterable[str] = SOLVED
) -> None:
    """Add the ruleset as a positional argument. By default it may be any solved ruleset."""
    parser.add_argument(
        "ruleset",
        nargs="?" if optional else None,
        default=DEFAULT.id,
        metavar="RULESET",
        help=f"ruleset: {', '.join(among)}" + (f" (default: {DEFAULT.id})" if optional else ""),
    )
