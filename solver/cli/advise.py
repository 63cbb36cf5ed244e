"""The commands value and advise: the value of a position and of its options."""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from solver.advice import Advice, Advisor, Option, Position
from solver.advice.wire import BadInput, parse_filled, parse_position, serialise_advice
from solver.cli.output import (
    add_json_option,
    add_ruleset,
    add_switch,
    add_zero_option,
    print_json,
    show_table,
)
from solver.rules import SOLVED, Ruleset, find_ruleset
from solver.tables import TableError

SHOWN = 12


def add_commands(commands: Any) -> None:
    value = commands.add_parser(
        "value",
        description=(
            "Print the expected points still to come from a card. Large rulesets (maxi-yatzy, "
            "saved rolls) store rounded values, and the command prints "
            "their precision; spread and bonus chance exist only for the empty card."
        ),
    )
    add_ruleset(value, optional=False)
    add_card(value)
    add_json_option(value)
    value.set_defaults(run=run_value)

    advise = commands.add_parser("advise")
    add_ruleset(advise, optional=False)
    add_card(advise)
    add_dice(advise)
    add_switch(advise, "--stdin", "answer JSON positions from standard input, one per line")
    add_json_option(advise)
    advise.set_defaults(run=run_advise)


def add_card(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--filled",
        default="",
        metavar="IDS",
        help="ids of the filled boxes, such as ones,twos (default: none)",
    )
    add_zero_option(parser, "--upper", "sum of the upper boxes, in points")
    add_switch(parser, "--chips-won", "count bonus chips: Yahtzee has 50 points (default: no)")
    add_zero_option(parser, "--stock", "number of rolls saved in earlier turns")


def add_dice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dice", metavar="1,1,2,2,5", help="faces of the rolled dice; also give --rolls-left"
    )
    parser.add_argument(
        "--rolls-left",
        type=int,
        metavar="N",
        help="number of rolls left in this turn; also give --dice",
    )


def run_value(options: argparse.Namespace) -> None:
    rules = find_ruleset(options.ruleset, SOLVED)
    filled = parse_filled(rules, split_list(options.filled))
    advisor = Advisor.open(rules)
    value = advisor.value(filled, options.upper, chips_won=options.chips_won, stock=options.stock)
    seen = advisor.find_outlook(filled, options.upper, options.chips_won, options.stock)
    precision = advisor.values.precision
    if options.json:
        facts = {"sd": seen.deviation, "bonus_probability": seen.bonus_chance} if seen else {}
        print_json({"value": value} | facts | ({"precision": precision} if precision else {}))
        return
    rows = [["expected rest of the game", f"{value:.6f}"]]
    if seen:
        rows.append(["standard deviation", f"{seen.deviation:.3f}"])
        rows.append(["chance of the upper bonus", f"{seen.bonus_chance:.4f}"])
    if precision:
        rows.append(["stored to within", f"{precision:.1e}"])
    show_table(rules.title, ["", ""], rows)


def run_advise(options: argparse.Namespace) -> None:
    rules = find_ruleset(options.ruleset, SOLVED)
    if options.stdin:
        print_answers(Advisor.open(rules), sys.stdin)
        return
    position = read_position(rules, options, or_else=", or --stdin")
    advice = Advisor.open(rules).advise(position, outlook=True)
    if options.json:
        print_json(serialise_advice(advice))
    else:
        show(rules, advice)


def read_position(rules: Ruleset, options: argparse.Namespace, *, or_else: str = "") -> Position:
    if options.dice is None or options.rolls_left is None:
        raise BadInput(f"a position needs --dice and --rolls-left{or_else}")
    return parse_position(
        rules,
        {
            "filled": split_list(options.filled),
            "upper": options.upper,
            "dice": [parse_die(word) for word in split_list(options.dice)],
            "rolls_left": options.rolls_left,
            "chips_won": options.chips_won,
        }
        | ({"stock": options.stock} if options.stock else {}),
    )


def print_answers(advisor: Advisor, lines: Iterable[str]) -> None:
    """Print a JSON answer per line; for an invalid line, print its number and the error."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            position = parse_position(advisor.rules, parse_object(line))
            print_json(serialise_advice(advisor.advise(position, outlook=True)))
        except BadInput as refusal:
            print_json({"error": str(refusal), "line": number})
        except TableError as refusal:
            print_json({"error": str(refusal), "line": number})
            raise


def parse_object(line: str) -> Mapping[str, Any]:
    try:
        facts = json.loads(line)
    except ValueError as error:
        raise BadInput(f"not JSON: {error}") from None
    if not isinstance(facts, dict):
        raise BadInput("a position is a JSON object")
    return facts


def split_list(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def parse_die(word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise BadInput(f"{word!r} is not a die: dice are written 1,1,2,2,5") from None


def show(rules: Ruleset, advice: Advice) -> None:
    rows = [format_option(option) for option in advice.options[:SHOWN]]
    show_table(
        f"{rules.title}: the best {len(rows)} of {len(advice.options)} options",
        ["option", "value", "costs", "points", "bonus", "spread"],
        rows,
    )


def format_option(option: Option) -> list[str]:
    held = " ".join(map(str, option.dice)) or "nothing"
    outlook = option.outlook
    return [
        f"hold {held}" if option.action == "hold" else f"score {option.category}",
        f"{option.value:.3f}",
        "best" if option.best else f"{option.regret:.3f}",
        str(option.points) if option.action == "score" else "",
        f"{outlook.bonus_chance:.1%}" if outlook else "",
        f"{outlook.deviation:.1f}" if outlook else "",
    ]
