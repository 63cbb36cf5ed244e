"""The command positions: make graded positions, and score the answers of a player."""

import argparse
import sys
from pathlib import Path
from typing import Any

from solver.advice import Advisor
from solver.arena import positions
from solver.cli.output import add_json_option, add_path_option, add_ruleset, print_json, show_table
from solver.players import find_player
from solver.rules import SOLVED, find_ruleset

SHOWN = 20  # maximum number of printed problems
OTHER = "file of positions (default: our 1,000 positions for the ruleset)"


def add_commands(commands: Any) -> None:
    parser = commands.add_parser(
        "positions",
        description=(
            "Make positions with the exact value of every option, and score answers: a benchmark "
            "for any player, program or language model. docs/positions.md explains the format."
        ),
    )
    parts = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    make = parts.add_parser("make", help="sample positions from games of players of four strengths")
    add_ruleset(make, optional=False)
    make.add_argument(
        "--count", type=int, default=1000, metavar="N", help="number of positions (default: 1000)"
    )
    make.add_argument("--seed", type=int, default=1, metavar="S", help="random seed (default: 1)")
    add_path_option(make, "--out", "file to write, gzipped if named *.gz (default: print)")
    make.set_defaults(run=run_make)

    answer = parts.add_parser("answer", help="print the answers of a player to the positions")
    answer.add_argument(
        "player", metavar="PLAYER", help="player that answers (list: `yatzy solver players`)"
    )
    add_ruleset(answer, optional=False)
    answer.add_argument("--positions", type=Path, metavar="FILE", help=OTHER)
    answer.add_argument("--seed", type=int, default=1, metavar="S", help="random seed (default: 1)")
    answer.add_argument("--out", type=Path, metavar="FILE", help="file to write (default: print)")
    answer.set_defaults(run=run_answer)

    score = parts.add_parser("score", help="grade a file of answers, one JSON object per line")
    score.add_argument("answers", metavar="ANSWERS", help="file of answers; - for standard input")
    score.add_argument("--positions", type=Path, metavar="FILE", help=OTHER)
    add_json_option(score)
    score.set_defaults(run=run_score)


def run_make(options: argparse.Namespace) -> None:
    if options.seed < 0:
        raise positions.BadPositions("--seed must be a whole number from 0")
    advisor = Advisor.open(find_ruleset(options.ruleset, SOLVED))
    text = positions.make(advisor, options.count, options.seed)
    if options.out:
        positions.write(options.out, text)
        print(f"{options.count:,} positions of {options.ruleset} in {options.out}")  # noqa: T201
    else:
        sys.stdout.write(text)


def run_answer(options: argparse.Namespace) -> None:
    rules = find_ruleset(options.ruleset, SOLVED)
    graded = positions.read(options.positions or positions.find_shipped_file(rules.id))
    if graded.rules != rules:
        raise positions.BadPositions(f"these positions are of {graded.rules.id}, not {rules.id}")
    agent = find_player(options.player).open(rules)
    text = "".join(f"{line}\n" for line in positions.format_answers(agent, graded, options.seed))
    if options.out:
        positions.write(options.out, text)
    else:
        sys.stdout.write(text)


def run_score(options: argparse.Namespace) -> None:
    text = (
        sys.stdin.read()
        if options.answers == "-"
        else Path(options.answers).read_text(encoding="utf-8", errors="replace")
    )
    lines = text.splitlines()
    graded = positions.read(options.positions or positions.find_matching_file(lines))
    facts = positions.grade_answers(graded, lines).facts()
    if options.json:
        print_json(facts)
        return
    least, most = facts["average_score_range"]
    score = f"{facts['average_score']:.1f} ({least:.1f} to {most:.1f})"
    print(f"Best option chosen: {facts['best_answers']:,} of {facts['positions']:,}")  # noqa: T201
    print(f"Average score: {score}, from games of {facts['nearest_strength']}")  # noqa: T201
    rows = [
        _format_regret("all", facts),
        *(_format_regret(kind, part) for kind, part in facts["regret_by_kind"].items()),
        *(_format_regret(f"turn {turn}", part) for turn, part in facts["regret_by_turn"].items()),
        *(
            _format_regret(f"best box {box}", part)
            for box, part in facts["regret_by_best_box"].items()
        ),
    ]
    title = f"{graded.rules.title}: mean regret of the answers, in points"
    show_table(title, ["", "positions", "mean", "range (95 %)"], rows)
    for problem in facts["problems"][:SHOWN]:
        where = f"line {problem['line']}" if problem["line"] else "no line"
        print(f"{where}, {problem['id'] or 'no id'}: {problem['problem']}", file=sys.stderr)  # noqa: T201
    if len(facts["problems"]) > SHOWN:
        print(f"and {len(facts['problems']) - SHOWN} more (--json lists all)", file=sys.stderr)  # noqa: T201


def _format_regret(name: str, part: dict[str, Any]) -> list[str]:
    low, high = part["mean_regret_range"]
    mean = f"{part['mean_regret']:.4f}"
    return [name, f"{part['positions']:,}", mean, f"{low:.4f} to {high:.4f}"]
