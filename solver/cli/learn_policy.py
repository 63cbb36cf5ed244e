"""The commands learn train, learn measure and learn ablate: policy gradients.

The options of learn train are the fields of ``Config``; only this command imports it, because it
loads slowly.
"""

import argparse
from dataclasses import fields
from math import sqrt
from pathlib import Path
from typing import Any

from solver.advice.moments import Evaluation, evaluate
from solver.advice.wire import BadInput
from solver.arena.performance import Performance, simulate
from solver.cli.cluster import add_cluster_option, open_cluster
from solver.cli.output import add_json_option, add_switch, print_json, show_progress, show_table
from solver.cli.parser import Parser, say
from solver.cli.players import add_count_option, add_seed, check_folder

TRAIN = (
    "Learn a policy by policy gradients and write it into a folder: curve.jsonl (one line per "
    "grading), checkpoint.npz (to continue from), best.npz and policy.npz (the player). "
    "Defaults are in parentheses."
)
MEASURE = "Play many games with a learned policy, or calculate its result exactly."
ABLATE = (
    "Train many small policies that differ in one setting, and write their results as CSV. "
    "Keep existing results."
)


def add_commands(algorithms: Any) -> None:
    train = algorithms.add_parser(
        "train",
        help="train by policy gradients: REINFORCE, A2C or PPO",
        description=TRAIN,
        late=_add_flags,
    )
    train.set_defaults(run=run_train)
    measure = algorithms.add_parser("measure", help="measure a policy", description=MEASURE)
    measure.add_argument("policy", type=Path, metavar="POLICY.npz", help="policy to measure")
    add_count_option(measure, "--games", 1, 10**8, "number of games", default=100_000)
    add_switch(measure, "--exact", "calculate over all positions, without games (takes minutes)")
    add_switch(measure, "--regret", "also measure points lost per game (needs the value table)")
    add_seed(measure)
    add_json_option(measure)
    measure.set_defaults(run=run_measure)
    ablate = algorithms.add_parser(
        "ablate",
        help="measure how much each setting of a training run matters",
        description=ABLATE,
        late=_add_ablation_options,
    )
    ablate.set_defaults(run=run_ablate)


def _add_flags(parser: Parser) -> None:
    from solver.learning.policy_gradient.config import Config

    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the run")
    add_switch(parser, "--resume", "continue the run in the folder --out; you may change --games")
    parser.add_argument(
        "--from",
        dest="origin",
        type=Path,
        metavar="POLICY.npz",
        help="policy to start from, with an untrained value head (default: none)",
    )
    for field in fields(Config):
        _add_flag(parser, field)
    add_json_option(parser)


def _add_flag(parser: Parser, setting: Any) -> None:
    flag, about = f"--{setting.name.replace('_', '-')}", setting.metadata
    usual = ",".join(setting.default) if about["many"] else setting.default
    words = f"{about['meaning']} (default: {usual})"
    given: dict[str, Any] = {"dest": setting.name, "default": argparse.SUPPRESS, "help": words}
    if isinstance(setting.default, bool):
        parser.add_argument(flag, action=argparse.BooleanOptionalAction, **given)
    elif about["many"]:
        names = ",".join(about["options"])
        parser.add_argument(flag, type=_split_names, metavar=f"[{names}]", **given)
    elif about["options"]:
        parser.add_argument(flag, choices=about["options"], **given)
    else:
        parser.add_argument(flag, type=type(setting.default), metavar="X", **given)


def _split_names(text: str) -> tuple[str, ...]:
    return tuple(name for name in text.split(",") if name)


def run_train(options: argparse.Namespace) -> None:
    from solver.learning.loop import keep_freed_memory
    from solver.learning.policy_gradient.training import train

    keep_freed_memory()
    run = _open_run(options)
    with show_progress(f"{run.config.games:,} games", quiet=options.json) as progress:
        lines = []
        for line in train(run, options.out, progress):
            lines.append(line)
            if options.json:
                print_json(line)
    if not options.json:
        rows = [[f"{line['games']:,}", f"{line['greedy_mean']:.2f}"] for line in lines]
        show_table(f"Greedy play, {run.config.graded:,} games each", ["games", "mean"], rows)


def _open_run(options: argparse.Namespace) -> Any:
    from solver.learning.loop import CHECKPOINT_FILE
    from solver.learning.policy_gradient.config import Config, make_config
    from solver.learning.policy_gradient.training import TrainingRun

    checkpoint = options.out / CHECKPOINT_FILE
    check_folder(options.out)
    choices = {f.name: vars(options)[f.name] for f in fields(Config) if f.name in options}
    if options.resume:
        if choices.keys() - {"games"} or options.origin:
            raise BadInput("--resume keeps the run's settings: add no other choice than --games")
        return TrainingRun.load(checkpoint, choices.get("games"))
    if checkpoint.exists():
        raise BadInput(f"{options.out} has a run already: add --resume to continue it")
    run = TrainingRun(make_config(**choices))
    if options.origin:
        run.start_from(options.origin)
    return run


def run_measure(options: argparse.Namespace) -> None:
    from solver.players.learned import NetworkPlay
    from solver.players.network import read

    player = NetworkPlay(read(options.policy))
    with show_progress(str(options.policy), quiet=options.json) as progress:
        if options.exact:
            facts = make_exact_facts(evaluate(player, progress=progress))
        elif options.regret:
            facts = measure_regret(player, options.games, options.seed)
        else:
            games, seed = options.games, options.seed
            played = simulate(player, player.rules, "", games, seed, progress=progress)
            facts = make_played_facts(played)
    facts = {"ruleset": player.rules.id, **facts}
    if options.json:
        print_json(facts)
    else:
        rows = [[name.replace("_", " "), f"{value}"] for name, value in facts.items()]
        show_table(str(options.policy), ["", ""], rows)


def make_exact_facts(evaluation: Evaluation) -> dict[str, Any]:
    facts = {"mean": evaluation.mean, "sd": evaluation.deviation}
    return {**facts, "bonus_probability": evaluation.bonus_probability, "states": evaluation.states}


def measure_regret(player: Any, games: int, seed: int) -> dict[str, Any]:
    """Play games with seeded dice; return the points that the player's decisions cost."""
    from solver.arena.grading import grade_agent, grade_facts

    facts = grade_facts(grade_agent("", player, player.rules, games=games, seed=seed))
    names = ("games", "mean", "sd", "bonus", "optimum", "regret", "regret_error")
    return {name: facts[name] for name in (*names, "regret_by_kind", "regret_by_turn")}


def make_played_facts(played: Performance) -> dict[str, Any]:
    return {
        "games": played.games,
        "seed": played.seed,
        "mean": played.mean,
        "standard_error": played.deviation / sqrt(played.games),
        "sd": played.deviation,
        "median": played.median,
        "bonus_share": played.bonus_share,
        "seconds": round(played.seconds, 2),
    }


def _add_ablation_options(parser: Parser) -> None:
    from solver.learning.policy_gradient.ablations import ABLATIONS

    parser.add_argument("name", choices=(*ABLATIONS, "all"), help="group of settings to compare")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the runs")
    parser.add_argument("--ruleset", default="yahtzee", help="ruleset to play (default: yahtzee)")
    add_count_option(parser, "--games", 1, 10**8, "games per run", default=20_000)
    add_count_option(parser, "--seeds", 1, 100, "number of runs per setting", default=5)
    add_count_option(parser, "--usual-seeds", 1, 100, "runs with the default settings", default=20)
    add_count_option(
        parser,
        "--graded",
        1,
        10**7,
        "games without random choices to grade a policy",
        default=20_000,
    )
    add_cluster_option(parser)


def run_ablate(options: argparse.Namespace) -> None:
    from solver.learning.loop import keep_freed_memory
    from solver.learning.policy_gradient import ablations

    keep_freed_memory()
    names = list(ablations.ABLATIONS) if options.name == "all" else [options.name]
    size = ablations.Size(
        options.ruleset, options.games, options.seeds, options.graded, options.usual_seeds
    )
    folder = options.out.resolve()  # an absolute path for workers in other folders
    runs = ablations.list_runs(names, size, folder)
    hours = ablations.estimate_seconds(names, size, folder) / 3600
    choices = sum(len(ablations.ABLATIONS[name]) for name in names)
    say(f"{choices} choices: about {hours:.2f} hours of a core")
    with open_cluster(options) as cluster, show_progress("runs", quiet=False) as progress:
        pool = cluster and cluster.pool
        ablations.train_all(runs, size.graded, _measure_regret, pool=pool, progress=progress)
    ablations.write_figures(size, folder)
    shown = [
        [row.choice, f"{row.regret:.2f}", f"{row.more:+.2f}"]
        for row in ablations.read_figures(folder)
        if row.ablation in ("", *names)
    ]
    show_table("points lost", ["", "a game", "more than the usual run"], shown)
    ablations.write_report(folder)


def _measure_regret(player: Any, games: int) -> float:
    """Return the points that a player loses per game. All players get the same dice."""
    regret: float = measure_regret(player, games, seed=1)["regret"]
    return regret
