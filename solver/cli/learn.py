"""The command learn: players that train by playing, and grades of their decisions.

Each function imports only the learners that it needs, because learners load slowly. The options of
``learn train`` are the fields of ``Config``.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import fields, replace
from math import sqrt
from pathlib import Path
from random import SystemRandom
from time import sleep
from typing import Any

from solver.advice.moments import evaluate
from solver.advice.wire import BadInput
from solver.arena.performance import simulate
from solver.cli.cluster import add_cluster_option, open_cluster
from solver.cli.output import (
    add_json_option,
    add_path_option,
    add_ruleset_option,
    add_switch,
    print_json,
    show_progress,
    show_table,
)
from solver.cli.parser import Parser, say
from solver.cli.players import (
    add_count_option,
    add_seed,
    check_folder,
    make_number_parser,
    make_whole_parser,
    write_chart,
    write_file,
)
from solver.dp.packing import is_large
from solver.players import find_player
from solver.rules import PLAYED, find_ruleset

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
MOST_TD = 1_000_000_000
DEFAULT_GAMES = {1: 100, 4: 1000}  # {number of boxes: games per trial}, as in the source
MOST = 10_000_000


def add_commands(commands: Any) -> None:
    learn = commands.add_parser("learn")
    algorithms = learn.add_subparsers(title="algorithms", required=True, metavar="ALGORITHM")
    sarsa = algorithms.add_parser(
        "sarsa",
        help="learn a game of four boxes with SARSA, and compare it with random and optimal play",
        description=(
            "Learn a simplified game with SARSA (three of a kind, four of a kind, small and "
            "large straight; you repeat a turn that scores nothing) and grade the result exactly."
        ),
    )
    sarsa.add_argument("--categories", type=int, choices=(1, 4), help="boxes to fill (default: 4)")
    add_switch(sarsa, "--rethrow", "let held dice be rolled again in the same turn, as in Yatzy")
    sarsa.add_argument(
        "--values",
        choices=("source", "decaying"),
        help=(
            "learning rate and chance of a random action. source: 0.4 and 0.33 throughout, as "
            "published; decaying: both fall, to 0.001 and 0.05 (default: decaying)"
        ),
    )
    rate, chance = make_number_parser(1e-6, 1), make_number_parser(0, 1)
    cost, trials = make_number_parser(-1e6, 0), make_whole_parser(0, MOST)
    for name, kind, meaning in (
        ("alpha", rate, "learning rate (default: 0.4)"),
        ("alpha-end", rate, "final learning rate (default: set by --values)"),
        ("epsilon", chance, "chance of a random action (default: 0.33)"),
        ("epsilon-end", chance, "final chance of a random action (default: set by --values)"),
        ("gamma", chance, "factor of a later reward for each action before it (default: 1)"),
        ("punishment", cost, "reward of a turn that scores nothing (default: -10)"),
        ("trials", trials, "number of trials (default: 100; 0 with --load)"),
        ("games", make_whole_parser(1, MOST), "games per trial (default: 1,000; 100 with one box)"),
        ("seed", make_whole_parser(0, 2**63 - 1), "seed of the dice (default: 1)"),
    ):
        sarsa.add_argument(f"--{name}", type=kind, metavar="N", help=meaning)
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
    _add_td(algorithms)
    _add_grade(algorithms)
    train = algorithms.add_parser(
        "train",
        help="train by policy gradients: REINFORCE, A2C or PPO",
        description=TRAIN,
        late=_add_flags,
    )
    train.set_defaults(run=run_train)
    measure = algorithms.add_parser("measure", help="measure a policy's score", description=MEASURE)
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


def run_sarsa(options: argparse.Namespace) -> None:
    from solver.learning.summary import collect_facts, make_run

    if options.watch and options.json:
        raise BadInput("--watch is for people, --json for programs: choose one")
    check_folder(options.out)
    learner, settings = _open_learner(options)
    with show_progress("SARSA", quiet=options.json) as progress:
        trials = list(learner.learn(settings, progress))
    run = make_run(learner, settings, trials)
    if options.out:
        from solver.learning.summary import collect_facts, draw_chart, format_log

        write_file(options.out / "summary.json", json.dumps(collect_facts(run), indent=1) + "\n")
        write_file(options.out / "summary.csv", format_log(run))
        learner.save(options.out / "q.npz", run.settings)
        if run.trials:
            for unit in ("turns", "points"):
                write_chart(options.out / f"{unit}.svg", draw_chart(run, unit))
        say(f"written: {options.out}")
    if options.json:
        print_json(collect_facts(run))
    else:
        figures = {
            "random": run.random,
            f"learned, {len(run.trials) * run.settings.games:,} games": run.learned,
            "fewest turns possible": run.fewest_turns,
            "the same if kept dice could be thrown again": run.rethrown,
            "most points possible": run.most_points,
            f"best for a punishment of {run.settings.punishment:g}": run.rewarded,
            "random, every die kept by a coin, into the easier box": run.coins.random,
            "fewest turns possible, into the easier box": run.coins.fewest_turns,
            "most points possible, into the easier box": run.coins.most_points,
        }
        rows = [[name, f"{game.turns:.3f}", f"{game.points:.3f}"] for name, game in figures.items()]
        show_table("A game, exactly", ["", "turns", "points"], rows)
    if options.watch:
        from solver.learning.chance import make_streams
        from solver.learning.sarsa import narrate_game

        luck = make_streams(SystemRandom().randrange(2**63), 1)
        for number in range(1, options.watch + 1):
            for sentence in narrate_game(learner, luck):
                sleep(options.pause)
                print(f"game {number}, {sentence}", flush=True)  # noqa: T201


def _open_learner(options: argparse.Namespace) -> tuple[Any, Any]:
    """Return a new learner, or the learner of --load, and the settings with which to train it."""
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


def _add_td(algorithms: Any) -> None:
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
        td.add_argument(f"--{name}", type=make_whole_parser(1, MOST_TD), metavar="N", help=meaning)
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
        help="share of an error that the learner corrects at first, up to 1 (default: 0.5)",
    )
    td.add_argument(
        "--step-end",
        type=share,
        metavar="N",
        help="share of an error that the learner corrects at the end (default: 0.02)",
    )
    add_count_option(td, "--seed", 0, 2**63 - 1, "random seed (default: 1)")
    add_count_option(td, "--grades", 1, 1000, "number of gradings during the run", default=20)
    add_count_option(
        td, "--sampled", 2, MOST_TD, "games to play per grading (default: exact grades)", default=0
    )
    add_path_option(td, "--out", "folder for curve, checkpoint, values (default: none)", "FOLDER")
    add_json_option(td)
    td.set_defaults(run=run_td)


points = make_number_parser(0.0, 1000.0, "points")
share = make_number_parser(1e-6, 1.0, "share")


def run_td(options: argparse.Namespace) -> None:
    from solver.learning.loop import CHECKPOINT_FILE, read_curve, train
    from solver.learning.turn_starts import TdLearner, TdSettings

    check_folder(options.out)
    rules = find_ruleset(options.ruleset, PLAYED)
    if rules.stock:
        raise BadInput(f"{rules.id}: a learned value belongs to a card and knows no saved throws")
    if options.method == "network" and is_large(rules):
        raise BadInput(
            f"{rules.id}: a network evaluates all cards at once, which would take many GB"
        )
    given = {name: getattr(options, name) for name in vars(TdSettings())} | {"ruleset": rules.id}
    settings = TdSettings(**{name: value for name, value in given.items() if value is not None})
    path = options.out / CHECKPOINT_FILE if options.out else None
    if path and path.exists():
        learner = TdLearner.load(path)
        if learner.settings != settings:
            raise BadInput(f"{options.out} holds another run: {learner.settings}")
        say(f"going on after {learner.games:,} games")
    else:
        learner = TdLearner.new(settings)
    learner.grades, learner.sampled = options.grades, options.sampled
    curve = [line for line in read_curve(options.out) if line["games"] <= learner.games]
    with show_progress("TD", quiet=options.json) as progress:
        for grade in train(learner, options.out, progress):
            curve.append(grade)
            if options.json:
                print_json(grade)
    if not options.json:
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


def _add_grade(algorithms: Any) -> None:
    grade = algorithms.add_parser(
        "grade",
        help="grade a player: mean score, and cost of decisions by kind, turn and box",
        description=(
            "Compare every decision of a player with perfect play. The comparison is exact and "
            "covers all cards; with --games, only cards of played games (for slow players)."
        ),
    )
    grade.add_argument("player", metavar="PLAYER", help="player to grade")
    add_ruleset_option(grade)
    add_count_option(grade, "--games", 2, MOST, "number of games to play (default: grade exactly)")
    add_count_option(grade, "--seed", 0, 2**63 - 1, "seed of the dice", default=1)
    add_json_option(grade)
    grade.set_defaults(run=run_grade)
    report = algorithms.add_parser(
        "report",
        help="grade all players of a ruleset for the lab",
        description=(
            "Grade all players of a ruleset, including a bot that errs as people do, and "
            "store the results that the lab shows."
        ),
    )
    add_ruleset_option(report)
    report.set_defaults(run=run_report)


def run_grade(options: argparse.Namespace) -> None:
    from solver.arena.grading import grade_agent, grade_facts
    from solver.players.agent import Tabular
    from solver.study.turns import format_choice

    rules = find_ruleset(options.ruleset)
    agent = find_player(options.player).open(rules)
    if not isinstance(agent, Tabular) and not options.games:
        raise BadInput(f"{options.player} has no table of its decisions: add --games N")
    grade = grade_agent(options.player, agent, rules, games=options.games, seed=options.seed)
    facts = grade_facts(grade)
    if options.json:
        print_json(facts)
        return
    figures = [
        ["mean", f"{facts['mean']:.3f}"],
        ["standard deviation", f"{facts['sd']:.2f}"],
        ["median", str(facts["median"])],
        ["bonus", f"{100 * facts['bonus']:.1f} %"],
        ["five of a kind", f"{100 * facts['five_of_a_kind']:.1f} %"],
        ["perfect play", f"{facts['optimum']:.3f}"],
        ["its decisions cost", f"{facts['regret']:.3f}"],
    ]
    figures += [[f"at least {n}", f"{100 * p:.2f} %"] for n, p in facts["at_least"].items()]
    show_table(f"{facts['player']}, {facts['how']}", ["", ""], figures)
    kinds = zip(facts["kinds"], facts["decisions"], facts["regret_by_kind"], strict=True)
    rows = [[kind, f"{n:.3f}", f"{cost:.4f}", f"{cost / n:.5f}"] for kind, n, cost in kinds]
    columns = ["decision", "in a game", "points lost", "points each"]
    show_table("What its decisions cost", columns, rows)
    turns = [[str(n), f"{cost:.4f}"] for n, cost in enumerate(facts["regret_by_turn"], start=1)]
    show_table("By turn", ["turn", "points lost"], turns, left=0)
    boxes = [
        [box, f"{facts['points'][box]:.3f}", f"{100 * facts['scored'][box]:.1f} %", f"{cost:.4f}"]
        for box, cost in facts["regret_by_box"].items()
    ]
    show_table("By box", ["box", "points", "scored", "points lost by choosing it"], boxes)
    mistakes = [
        [
            " ".join(fact["filled"]) or "nothing",
            str(fact["upper"]),
            format_choice(fact["dice"]),
            str(fact["throws_left"]),
            format_choice(fact["choice"]),
            format_choice(fact["best"]),
            f"{fact['cost']:.3f}",
            f"1 in {1 / fact['share']:,.0f}",
        ]
        for fact in facts["mistakes"]
    ]
    columns = ["filled", "upper", "dice", "throws left", "choice", "best", "costs", "games"]
    if mistakes:
        show_table("What this learner misplays most", columns, mistakes, left=6)


def run_report(options: argparse.Namespace) -> None:
    from solver.arena.learners import (
        find_losses_path,
        find_report_path,
        find_simplified_path,
        grade_all_losses,
        grade_learners,
        make_report,
        round_floats,
    )
    from solver.study.mixes import PATH, evaluate_mixes
    from solver.study.published import RULES
    from solver.tables import open_table

    rules = find_ruleset(options.ruleset)
    open_table(rules)  # fails here, before any file is written, if the table is missing
    grades = grade_learners(rules)
    files: dict[Path, Callable[[], dict[str, Any]]] = {
        find_losses_path(rules): lambda: grade_all_losses(rules)
    }
    if grades:
        files[find_report_path(rules)] = lambda: make_report(rules, grades)
        files[find_simplified_path()] = _grade_simplified_game
    if rules == RULES:
        files[PATH] = evaluate_mixes
    for path, facts in files.items():
        write_file(path, json.dumps(round_floats(facts()), indent=1) + "\n")
        say(f"written: {path}")


def _grade_simplified_game() -> dict[str, Any]:
    """Train SARSA with the defaults of ``learn sarsa``. Return the results for the report."""
    from dataclasses import asdict, replace

    from solver.learning.sarsa import VALUES, Learner
    from solver.learning.simplified import CATEGORIES, Simplified
    from solver.learning.summary import collect_facts, make_run

    learner = Learner(Simplified(CATEGORIES))
    settings = replace(VALUES["decaying"], games=1000)
    learned = collect_facts(make_run(learner, settings, list(learner.learn(settings, None))))
    return {
        "settings": asdict(settings),
        "players": {
            name: {what: learned[f"{name}_{what}"] for what in ("turns", "points")}
            for name in ("random", "learned")
        }
        | {"fewest turns": learned["fewest_turns"], "most points": learned["most_points"]},
        "curve": [
            {"games": settings.games * trial["number"], "turns": trial["turns"]}
            for trial in learned["trials"]
        ],
    }


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
    settings: Any = fields(Config)
    for setting in settings:
        flag, about = f"--{setting.name.replace('_', '-')}", setting.metadata
        usual = ",".join(setting.default) if about["many"] else setting.default
        words = f"{about['meaning']} (default: {usual})"
        given: dict[str, Any] = {"dest": setting.name, "default": argparse.SUPPRESS, "help": words}
        if isinstance(setting.default, bool):
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, **given)
        elif about["many"]:
            names = f"[{','.join(about['options'])}]"
            parser.add_argument(
                flag, type=lambda text: tuple(filter(None, text.split(","))), metavar=names, **given
            )
        elif about["options"]:
            parser.add_argument(flag, choices=about["options"], **given)
        else:
            parser.add_argument(flag, type=type(setting.default), metavar="X", **given)
    add_json_option(parser)


def run_train(options: argparse.Namespace) -> None:
    from solver.learning.loop import CHECKPOINT_FILE, keep_freed_memory
    from solver.learning.policy_gradient.config import Config, make_config
    from solver.learning.policy_gradient.training import TrainingRun, train

    keep_freed_memory()
    checkpoint = options.out / CHECKPOINT_FILE
    check_folder(options.out)
    choices = {f.name: vars(options)[f.name] for f in fields(Config) if f.name in options}
    if options.resume:
        if choices.keys() - {"games"} or options.origin:
            raise BadInput("--resume keeps the run's settings: add no other choice than --games")
        run = TrainingRun.load(checkpoint, choices.get("games"))
    else:
        if checkpoint.exists():
            raise BadInput(f"{options.out} has a run already: add --resume to continue it")
        run = TrainingRun(make_config(**choices))
        if options.origin:
            run.start_from(options.origin)
    with show_progress(f"{run.config.games:,} games", quiet=options.json) as progress:
        lines = []
        for line in train(run, options.out, progress):
            lines.append(line)
            if options.json:
                print_json(line)
    if not options.json:
        rows = [[f"{line['games']:,}", f"{line['greedy_mean']:.2f}"] for line in lines]
        show_table(f"Greedy play, {run.config.graded:,} games each", ["games", "mean"], rows)


def run_measure(options: argparse.Namespace) -> None:
    from solver.players.learned import NetworkPlay
    from solver.players.network import read

    player = NetworkPlay(read(options.policy))
    with show_progress(str(options.policy), quiet=options.json) as progress:
        if options.exact:
            evaluation = evaluate(player, progress=progress)
            facts: dict[str, Any] = {
                "mean": evaluation.mean,
                "sd": evaluation.deviation,
                "bonus_probability": evaluation.bonus_probability,
                "states": evaluation.states,
            }
        elif options.regret:
            facts = measure_regret(player, options.games, options.seed)
        else:
            games, seed = options.games, options.seed
            played = simulate(player, player.rules, "", games, seed, progress=progress)
            facts = {
                "games": played.games,
                "seed": played.seed,
                "mean": played.mean,
                "standard_error": played.deviation / sqrt(played.games),
                "sd": played.deviation,
                "median": played.median,
                "bonus_share": played.bonus_share,
                "seconds": round(played.seconds, 2),
            }
    facts = {"ruleset": player.rules.id} | facts
    if options.json:
        print_json(facts)
    else:
        rows = [[name.replace("_", " "), f"{value}"] for name, value in facts.items()]
        show_table(str(options.policy), ["", ""], rows)


def measure_regret(player: Any, games: int, seed: int) -> dict[str, Any]:
    """Play games with seeded dice. Return the points that the decisions of the player cost."""
    from solver.arena.grading import grade_agent, grade_facts

    facts = grade_facts(grade_agent("", player, player.rules, games=games, seed=seed))
    names = ("games", "mean", "sd", "bonus", "optimum", "regret", "regret_error")
    return {name: facts[name] for name in (*names, "regret_by_kind", "regret_by_turn")}


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
    folder = options.out.resolve()  # an absolute path also works for workers in other folders
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
    """Return the points that a player loses per game. Every player gets the same dice."""
    regret: float = measure_regret(player, games, seed=1)["regret"]
    return regret
