"""The commands learn grade and learn report: the points that the decisions of players cost."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from solver.advice.wire import BadInput
from solver.cli.output import add_json_option, add_ruleset_option, print_json, show_table
from solver.cli.parser import say
from solver.cli.players import add_count_option, write_file
from solver.players import find_player
from solver.rules import find_ruleset

MOST = 10_000_000


def add_commands(algorithms: Any) -> None:
    grade = algorithms.add_parser(
        "grade",
        help="grade a player: mean score, and cost of decisions by kind, turn and box",
        description=(
            "Compare every decision of a player with perfect play: exactly, for all cards, or "
            "with --games only for the cards that occur in played games (for slow players)."
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

    rules = find_ruleset(options.ruleset)
    agent = find_player(options.player).open(rules)
    if not isinstance(agent, Tabular) and not options.games:
        raise BadInput(f"{options.player} has no table of its decisions: add --games N")
    grade = grade_agent(options.player, agent, rules, games=options.games, seed=options.seed)
    facts = grade_facts(grade)
    if options.json:
        print_json(facts)
    else:
        _show_grade(facts)


def _show_grade(facts: dict[str, Any]) -> None:
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
    _show_mistakes(facts)


def _show_mistakes(facts: dict[str, Any]) -> None:
    rows = [
        [
            " ".join(fact["filled"]) or "nothing",
            str(fact["upper"]),
            _format_choice(fact["dice"]),
            str(fact["throws_left"]),
            _format_choice(fact["choice"]),
            _format_choice(fact["best"]),
            f"{fact['cost']:.3f}",
            f"1 in {1 / fact['share']:,.0f}",
        ]
        for fact in facts["mistakes"]
    ]
    columns = ["filled", "upper", "dice", "throws left", "choice", "best", "costs", "games"]
    if rows:
        show_table("What this learner misplays most", columns, rows, left=6)


def _format_choice(choice: Any) -> str:
    return choice if isinstance(choice, str) else " ".join(map(str, choice)) or "nothing"


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
    open_table(rules)  # if the table is missing, this fails before any file is written
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
    """Train SARSA with the defaults of ``learn sarsa``; return its results for the report."""
    from dataclasses import asdict, replace

    from solver.learning.sarsa import VALUES, Learner
    from solver.learning.simplified import CATEGORIES, Simplified
    from solver.learning.summary import collect_facts, run_of

    learner = Learner(Simplified(CATEGORIES))
    settings = replace(VALUES["decaying"], games=1000)
    learned = collect_facts(run_of(learner, settings, list(learner.learn(settings, None))))
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
