"""The command learn td: learn the value of a card at the start of a turn by self-play."""

import argparse
from typing import Any

from solver.advice.wire import BadInput
from solver.cli.output import (
    add_json_option,
    add_path_option,
    add_ruleset_option,
    print_json,
    show_progress,
    show_table,
)
from solver.cli.parser import say
from solver.cli.players import add_count_option, check_folder, make_number_parser, make_whole_parser
from solver.dp.packing import is_large
from solver.rules import PLAYED, Ruleset, find_ruleset

MOST = 1_000_000_000


def add_commands(algorithms: Any) -> None:
    td = algorithms.add_parser(
        "td",
        help="learn the value of each card at the start of a turn, and grade these values",
        description=(
            "Learn by self-play the value of each card at the start of a turn. Rolls and holds "
            "within a turn need no learning: their values are exact. An unfinished run in the "
            "folder continues."
        ),
    )
    add_ruleset_option(td, PLAYED)
    td.add_argument("--method", choices=("sums", "network"), help="value function (default: sums)")
    for name, meaning in (
        ("games", "number of games of self-play (default: 1,000,000)"),
        ("batch", "number of games between two updates (default: 4,000)"),
        ("width", "number of units in each of the network's two layers (default: 64)"),
    ):
        td.add_argument(f"--{name}", type=make_whole_parser(1, MOST), metavar="N", help=meaning)
    td.add_argument(
        "--optimism",
        type=points,
        metavar="N",
        help="initial value of each open box, in points (default: 25)",
    )
    td.add_argument(
        "--step",
        type=share,
        metavar="N",
        help="initial share of an error to correct, up to 1 (default: 0.5)",
    )
    td.add_argument(
        "--step-end",
        type=share,
        metavar="N",
        help="final share of an error to correct (default: 0.02)",
    )
    add_count_option(td, "--seed", 0, 2**63 - 1, "random seed (default: 1)")
    add_count_option(td, "--grades", 1, 1000, "number of gradings during the run", default=20)
    add_count_option(
        td, "--sampled", 2, MOST, "games to play per grading (default: exact grades)", default=0
    )
    add_path_option(td, "--out", "folder for curve, checkpoint, values (default: none)", "FOLDER")
    add_json_option(td)
    td.set_defaults(run=run_td)


points = make_number_parser(0.0, 1000.0, "points")
share = make_number_parser(1e-6, 1.0, "share")


def run_td(options: argparse.Namespace) -> None:
    from solver.learning.loop import read_curve, train

    check_folder(options.out)
    learner = _open_learner(options)
    learner.grades, learner.sampled = options.grades, options.sampled
    curve = [line for line in read_curve(options.out) if line["games"] <= learner.games]
    with show_progress("TD", quiet=options.json) as progress:
        for grade in train(learner, options.out, progress):
            curve.append(grade)
            if options.json:
                print_json(grade)
    if not options.json:
        _show_curve(learner, curve)


def _open_learner(options: argparse.Namespace) -> Any:
    """Return a new learner, or the learner of an interrupted run."""
    from solver.learning.loop import CHECKPOINT_FILE
    from solver.learning.turn_starts import TdLearner, TdSettings

    given = {name: getattr(options, name) for name in vars(TdSettings())}
    rules = find_ruleset(options.ruleset, PLAYED)
    if reason := _find_reason_against(rules, given["method"]):
        raise BadInput(f"{rules.id}: {reason}")
    given["ruleset"] = rules.id
    settings = TdSettings(**{name: value for name, value in given.items() if value is not None})
    path = options.out / CHECKPOINT_FILE if options.out else None
    if not path or not path.exists():
        return TdLearner.new(settings)
    learner = TdLearner.load(path)
    if learner.settings != settings:
        raise BadInput(f"{options.out} holds another run: {learner.settings}")
    say(f"going on after {learner.games:,} games")
    return learner


def _find_reason_against(rules: Ruleset, method: str | None) -> str:
    if rules.stock:
        return "a learned value belongs to a card and knows no saved throws"
    if method == "network" and is_large(rules):
        return "a network evaluates all cards at once, which would take many GB"
    return ""


def _show_curve(learner: Any, curve: list[dict[str, Any]]) -> None:
    rows = [
        [
            f"{grade['games']:,}",
            f"{grade['seconds']:.0f}",
            f"{grade['mean']:.3f}",
            f"{grade['deviation']:.2f}",
            f"{100 * grade['bonus_probability']:.1f} %",
            f"{grade['believed']:.3f}",
        ]
        for grade in curve
    ]
    columns = ["games", "CPU seconds", "mean", "deviation", "bonus", "it believes"]
    how = f"in {curve[-1]['sampled']:,} games" if "sampled" in curve[-1] else "exactly"
    show_table(f"{learner.settings.ruleset}, {how}", columns, rows, left=0)
