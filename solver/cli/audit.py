"""audit: what the decisions printed in the published study were worth."""

import argparse
from dataclasses import asdict
from typing import Any

from solver.advice import Advisor
from solver.cli.output import add_json_option, print_json, show_table
from solver.rules import YATZY
from solver.study.published import Audited, audit


def add_commands(commands: Any) -> None:
    parser = commands.add_parser("audit", help="judge the decisions that the study printed")
    add_json_option(parser)
    parser.set_defaults(run=run_audit)


def run_audit(options: argparse.Namespace) -> None:
    judged = list(audit(Advisor.open(YATZY)))
    if options.json:
        print_json([asdict(decision) for decision in judged])
        return
    show_table(
        "Printed decisions whose card is known, judged by perfect play",
        ["table", "round", "program", "dice", "it chose", "best", "cost"],
        [row_of(decision) for decision in judged],
        left=6,
    )


def row_of(decision: Audited) -> list[str]:
    low, high = decision.cost
    return [
        decision.table,
        f"{decision.game}.{decision.round}",
        decision.player.replace("_", "-"),
        " ".join(map(str, decision.dice)),
        decision.choice,
        " or ".join(decision.best),
        f"{low:.3f}" if high - low < 5e-4 else f"{low:.3f} to {high:.3f}",
    ]
