"""The commands solve and verify: make a value table, and check it."""

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
    add_path_option,
    add_ruleset,
    add_switch,
    print_json,
    show_progress,
    show_table,
)
from solver.cli.parser import say
from solver.dp.cost import count_positions
from solver.dp.packing import is_large
from solver.dp.space import Space
from solver.exact.any_die import estimate_die_value, find_fair_value
from solver.rules import SOLVED, Ruleset, find_ruleset
from solver.tables import EXPLAIN, OUTLOOK, VALUES, find_table_path, open_table
from solver.tables.parts import (
    Taken,
    find_part_path,
    is_sound,
    make_explain,
    make_outlook,
    make_values,
)

# Per ruleset: V(start) as published (study/data/sources.json) or by definition; tolerance.
GOLDEN = {
    "yatzy": (248.439989378, 1e-8),
    "yahtzee": (254.587729, 1e-6),
    "yahtzee-free-joker": (254.589609, 1e-6),
    "yahtzee-plain": (245.870775, 1e-6),
    "maxi-yatzy": (394.557506820, 1e-8),
    "maxi-yatzy-50": (361.970141656, 1e-8),
    "yatzy-saved": (280.410927555, 1e-8),
    "maxi-yatzy-saved": (496.633260370, 1e-8),
}
SAMPLE = 1000


def add_commands(commands: Any) -> None:
    solve = commands.add_parser(
        "solve",
        description=(
            "Solve a ruleset and write its tables. Large rulesets (maxi-yatzy, saved rolls) "
            "are calculated in float64 and stored as whole multiples of a unit, which is in the "
            "file's header; the printed precision is half a unit."
        ),
    )
    add_ruleset(solve, optional=True)
    add_path_option(solve, "--out", "file for the value table (default: the ruleset's file)")
    add_switch(solve, "--explain", "also write the table of expected points per box (67 MB)")
    solve.add_argument("--force", action="store_true", help="solve again even if a table exists")
    solve.add_argument(
        "--dice-counts",
        metavar="N,N,N,N,N,N",
        help="number of times your dice showed 1, 2, 3, 4, 5, 6; no table (default: fair dice)",
    )
    add_json_option(solve)
    solve.set_defaults(run=run_solve)

    verify = commands.add_parser("verify")
    add_ruleset(verify, optional=True, among=GOLDEN)
    add_path_option(verify, "--table", "value table to check (default: the ruleset's file)")
    add_json_option(verify)
    verify.set_defaults(run=run_verify)


def run_solve(options: argparse.Namespace) -> None:
    rules = find_ruleset(options.ruleset, SOLVED)
    if options.dice_counts is not None:
        solve_for_dice(rules, options)
        return
    path = options.out or find_table_path(rules)
    if path.is_dir():
        raise BadInput(f"{path} is a folder: name a file")
    if options.explain and is_large(rules):
        raise BadInput(f"--explain is not possible for {rules.id}: the ruleset is too large")
    facts = None if options.force else read_existing_facts(rules, path)
    if facts is None:
        facts = solve_to(rules, path, quiet=options.json)
    if options.explain:
        write_explain_table(rules, path, force=options.force, quiet=options.json)
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
    if "precision" in facts:
        rows.append(["values are stored to within", f"{facts['precision']:.1e}"])
    show_table(rules.title, ["", ""], rows)


def solve_for_dice(rules: Ruleset, options: argparse.Namespace) -> None:
    """Print perfect play with biased dice. Write no table: its reader would assume fair dice."""
    if options.out or options.explain or options.force:
        raise BadInput("--dice-counts writes no table: leave out --out, --explain and --force")
    if is_large(rules) and not rules.stock:
        raise BadInput(f"perfect play with such dice is not calculated for {rules.id}: too large")
    counts = parse_counts(options.dice_counts)
    began = perf_counter()
    value, fair = estimate_die_value(rules, counts), find_fair_value(rules)
    facts = {
        "ruleset": rules.id,
        "dice_counts": counts,
        "value": value.value,
        "low": value.low,
        "high": value.high,
        "fair_value": fair,
        "seconds": perf_counter() - began,
    }
    if options.json:
        print_json(facts)
        return
    rows = [
        ["expected final score", f"{value.value:.6f}"],
        [f"95 % interval, by {sum(counts):,} dice", f"{value.low:.2f} to {value.high:.2f}"],
        ["with fair dice", f"{fair:.6f}"],
        ["seconds", f"{facts['seconds']:.2f}"],
    ]
    show_table(f"{rules.title}, dice as thrown", ["", ""], rows)


def read_existing_facts(rules: Ruleset, path: Path) -> dict[str, Any] | None:
    """Return the facts of the value table, or None if it or its outlook is missing or damaged."""
    if not is_sound(rules, VALUES, path):
        return None
    if not (is_large(rules) or is_sound(rules, OUTLOOK, find_part_path(rules, path, OUTLOOK))):
        return None
    return read_facts(rules, path, Taken(0.0, 0.0))


def solve_to(rules: Ruleset, path: Path, *, quiet: bool) -> dict[str, Any]:
    """Solve the rules; write the values and, unless the ruleset is large, the outlook table."""
    try:
        with show_progress(f"Solving {rules.title}", quiet=quiet) as progress:
            taken = make_values(rules, path, progress)
        if not is_large(rules):
            with show_progress("Chance of the bonus, spread", quiet=quiet) as progress:
                make_outlook(rules, path, progress)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from None
    return read_facts(rules, path, taken)


def write_explain_table(rules: Ruleset, values: Path, *, force: bool, quiet: bool) -> None:
    """Write the table of the expected points of each box, calculated from the table ``values``."""
    path = find_part_path(rules, values, EXPLAIN)
    if not force and is_sound(rules, EXPLAIN, path):
        return
    try:
        with show_progress("Expected points of every box", quiet=quiet) as progress:
            make_explain(rules, values, progress)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from None


def read_facts(rules: Ruleset, path: Path, taken: Taken) -> dict[str, Any]:
    """Return a table's facts; ``states`` are the reachable ones, for large rulesets all stored."""
    table = open_table(rules, VALUES, path)
    facts = {
        "ruleset": rules.id,
        "value": table.value_start,
        "states": count_positions(rules) if table.precision else int(Space(rules).reachable.sum()),
        "seconds": taken.solving,
        "loading_seconds": taken.loading,
        "bytes": path.stat().st_size,
        "path": str(path),
    }
    return facts | ({"precision": table.precision} if table.precision else {})


def run_verify(options: argparse.Namespace) -> int:
    rules = find_ruleset(options.ruleset, {name: SOLVED[name] for name in GOLDEN})
    table = open_table(rules, VALUES, options.table)
    advisor = Advisor(table, rules)
    start = advisor.value(0, 0)
    golden, tolerance = GOLDEN[rules.id]
    worst = find_largest_error(advisor)
    faults = []
    if (
        abs(table.value_start - golden) > tolerance
        or abs(start - table.value_start) > table.precision
    ):
        faults.append(f"V(start) is {start:.9f}, and {golden} is right")
    if is_large(rules):
        table.check()
    elif not np.array_equal(np.isfinite(table.read_all()), Space(rules).reachable):
        faults.append("the positions with a value are not the ones that play can reach")
    if worst > 1e-9 + 2 * table.precision:
        faults.append(f"a backward step differs from the table by {worst:.2e}")
    facts = {
        "ruleset": rules.id,
        "path": str(table.path),
        "value": start,
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
        say(f"{table.path}: {fault}: run `./yatzy solver solve {rules.id} --force`")
    return 2 if faults else 0


def find_largest_error(advisor: Advisor, *, positions: int = SAMPLE, seed: int = 1) -> float:
    """Return the largest difference between stored values and their recalculation."""
    space, random = advisor.space, np.random.default_rng(seed)
    rows = np.flatnonzero(space.last_column >= 0)
    rows = rows[rows & space.rules.full != space.rules.full]
    worst = 0.0
    for row in random.choice(rows, positions).tolist():
        filled, chips = row & space.rules.full, bool(row >> space.boxes)
        upper = int(random.choice(sorted(space.rules.list_upper_totals(filled))))
        stock = int(random.integers(space.most_saved(filled.bit_count()) + 1))
        step = advisor.turn(filled, upper, chips_won=chips).start_with(stock)
        value = advisor.value(filled, upper, chips_won=chips, stock=stock)
        worst = max(worst, abs(step - value))
    return worst
