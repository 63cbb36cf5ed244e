"""``learn submit``: a policy of anybody's by the benchmark; ``learn board``: everybody's rows."""

import argparse
import json
from pathlib import Path
from typing import Any

from solver.advice.wire import BadInput
from solver.arena.benchmark import BUDGETS, CLASSES, SEEDS, BadRow, BoardRow, board, targets
from solver.cli.output import add_json_option, add_ruleset_option, print_json, say, show_table
from solver.cli.players import whole_from, write_file
from solver.cli.sandbox import add_sandbox_option, limits_of
from solver.rules import find_ruleset

SUBMIT = (
    "Grade a policy by the protocol of docs/benchmark.md, and write its row for the board. A "
    "policy is a file that was learned here (.npz), file.py:Class or package.module:Class with "
    "choose(), cmd:PROGRAM that speaks JSON lines (docs/bots.md), or a player of the registry; one "
    "for each seed."
)
BOARD = "The rows that come with the program, and those of the files that are named."
NOT_YET = "–"
UNITS = {"games": "games", "seconds": "CPU s"}


def add_commands(algorithms: Any) -> None:
    submit = algorithms.add_parser(
        "submit", help="a row of the benchmark: any policy, graded", description=SUBMIT
    )
    submit.add_argument("policies", nargs="+", metavar="POLICY")
    add_ruleset_option(submit)
    submit.add_argument(
        "--class", dest="knew", choices=CLASSES, required=True, help="what it was told of the game"
    )
    submit.add_argument("--name", default="", help="of the row (that of the first policy)")
    submit.add_argument("--by", default="", metavar="WHO", help="who made it")
    submit.add_argument("--about", default="", metavar="TEXT", help="one line: how it was trained")
    submit.add_argument(
        "--curve",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="JSON lines of games, seconds and mean, for policies that do not bring their own",
    )
    submit.add_argument(
        "--seeds",
        nargs="+",
        type=whole_from(0, 2**63 - 1),
        metavar="N",
        help="one for each policy (1, 2, 3 ...)",
    )
    submit.add_argument(
        "--games",
        type=whole_from(2, 10**7),
        metavar="N",
        help="on so many games, not exactly; of who can only be asked 10,000 if nothing is said",
    )
    submit.add_argument("--out", type=Path, metavar="FILE", help="of the row (NAME-RULESET.json)")
    add_sandbox_option(submit)
    add_json_option(submit)
    submit.set_defaults(run=run_submit)
    told = algorithms.add_parser("board", help="the benchmark's rows", description=BOARD)
    told.add_argument("rows", nargs="*", type=Path, metavar="ROW.json")
    add_ruleset_option(told)
    add_json_option(told)
    told.set_defaults(run=run_board)


def run_submit(options: argparse.Namespace) -> None:
    from solver.arena.illegal import Disqualified
    from solver.arena.submission import Submission

    submission = Submission(
        find_ruleset(options.ruleset),
        options.knew,
        options.policies,
        options.seeds or range(1, len(options.policies) + 1),
        options.curve,
        options.games,
        options.name,
        options.by,
        options.about,
        limits_of(options),
    )
    try:
        row = submission.row(say)
    except (BadRow, Disqualified) as refusal:
        raise BadInput(str(refusal)) from None
    path = options.out or Path(f"{Path(row.name).name}-{row.ruleset}.json")
    write_file(path, json.dumps(row.facts(), indent=1) + "\n")
    if options.json:
        print_json(shown(row))
    else:
        _show([row])
        _show_runs(row)
    say(f"written: {path}")


def run_board(options: argparse.Namespace) -> None:
    try:
        rows = board(find_ruleset(options.ruleset), options.rows)
    except BadRow as refusal:
        raise BadInput(str(refusal)) from None
    if options.json:
        print_json([shown(row) for row in rows])
    else:
        _show(rows)
        _show_budgets(rows)


def shown(row: BoardRow) -> dict[str, Any]:
    """What follows from a row's runs, without them."""
    return {
        "name": row.name,
        "class": row.knew,
        "ruleset": row.ruleset,
        "by": row.by,
        "about": row.about,
        "seeds": [run.seed for run in row.runs],
        "complete": row.whole,
        "mean": row.mean,
        "margin": row.margin,
        "spread": row.spread,
        "errors": [run.error for run in row.runs],
        "optimum": row.optimum,
        "lost": dict(zip(row.kinds, row.lost, strict=True)),
        "games": row.trained("games"),
        "seconds": row.trained("seconds"),
        "reached": {
            f"{target:g}": {what: row.reached(target, what) for what in BUDGETS}
            for target in targets(row.optimum)
        },
        "within": {
            what: {str(most): row.within(most, what) for most in budgets}
            for what, budgets in BUDGETS.items()
        },
    }


def _show(rows: list[BoardRow]) -> None:
    if not rows:
        return say("the board has no row of these rules yet")
    first = rows[0]
    lines = [
        [
            row.name,
            row.knew,
            f"{len(row.runs)}" if row.whole else f"{len(row.runs)} of {SEEDS}",
            f"{row.mean:.3f}" + (f" ± {row.margin:.3f}" if row.margin else ""),
            NOT_YET if row.spread is None else f"{row.spread:.3f}",
            _counted(row.trained("games")),
            _counted(row.trained("seconds")),
        ]
        for row in rows
    ]
    title = f"{first.ruleset}, perfect play {first.optimum:.3f}, protocol {first.protocol}"
    columns = ["name", "class", "seeds", "mean", "spread", "games", "CPU s"]
    show_table(title, columns, lines, left=2)
    costs = [[row.name, *(f"{cost:.3f}" for cost in row.lost)] for row in rows]
    show_table("Points lost in a game, by decision", ["name", *first.kinds], costs)
    _show_reached([row for row in rows if row.learned])
    return None


def _show_reached(rows: list[BoardRow]) -> None:
    if not rows:
        return
    goals = targets(rows[0].optimum)
    lines = [
        [row.name, *(_counted(row.reached(goal, what)) for goal in goals for what in BUDGETS)]
        for row in rows
    ]
    names = [f"{unit} to {goal:g}" for goal in goals for unit in UNITS.values()]
    show_table("How soon its curve was there", ["name", *names], lines)


def _show_budgets(rows: list[BoardRow]) -> None:
    learned = [row for row in rows if row.learned]
    budgets = [(what, most) for what, all_of_it in BUDGETS.items() for most in all_of_it]
    lines = [
        [row.name, row.knew, *(_points(row.within(most, what)) for what, most in budgets)]
        for row in learned
    ]
    columns = ["name", "class", *(f"{most:,} {UNITS[what]}" for what, most in budgets)]
    if lines:
        show_table("What their curves had reached within a budget", columns, lines, left=2)


def _show_runs(row: BoardRow) -> None:
    lines = [
        [
            str(run.seed),
            run.how,
            f"{run.mean:.3f}",
            f"{1.96 * run.error:.3f}",
            f"{run.sd:.2f}",
            f"{100 * run.bonus:.1f} %",
        ]
        for run in row.runs
    ]
    columns = ["seed", "graded", "mean", "±", "deviation", "bonus"]
    show_table("Its runs", columns, lines, left=2)


def _counted(value: float | None) -> str:
    return f"{value:,.0f}" if value else NOT_YET


def _points(value: float | None) -> str:
    return NOT_YET if value is None else f"{value:.2f}"
