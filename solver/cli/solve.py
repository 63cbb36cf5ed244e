"""The commands solve, verify, exact, certificate and prepare: make value tables, and check them."""

import argparse
import os
import signal
from fractions import Fraction
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from solver.advice import Advisor, check_card
from solver.advice.wire import BadInput, parse_filled
from solver.cli.advise import add_card, split_list
from solver.cli.dice import parse_counts
from solver.cli.output import (
    add_json_option,
    add_path_option,
    add_ruleset,
    add_switch,
    add_zero_option,
    print_json,
    show_progress,
    show_table,
)
from solver.cli.parser import say
from solver.dp.cost import count_positions
from solver.dp.packing import is_large
from solver.dp.space import Space
from solver.dp.sweep import evaluate_dice
from solver.exact.any_die import estimate_die_value
from solver.exact.whole import load_kernel, make_certificate, solve_exactly
from solver.rules import PLAYED, RULESETS, SOLVED, Ruleset, find_ruleset
from solver.rules.dice import FACES
from solver.tables import EXPLAIN, OUTLOOK, VALUES, find_table_path, open_table, write_whole
from solver.tables.maker import Busy, Failed, prepare
from solver.tables.parts import (
    PARTS,
    SolveTimes,
    find_existing_parts,
    find_part_path,
    is_sound,
    make_explain,
    make_outlook,
    make_values,
)

# For each ruleset: the published V(start) (study/data/sources.json) or ours, and the tolerance.
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
PLACES = 40
UNIT_PLACES = 42  # 2^-42 has 42 decimals


def add_commands(commands: Any) -> None:
    solve = commands.add_parser(
        "solve",
        description=(
            "Solve a ruleset and write its tables. For large rulesets (maxi-yatzy, saved rolls), "
            "the command calculates in float64 and stores whole multiples of a unit. The file's "
            "header contains the unit; the printed precision is half a unit."
        ),
    )
    add_ruleset(solve, optional=True)
    add_path_option(solve, "--out", "file for the value table (default: the ruleset's file)")
    add_switch(solve, "--explain", "also write the table of expected points per box (67 MB)")
    solve.add_argument("--force", action="store_true", help="solve again even if a table exists")
    solve.add_argument(
        "--dice-counts",
        metavar="N,N,N,N,N,N",
        help="number of times your dice showed each face; writes no table (default: fair dice)",
    )
    add_json_option(solve)
    solve.set_defaults(run=run_solve)

    verify = commands.add_parser("verify")
    add_ruleset(verify, optional=True, among=GOLDEN)
    add_path_option(verify, "--table", "value table to check (default: the ruleset's file)")
    add_json_option(verify)
    verify.set_defaults(run=run_verify)
    exactly = commands.add_parser("exact")
    add_ruleset(exactly, optional=False)
    add_card(exactly)
    add_json_option(exactly)
    exactly.set_defaults(run=run_exact)

    proof = commands.add_parser("certificate")
    add_ruleset(proof, optional=False)
    add_path_option(proof, "--out", "file for the certificate (default: the ruleset's file)")
    add_json_option(proof)
    proof.set_defaults(run=run_certificate)
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
    """Print perfect play with biased dice. Write no table, because tables assume fair dice."""
    if options.out or options.explain or options.force:
        raise BadInput("--dice-counts writes no table: leave out --out, --explain and --force")
    if is_large(rules) and not rules.stock:
        raise BadInput(f"perfect play with such dice is not calculated for {rules.id}: too large")
    counts = parse_counts(options.dice_counts)
    began = perf_counter()
    value, fair = estimate_die_value(rules, counts), evaluate_dice(rules, np.full(FACES, 1 / FACES))
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
    """Return the value table's facts; None if the table or its outlook is missing or damaged."""
    if not is_sound(rules, VALUES, path):
        return None
    if not (is_large(rules) or is_sound(rules, OUTLOOK, find_part_path(rules, path, OUTLOOK))):
        return None
    return read_facts(rules, path, SolveTimes(0.0, 0.0))


def solve_to(rules: Ruleset, path: Path, *, quiet: bool) -> dict[str, Any]:
    """Solve the rules. Write the values and, unless the ruleset is large, the outlook table."""
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


def read_facts(rules: Ruleset, path: Path, times: SolveTimes) -> dict[str, Any]:
    """Return a table's facts. ``states`` counts reachable states or, for a large ruleset, all."""
    table = open_table(rules, VALUES, path)
    facts = {
        "ruleset": rules.id,
        "value": table.value_start,
        "states": count_positions(rules) if table.precision else int(Space(rules).reachable.sum()),
        "seconds": times.solving,
        "loading_seconds": times.loading,
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
    """Return the largest difference between stored values and recalculated values."""
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


def run_exact(options: argparse.Namespace) -> None:
    rules = find_ruleset(options.ruleset)
    filled, space = parse_filled(rules, split_list(options.filled)), Space(rules)
    check_card(rules, filled, options.upper, options.chips_won)
    load_kernel(rules)
    began, cpu = perf_counter(), process_time()
    with show_progress(f"{rules.title}, exactly", quiet=options.json) as progress:
        row = space.find_row(filled, chips_won=options.chips_won)
        fraction = solve_exactly(rules, row, options.upper, progress)
    facts: dict[str, Any] = {
        "ruleset": rules.id,
        "numerator": fraction.value.numerator,
        "power_of_two": find_exponent(2, fraction.value.denominator),
        "power_of_three": find_exponent(3, fraction.value.denominator),
        "decimal": format_decimals(fraction.value, PLACES),
        "seconds": perf_counter() - began,
        "cpu_seconds": process_time() - cpu,
        "bytes": fraction.bytes,
    }
    if options.json:
        print_json(facts)
        return
    two, three = facts["power_of_two"], facts["power_of_three"]
    rows = [
        ["numerator", str(facts["numerator"])],
        ["denominator", f"2^{two} * 3^{three}"],
        ["expected rest of the game", facts["decimal"]],
        ["seconds", f"{facts['seconds']:.2f}"],
        ["seconds of all cores", f"{facts['cpu_seconds']:.2f}"],
        ["bytes, two levels of cards", f"{facts['bytes']:,}"],
    ]
    show_table(rules.title, ["", ""], rows)


def find_exponent(prime: int, number: int) -> int:
    return 0 if number % prime else 1 + find_exponent(prime, number // prime)


def format_decimals(value: Fraction, places: int) -> str:
    """Format the value with ``places`` decimals, rounded down."""
    whole, fractional = divmod(value.numerator * 10**places // value.denominator, 10**places)
    return f"{whole}.{fractional:0{places}}"


def run_certificate(options: argparse.Namespace) -> None:
    rules = find_ruleset(options.ruleset)
    path = options.out or find_table_path(rules, "certificate")
    if path.is_dir():
        raise BadInput(f"{path} is a folder: name a file")
    load_kernel(rules)
    began = perf_counter()
    with show_progress(f"{rules.title}, every card", quiet=options.json) as progress:
        proof = make_certificate(rules, progress)
    try:
        write_whole(path, proof.content)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from None
    facts = {
        "ruleset": rules.id,
        "low": format_decimals(proof.low, UNIT_PLACES),
        "high": format_decimals(proof.high, UNIT_PLACES),
        "entries": proof.entries,
        "bytes": len(proof.content),
        "sha256": proof.seal,
        "seconds": perf_counter() - began,
        "path": str(path),
    }
    if options.json:
        print_json(facts)
    else:
        show_table(rules.title, ["", ""], [[name, str(fact)] for name, fact in facts.items()])


def run_prepare(options: argparse.Namespace) -> int:
    rulesets = [find_ruleset(name, PLAYED) for name in options.rulesets or RULESETS]
    named = set(options.parts.split(","))
    if unknown := named.difference(PARTS):
        raise BadInput(f"unknown part {min(unknown)!r}; known: {', '.join(PARTS)}")
    parts = tuple(part for part in PARTS if part in named)
    if options.nice:
        os.nice(options.nice)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    results: dict[str, dict[str, Any]] = {}
    before = signal.signal(signal.SIGTERM, interrupt)  # so that no file remains half-written
    try:
        for rules in rulesets:
            began, made, problem = perf_counter(), list[str](), ""
            try:
                with show_progress(f"Preparing {rules.title}", quiet=options.json) as progress:
                    made = prepare(rules, parts, progress)
            except (Busy, Failed) as error:
                problem = str(error)
                say(problem)
            facts = {"made": made, "seconds": perf_counter() - began, "problem": problem}
            results[rules.id] = {"there": find_existing_parts(rules)} | facts
    finally:
        signal.signal(signal.SIGTERM, before)
    if options.json:
        print_json({"rulesets": results})
    else:
        rows = []
        for rules in rulesets:
            there, seconds = results[rules.id]["there"], results[rules.id]["seconds"]
            marks = ["yes" if there[part] else "–" for part in PARTS]
            rows.append([rules.title, *marks, f"{seconds:.1f}"])
        show_table("What is there now", ["", *PARTS, "seconds"], rows)
    return 2 if any(result["problem"] for result in results.values()) else 0


def solve_where_missing(rules: Ruleset, *, quiet: bool) -> None:
    if find_existing_parts(rules)[VALUES]:
        return
    try:
        with show_progress(f"Solving {rules.title}", quiet=quiet) as progress:
            prepare(rules, (VALUES,), progress)
    except (Busy, Failed) as error:
        raise BadInput(str(error)) from None
