"""solve and verify: make a table of values, and prove that it is right."""

import argparse
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from solver.advice import Advisor
from solver.advice.wire import BadInput
from solver.cli.dice import parse_counts
from solver.cli.output import (
    add_json_option,
    add_ruleset,
    print_json,
    progress_bar,
    say,
    show_table,
)
from solver.dp.space import Space
from solver.exact.any_die import die_value, fair_value
from solver.making.parts import (
    Taken,
    beside,
    is_sound,
    make_explain,
    make_outlook,
    make_values,
)
from solver.rules import Ruleset, find_ruleset
from solver.tables import EXPLAIN, OUTLOOK, VALUES, open_table, table_path

# V(start) as others have published it (study/data/sources.json) or as the definition gives it, and
# how exactly.
GOLDEN = {
    "yatzy": (248.439989378, 1e-8),
    "yahtzee": (254.587729, 1e-6),
    "yahtzee-free-joker": (254.589609, 1e-6),
    "yahtzee-plain": (245.870775, 1e-6),
}
SAMPLE = 1000


def add_commands(commands: Any) -> None:
    solve = commands.add_parser("solve", help="solve a ruleset and write its tables")
    add_ruleset(solve, optional=True)
    solve.add_argument("--out", type=Path, metavar="FILE", help="where the table of values goes")
    solve.add_argument(
        "--explain",
        action="store_true",
        help="also the table that says why: what each box is expected to bring (67 MB)",
    )
    solve.add_argument("--force", action="store_true", help="solve even if the table is there")
    solve.add_argument(
        "--dice-counts",
        metavar="N,N,N,N,N,N",
        help="with dice that showed 1 to 6 so often, instead of fair ones; writes no table",
    )
    add_json_option(solve)
    solve.set_defaults(run=run_solve)

    verify = commands.add_parser("verify", help="check a table against theory")
    add_ruleset(verify, optional=True)
    verify.add_argument("--table", type=Path, metavar="FILE", help="another file than the usual")
    add_json_option(verify)
    verify.set_defaults(run=run_verify)


def run_solve(options: argparse.Namespace) -> None:
    rules = find_ruleset(options.ruleset)
    if options.dice_counts is not None:
        solve_for_dice(rules, options)
        return
    path = options.out or table_path(rules)
    if path.is_dir():
        raise BadInput(f"{path} is a folder: name a file")
    facts = None if options.force else existing(rules, path)
    if facts is None:
        facts = solve_to(rules, path, quiet=options.json)
    if options.explain:
        explain_to(rules, path, force=options.force, quiet=options.json)
    if options.json:
        print_json(facts)
        return
    rows = [
        ["expected final score", f"{facts['value']:.9f}"],
        ["positions", f"{facts['states']:,}"],
        ["seconds", f"{facts['seconds']:.2f}" if facts["seconds"] else "solved before"],
        ["seconds before, for the compiler", f"{facts['loading_seconds']:.2f}"],
        ["bytes", f"{facts['bytes']:,}"],
        ["file", str(facts["path"])],
    ]
    show_table(rules.title, ["", ""], rows)


def solve_for_dice(rules: Ruleset, options: argparse.Namespace) -> None:
    """Kept nowhere, so that it is never taken for the value with fair dice."""
    if options.out or options.explain or options.force:
        raise BadInput("--dice-counts writes no table: leave out --out, --explain and --force")
    counts = parse_counts(options.dice_counts)
    began = perf_counter()
    found, fair = die_value(rules, counts), fair_value(rules)
    facts = {
        "ruleset": rules.id,
        "dice_counts": counts,
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "fair_value": fair,
        "seconds": perf_counter() - began,
    }
    if options.json:
        print_json(facts)
        return
    rows = [
        ["expected final score", f"{found.value:.6f}"],
        [f"95 % interval, by {sum(counts):,} dice", f"{found.low:.2f} to {found.high:.2f}"],
        ["with fair dice", f"{fair:.6f}"],
        ["seconds", f"{facts['seconds']:.2f}"],
    ]
    show_table(f"{rules.title}, dice as thrown", ["", ""], rows)


def existing(rules: Ruleset, path: Path) -> dict[str, Any] | None:
    """The facts of a table that is there and sound, its outlook too."""
    if not is_sound(rules, VALUES, path):
        return None
    if not is_sound(rules, OUTLOOK, beside(rules, path, OUTLOOK)):
        return None
    return facts_of(rules, path, open_table(rules, VALUES, path).value_start, Taken(0.0, 0.0))


def solve_to(rules: Ruleset, path: Path, *, quiet: bool) -> dict[str, Any]:
    """Solves, and writes the values and beside them the outlook."""
    try:
        with progress_bar(f"Solving {rules.title}", quiet=quiet) as progress:
            taken = make_values(rules, path, progress)
        with progress_bar("Chance of the bonus, spread", quiet=quiet) as progress:
            make_outlook(rules, path, progress)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from None
    return facts_of(rules, path, open_table(rules, VALUES, path).value_start, taken)


def explain_to(rules: Ruleset, values: Path, *, force: bool, quiet: bool) -> None:
    """The table of expected points, beside the values that it follows from."""
    path = beside(rules, values, EXPLAIN)
    if not force and is_sound(rules, EXPLAIN, path):
        return
    try:
        with progress_bar("Expected points of every box", quiet=quiet) as progress:
            make_explain(rules, values, progress)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from None


def facts_of(rules: Ruleset, path: Path, value: float, taken: Taken) -> dict[str, Any]:
    return {
        "ruleset": rules.id,
        "value": value,
        "states": int(Space(rules).reachable.sum()),
        "seconds": taken.solving,
        "loading_seconds": taken.loading,
        "bytes": path.stat().st_size,
        "path": str(path),
    }


def run_verify(options: argparse.Namespace) -> int:
    rules = find_ruleset(options.ruleset)
    table = open_table(rules, VALUES, options.table)
    values = table.all()
    golden, tolerance = GOLDEN[rules.id]
    worst = worst_step(Advisor(table, rules), values)
    faults = []
    if abs(float(values[0, 0]) - golden) > tolerance or values[0, 0] != table.value_start:
        faults.append(f"V(start) is {values[0, 0]:.9f}, and {golden} is right")
    if not np.array_equal(np.isfinite(values), Space(rules).reachable):
        faults.append("the positions with a value are not the ones that play can reach")
    if worst > 1e-9:
        faults.append(f"a backward step differs from the table by {worst:.2e}")
    facts = {
        "ruleset": rules.id,
        "path": str(table.path),
        "value": float(values[0, 0]),
        "golden": golden,
        "states_checked": SAMPLE,
        "worst_difference": worst,
        "ok": not faults,
    }
    if options.json:
        print_json({**facts, "faults": faults})
    else:
        show_table(
            f"{rules.title}: {table.path}", ["", ""], [[k, str(v)] for k, v in facts.items()]
        )
    for fault in faults:
        say(f"{table.path}: {fault}: run `python -m solver solve {rules.id} --force`")
    return 2 if faults else 0


def worst_step(advisor: Advisor, values: Any, *, seed: int = 1) -> float:
    """The largest difference of V from one backward step, over random positions."""
    space = advisor.space
    reachable = np.argwhere(
        space.reachable & (np.arange(space.rows) & space.rules.full != space.rules.full)[:, None]
    )
    chosen = np.random.default_rng(seed).choice(
        reachable, min(SAMPLE, len(reachable)), replace=False
    )
    worst = 0.0
    for row, column in chosen.tolist():
        turn = advisor.turn(row & space.rules.full, column, chips_won=bool(row >> space.boxes))
        worst = max(worst, abs(turn.start - float(values[row, column])))
    return worst
