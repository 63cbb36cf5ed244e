"""The command learn: players that train by playing.

Each function imports only the learners that it needs, because Gymnasium loads slowly.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path
from random import SystemRandom
from time import sleep
from typing import Any

from solver.advice.wire import BadInput
from solver.cli import learn_grade, learn_policy, learn_td
from solver.cli.output import (
    add_json_option,
    add_path_option,
    add_switch,
    print_json,
    show_progress,
    show_table,
)
from solver.cli.parser import say
from solver.cli.players import (
    check_folder,
    make_number_parser,
    make_whole_parser,
    write_chart,
    write_file,
)

DEFAULT_GAMES = {1: 100, 4: 1000}  # {boxes: games per trial}, as in the source
MOST = 10_000_000


def add_commands(commands: Any) -> None:
    learn = commands.add_parser("learn")
    algorithms = learn.add_subparsers(title="algorithms", required=True, metavar="ALGORITHM")
    sarsa = algorithms.add_parser(
        "sarsa",
        help="learn a game of four boxes with SARSA, compared with random and optimal play",
        description=(
            "Learn a simplified game with SARSA (three of a kind, four of a kind, small and "
            "large straight; you repeat a turn that scores nothing) and grade the result exactly."
        ),
    )
    sarsa.add_argument("--categories", type=int, choices=(1, 4), help="boxes to fill (default: 4)")
    add_switch(sarsa, "--rethrow", "let held dice be rolled again in the same turn, as in Yatzy")
    _add_settings(sarsa)
    add_path_option(sarsa, "--out", "folder for log, charts and table (default: none)", "FOLDER")
    add_path_option(sarsa, "--load", "table of an earlier --out folder (default: zeros)")
    sarsa.add_argument(
        "--watch",
        nargs="?",
        const=1,
        type=make_whole_parser(1, MOST),
        metavar="GAMES",
        help="number of games to show after learning (default: 0; --watch without number: 1)",
    )
    sarsa.add_argument(
        "--pause",
        type=make_number_parser(0, 3600),
        default=2.0,
        metavar="SECONDS",
        help="seconds between turns of --watch (default: 2)",
    )
    add_json_option(sarsa)
    sarsa.set_defaults(run=run_sarsa)
    learn_td.add_commands(algorithms)
    learn_grade.add_commands(algorithms)
    learn_policy.add_commands(algorithms)


def _add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--values",
        choices=("source", "decaying"),
        help=(
            "learning rate and chance of a random action. source: 0.4 and 0.33 throughout, as "
            "published; decaying: both fall, to 0.001 and 0.05 (default: decaying)"
        ),
    )
    for name, kind, meaning in (
        ("alpha", make_number_parser(1e-6, 1), "learning rate (default: 0.4)"),
        (
            "alpha-end",
            make_number_parser(1e-6, 1),
            "final learning rate (default: set by --values)",
        ),
        ("epsilon", make_number_parser(0, 1), "chance of a random action (default: 0.33)"),
        (
            "epsilon-end",
            make_number_parser(0, 1),
            "final chance of a random action (default: set by --values)",
        ),
        (
            "gamma",
            make_number_parser(0, 1),
            "factor of a later reward for each action before it (default: 1)",
        ),
        (
            "punishment",
            make_number_parser(-1e6, 0),
            "reward of a turn that scores nothing (default: -10)",
        ),
        ("trials", make_whole_parser(0, MOST), "number of trials (default: 100; 0 with --load)"),
        ("games", make_whole_parser(1, MOST), "games per trial (default: 1,000; 100 with one box)"),
        ("seed", make_whole_parser(0, 2**63 - 1), "seed of the dice (default: 1)"),
    ):
        parser.add_argument(f"--{name}", type=kind, metavar="N", help=meaning)


def run_sarsa(options: argparse.Namespace) -> None:
    from solver.learning.summary import collect_facts, run_of

    if options.watch and options.json:
        raise BadInput("--watch is for people, --json for programs: choose one")
    check_folder(options.out)
    learner, settings = _open_learner(options)
    with show_progress("SARSA", quiet=options.json) as progress:
        trials = list(learner.learn(settings, progress))
    run = run_of(learner, settings, trials)
    if options.out:
        _write_run(options.out, learner, run)
    if options.json:
        print_json(collect_facts(run))
    else:
        _show_run(run)
    if options.watch:
        _watch(learner, options.watch, options.pause)


def _open_learner(options: argparse.Namespace) -> tuple[Any, Any]:
    """Return the learner, new or from --load, and the settings for its training."""
    from solver.learning.sarsa import VALUES, Learner
    from solver.learning.simplified import CATEGORIES, Simplified

    if options.load:
        learner, settings = Learner.load(options.load)
        boxes = len(learner.game.categories)
        if options.categories not in (None, boxes) or options.rethrow > learner.game.rethrow:
            raise BadInput(f"{options.load} is for another game: use the options of its run")
        settings = replace(settings, trials=0)
    else:
        boxes = options.categories or 4
        learner = Learner(Simplified(CATEGORIES[:boxes], options.rethrow))
        settings = replace(VALUES["decaying"], games=DEFAULT_GAMES[boxes])
    if options.values:
        wanted = VALUES[options.values]
        names = ("alpha", "alpha_end", "epsilon", "epsilon_end")
        settings = replace(settings, **{name: getattr(wanted, name) for name in names})
    given = {name: getattr(options, name) for name in vars(settings)}
    given = {name: value for name, value in given.items() if value is not None}
    return learner, replace(settings, **given)


def _write_run(folder: Path, learner: Any, run: Any) -> None:
    from solver.learning.summary import collect_facts, draw_points_chart, draw_turns_chart, log

    write_file(folder / "summary.json", json.dumps(collect_facts(run), indent=1) + "\n")
    write_file(folder / "summary.csv", log(run))
    learner.save(folder / "q.npz", run.settings)
    if run.trials:
        write_chart(folder / "turns.svg", draw_turns_chart(run))
        write_chart(folder / "points.svg", draw_points_chart(run))
    say(f"written: {folder}")


def _show_run(run: Any) -> None:
    rows = [
        ["random", *_format_figures(run.random)],
        [f"learned, {len(run.trials) * run.settings.games:,} games", *_format_figures(run.learned)],
        ["fewest turns possible", *_format_figures(run.fewest_turns)],
        ["the same if kept dice could be thrown again", *_format_figures(run.rethrown)],
        ["most points possible", *_format_figures(run.most_points)],
        [f"best for a punishment of {run.settings.punishment:g}", *_format_figures(run.rewarded)],
        [
            "random, every die kept by a coin, into the easier box",
            *_format_figures(run.coins.random),
        ],
        ["fewest turns possible, into the easier box", *_format_figures(run.coins.fewest_turns)],
        ["most points possible, into the easier box", *_format_figures(run.coins.most_points)],
    ]
    show_table("A game, exactly", ["", "turns", "points"], rows)


def _format_figures(value: Any) -> list[str]:
    return [f"{value.turns:.3f}", f"{value.points:.3f}"]


def _watch(learner: Any, games: int, pause: float) -> None:
    from solver.learning.chance import make_streams
    from solver.learning.sarsa import narrate_game

    luck = make_streams(SystemRandom().randrange(2**63), 1)
    for number in range(1, games + 1):
        for sentence in narrate_game(learner, luck):
            sleep(pause)
            print(f"game {number}, {sentence}", flush=True)  # noqa: T201
