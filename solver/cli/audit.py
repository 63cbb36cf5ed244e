"""The command audit: the cost of the decisions that the study prints, and dice that explain
them."""

import argparse
from dataclasses import asdict
from typing import Any

from solver.advice import Advisor
from solver.cli.output import add_json_option, print_json, show_table
from solver.rules import YATZY
from solver.study.published import list_printed_turns
from solver.study.turns import NUMBER_RULES, REMARKS, Audited, audit_study


def add_commands(commands: Any) -> None:
    parser = commands.add_parser("audit")
    add_json_option(parser)
    parser.set_defaults(run=run_audit)


def run_audit(options: argparse.Namespace) -> None:
    advisor = Advisor.open(YATZY)
    judged = list(audit_study(advisor))
    if options.json:
        print_json([_make_facts(decision) for decision in judged])
        return
    show_table(
        "Printed decisions whose card is known, judged by perfect play",
        ["table", "round", "program", "dice", "it chose", "best", "cost"],
        [format_decision(decision) for decision in judged],
        left=6,
    )
    rows = zip(list_printed_turns(), REMARKS, strict=True)
    show_table(
        "What the study says of its printed turns",
        ["table", "round", "but"],
        [
            [
                *_format_place(turn),
                text % {name: _format_span(*cost, 2) for name, cost in costs.items()},
            ]
            for turn, (text, costs) in rows
        ],
        left=3,
    )
    show_table(
        "Which of a die's prepared numbers fit the printed turns",
        ["a thrown die shows", "turns that no dice give"],
        [
            [rule, ", ".join(" ".join(_format_place(list_printed_turns()[n])) for n in unexplained)]
            for rule, unexplained in NUMBER_RULES
        ],
        left=2,
    )


def _make_facts(decision: Audited) -> dict[str, Any]:
    facts = asdict(decision) | {"cost": decision.cost}
    return {key: fact for key, fact in facts.items() if key != "costs"}


def _format_place(turn: Any) -> list[str]:
    return [turn["table"], f"{turn['game']}.{turn['round']}"]


def format_decision(decision: Audited) -> list[str]:
    return [
        decision.table,
        f"{decision.game}.{decision.round}",
        decision.player.replace("_", "-"),
        " ".join(map(str, decision.dice)),
        decision.choice,
        " or ".join(decision.best),
        _format_span(*decision.cost, 3),
    ]


def _format_span(low: float, high: float, digits: int) -> str:
    ends = dict.fromkeys((f"{low:.{digits}f}", f"{high:.{digits}f}"))
    return " to ".join(ends)
