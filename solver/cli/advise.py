"""The commands value, advise and win: values and winning chances of a position's options."""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from solver.advice import Advisor, BadPosition, Option, Position, check_card
from solver.advice.winning import (
    MOST_OPEN,
    Payoff,
    TooEarly,
    find_card_chances,
    find_chances,
    make_duel_payoff,
    make_target_payoff,
    predict_card_points,
)
from solver.advice.wire import (
    BadInput,
    parse_filled,
    parse_position,
    serialise_advice,
    serialise_chances,
)
from solver.cli.output import (
    add_json_option,
    add_ruleset,
    add_switch,
    add_zero_option,
    print_json,
    show_table,
)
from solver.rules import RULESETS, SOLVED, Ruleset, find_ruleset
from solver.tables import TableError

SHOWN = 12
PATIENCE = 2  # number of open boxes that this command allows in addition to MOST_OPEN


def add_commands(commands: Any) -> None:
    value = commands.add_parser(
        "value",
        description=(
            "Print the expected points still to come from a card. For large rulesets (maxi-yatzy, "
            "saved rolls), the values are rounded and the command prints their precision. The "
            "spread and the bonus chance exist only for the empty card."
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
    win = commands.add_parser("win")
    add_ruleset(win, optional=False, among=RULESETS)
    add_card(win)
    add_dice(win)
    add_zero_option(win, "--total", "your total points so far, including a secured bonus")
    win.add_argument("--target", type=int, metavar="T", help="total points to reach")
    other = win.add_argument_group("instead of --target, an opponent who still plays")
    other.add_argument("--other-filled", metavar="IDS", help="ids of the opponent's filled boxes")
    add_zero_option(other, "--other-upper", "sum of the opponent's upper boxes, in points")
    add_zero_option(other, "--other-total", "opponent's total points so far")
    add_switch(other, "--other-chips-won", "count the opponent's chips: Yahtzee has 50 points")
    add_json_option(win)
    win.set_defaults(run=run_win)


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
        return
    rows = []
    for option in advice.options[:SHOWN]:
        outlook, is_box = option.outlook, option.action == "score"
        rows.append(
            [
                _format_choice(option),
                f"{option.value:.3f}",
                "best" if option.best else f"{option.regret:.3f}",
                str(option.points) if is_box else "",
                f"{outlook.bonus_chance:.1%}" if outlook else "",
                f"{outlook.deviation:.1f}" if outlook else "",
            ]
        )
    title = f"{rules.title}: the best {len(rows)} of {len(advice.options)} options"
    show_table(title, ["option", "value", "costs", "points", "bonus", "spread"], rows)


def _format_choice(option: Option) -> str:
    if option.action == "score":
        return f"score {option.category}"
    return f"hold {' '.join(map(str, option.dice)) or 'nothing'}"


def read_position(rules: Ruleset, options: argparse.Namespace, *, or_else: str = "") -> Position:
    if options.dice is None or options.rolls_left is None:
        raise BadInput(f"a position needs --dice and --rolls-left{or_else}")
    words = split_list(options.dice)
    for word in words:
        try:
            int(word)
        except ValueError:
            raise BadInput(f"{word!r} is not a die: dice are written 1,1,2,2,5") from None
    return parse_position(
        rules,
        {
            "filled": split_list(options.filled),
            "upper": options.upper,
            "dice": [int(word) for word in words],
            "rolls_left": options.rolls_left,
            "chips_won": options.chips_won,
        }
        | ({"stock": options.stock} if options.stock else {}),
    )


def print_answers(advisor: Advisor, lines: Iterable[str]) -> None:
    """Print a JSON answer for each line. For an invalid line, print its number and the error."""
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


def run_win(options: argparse.Namespace) -> None:
    rules = find_ruleset(options.ruleset)
    coach = Advisor.open(rules)
    written = options.total - rules.bonus(options.upper)
    if written < options.upper:
        raise BadInput("--total has the upper points in it, and a secured bonus", "total")
    payoff = _make_payoff(coach, options).shift_by(written)
    if options.dice is None and options.rolls_left is None:
        filled = parse_filled(rules, split_list(options.filled))
        _check_open_boxes(rules, filled)
        pair = find_card_chances(coach, filled, options.upper, payoff, chips_won=options.chips_won)
        if options.json:
            print_json({"chance": pair[0], "for_points": pair[1]})
            return
        names = ["played to win", "played for points", "difference"]
        shares = [*pair, pair[0] - pair[1]]
        rows = [[name, f"{share:.2%}"] for name, share in zip(names, shares, strict=True)]
        show_table(f"{rules.title}, {len(rules.open(filled))} open", ["", "chance"], rows)
        return
    position = read_position(rules, options)
    try:
        answer = find_chances(coach, position, payoff, most_open=MOST_OPEN + PATIENCE)
    except TooEarly as refusal:
        raise BadInput(str(refusal)) from None
    if options.json:
        print_json(serialise_chances(answer))
        return
    shown = list(answer.choices[:SHOWN])
    if answer.by_points not in shown:
        shown.append(answer.by_points)
    show_table(
        f"{rules.title}, {len(rules.open(position.filled))} open: {answer.chance:.2%} to win;"
        f" {answer.for_points:.2%} for anyone who plays for points",
        ["option", "chance", "costs", "points expected", "costs points"],
        [
            [
                _format_choice(choice.option),
                f"{choice.chance:.3%}",
                "best" if choice.best else f"{choice.regret:.3%}",
                f"{choice.option.value:.3f}",
                "best" if choice.option.best else f"{choice.option.regret:.3f}",
            ]
            for choice in shown
        ],
    )


def _make_payoff(coach: Advisor, options: argparse.Namespace) -> Payoff:
    if (options.target is None) == (options.other_filled is None):
        raise BadInput("win needs either --target or --other-filled")
    if options.target is not None:
        return make_target_payoff(options.target)
    rules = coach.rules
    filled = parse_filled(rules, split_list(options.other_filled), "other-filled")
    try:
        check_card(rules, filled, options.other_upper, options.other_chips_won)
    except BadPosition as refusal:
        raise BadInput(f"the other card: {refusal}", f"other-{refusal.field}") from None
    written = options.other_total - rules.bonus(options.other_upper)
    if written < options.other_upper:
        raise BadInput("--other-total has the upper points in it, and a secured bonus")
    _check_open_boxes(rules, filled)
    remaining = predict_card_points(
        coach, filled, options.other_upper, chips_won=options.other_chips_won
    )
    return make_duel_payoff(np.concatenate((np.zeros(written), remaining)))


def _check_open_boxes(rules: Ruleset, filled: int) -> None:
    if (count := len(rules.open(filled))) > MOST_OPEN + PATIENCE:
        raise BadInput(str(TooEarly(count, MOST_OPEN + PATIENCE)))
