"""The command win: the chance of every option to reach a total, or to beat another card."""

import argparse
from typing import Any

import numpy as np

from solver.advice import Advisor, BadPosition, Position, check_card
from solver.advice.winning import (
    MOST_OPEN,
    Chances,
    Payoff,
    TooEarly,
    WinOption,
    find_card_chances,
    find_chances,
    make_duel_payoff,
    make_target_payoff,
    predict_card_points,
)
from solver.advice.wire import BadInput, parse_filled, serialise_chances
from solver.cli.advise import SHOWN, add_card, add_dice, read_position, split_list
from solver.cli.output import (
    add_json_option,
    add_ruleset,
    add_switch,
    add_zero_option,
    print_json,
    show_table,
)
from solver.dp.arrays import Floats
from solver.rules import RULESETS, Ruleset, find_ruleset

PATIENCE = 2  # open boxes above MOST_OPEN that this command allows


def add_commands(commands: Any) -> None:
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


def run_win(options: argparse.Namespace) -> None:
    rules = find_ruleset(options.ruleset)
    coach = Advisor.open(rules)
    written = options.total - rules.bonus(options.upper)
    if written < options.upper:
        raise BadInput("--total has the upper points in it, and a secured bonus", "total")
    payoff = _make_payoff(coach, options).after(written)
    if options.dice is None and options.rolls_left is None:
        _show_chances_before_roll(coach, options, payoff)
        return
    position = read_position(rules, options)
    try:
        answer = find_chances(coach, position, payoff, most_open=MOST_OPEN + PATIENCE)
    except TooEarly as refusal:
        raise BadInput(str(refusal)) from None
    if options.json:
        print_json(serialise_chances(answer))
    else:
        _show_options(rules, position, answer)


def _make_payoff(coach: Advisor, options: argparse.Namespace) -> Payoff:
    if (options.target is None) == (options.other_filled is None):
        raise BadInput("win needs either --target or --other-filled")
    if options.target is not None:
        return make_target_payoff(options.target)
    return make_duel_payoff(_calculate_opponent_totals(coach, options))


def _calculate_opponent_totals(coach: Advisor, options: argparse.Namespace) -> Floats:
    """Return the chance of each final score of the opponent, whose turn is next."""
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
    return np.concatenate((np.zeros(written), remaining))


def _show_chances_before_roll(coach: Advisor, options: argparse.Namespace, payoff: Payoff) -> None:
    rules = coach.rules
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


def _check_open_boxes(rules: Ruleset, filled: int) -> None:
    if (count := len(rules.open(filled))) > MOST_OPEN + PATIENCE:
        raise BadInput(str(TooEarly(count, MOST_OPEN + PATIENCE)))


def _show_options(rules: Ruleset, position: Position, answer: Chances) -> None:
    shown = list(answer.choices[:SHOWN])
    if answer.by_points not in shown:
        shown.append(answer.by_points)
    show_table(
        f"{rules.title}, {len(rules.open(position.filled))} open: {answer.chance:.2%} to win;"
        f" {answer.for_points:.2%} for anyone who plays for points",
        ["option", "chance", "costs", "points expected", "costs points"],
        [_format_option(choice) for choice in shown],
    )


def _format_option(choice: WinOption) -> list[str]:
    option = choice.option
    held = " ".join(map(str, option.dice)) or "nothing"
    return [
        f"hold {held}" if option.action == "hold" else f"score {option.category}",
        f"{choice.chance:.3%}",
        "best" if choice.best else f"{choice.regret:.3%}",
        f"{option.value:.3f}",
        "best" if option.best else f"{option.regret:.3f}",
    ]
