"""The commands exact and certificate: V (the value of a card) as an exact fraction, and a proof."""

import argparse
from fractions import Fraction
from time import perf_counter, process_time
from typing import Any

from solver.advice import check_card
from solver.advice.wire import BadInput, parse_filled
from solver.cli.advise import add_card, split_list
from solver.cli.output import (
    add_json_option,
    add_path_option,
    add_ruleset,
    print_json,
    show_progress,
    show_table,
)
from solver.dp.space import Space
from solver.exact.whole import load_kernel, make_certificate, solve_exactly
from solver.rules import find_ruleset
from solver.tables import find_table_path, write_whole

PLACES = 40
UNIT_PLACES = 42  # decimals; 2^-42 has 42 of them


def add_commands(commands: Any) -> None:
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


def run_exact(options: argparse.Namespace) -> None:
    rules = find_ruleset(options.ruleset)
    filled, space = parse_filled(rules, split_list(options.filled)), Space(rules)
    check_card(rules, filled, options.upper, options.chips_won)
    load_kernel(rules)
    began, cpu = perf_counter(), process_time()
    with show_progress(f"{rules.title}, exactly", quiet=options.json) as progress:
        row = space.find_row(filled, chips_won=options.chips_won)
        fraction = solve_exactly(rules, row, options.upper, progress)
    facts = {
        "ruleset": rules.id,
        **describe_fraction(fraction.value),
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


def describe_fraction(value: Fraction) -> dict[str, Any]:
    return {
        "numerator": value.numerator,
        "power_of_two": find_exponent(2, value.denominator),
        "power_of_three": find_exponent(3, value.denominator),
        "decimal": format_decimals(value, PLACES),
    }


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
