"""The commands distribution, simulate, players and playbook: scores of players."""

import argparse
import csv
import io
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from solver.advice.wire import BadInput
from solver.arena.facts import make_performance_facts
from solver.arena.performance import simulate
from solver.arena.results import calculate_exact
from solver.charts import Chart
from solver.cli.output import (
    add_json_option,
    add_path_option,
    add_ruleset_option,
    print_json,
    show_progress,
    show_table,
)
from solver.exact.distribution import QUANTILES
from solver.players import PLAYERS, find_player
from solver.players.playbook import SIZES, read_stored_books
from solver.players.playbook_play import collect_facts
from solver.players.playbook_rules import BookRule, Playbook, format_sentence, list_closing_notes
from solver.rules import PLAYED, YATZY, find_ruleset
from solver.study import charts
from solver.study.published import find_published, measure_distance
from solver.study.readings import list_readings
from solver.tables import write_whole

MOST_GAMES = 1_000_000_000
PLAYER_HELP = "player, or PLAYER:READING for one reading of unclear rules (list: `players`)"


def add_commands(commands: Any) -> None:
    parser = commands.add_parser(
        "distribution", description="Calculate the exact chance of every final score of a player."
    )
    add_player(parser)
    parser.add_argument("--plot", type=Path, metavar="F.svg", help="chart as SVG (default: none)")
    add_json_option(parser)
    parser.set_defaults(run=run_distribution)
    parser = commands.add_parser(
        "simulate",
        description="Play many games; print the mean, the extremes and the games per ten points.",
    )
    add_player(parser)
    add_count_option(parser, "--games", 1, MOST_GAMES, "number of games", default=100_000)
    add_seed(parser)
    add_path_option(parser, "--csv", "CSV file: games per score (default: none)")
    add_path_option(parser, "--plot", "SVG chart: games per score (default: none)")
    add_path_option(parser, "--plot-tens", "SVG chart: games per ten points (default: none)")
    add_json_option(parser)
    parser.set_defaults(run=run_simulate)
    players = commands.add_parser(
        "players",
        description="List all players, or describe one and calculate all its readings exactly.",
    )
    players.add_argument(
        "player", nargs="?", metavar="PLAYER", help="player to describe (default: list all)"
    )
    add_ruleset_option(players, PLAYED)
    add_json_option(players)
    players.set_defaults(run=run_players)
    parser = commands.add_parser(
        "playbook",
        description=(
            "Print the rules of a playbook in order; the first rule that applies decides. For "
            "each rule, print when to learn it, the points that it then adds, and the points "
            "that forgetting it costs."
        ),
    )
    parser.add_argument(
        "--rules",
        type=int,
        choices=SIZES,
        default=10,
        help="number of rules in our playbook (default: 10)",
    )
    add_path_option(parser, "--file", "playbook file: rules, order of boxes (default: our own)")
    add_ruleset_option(parser)
    add_json_option(parser)
    parser.set_defaults(run=run_playbook)


def add_player(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("player", metavar="PLAYER", help=PLAYER_HELP)
    add_ruleset_option(parser, PLAYED)


def add_seed(parser: argparse.ArgumentParser) -> None:
    add_count_option(parser, "--seed", 0, 2**63 - 1, "seed of the dice", default=1)


def add_count_option(
    parser: Any, flag: str, low: int, high: int, meaning: str, *, default: int | None = None
) -> None:
    kind, usual = make_whole_parser(low, high), f" (default: {default:,})" if default else ""
    parser.add_argument(flag, type=kind, default=default, metavar="N", help=meaning + usual)


def make_whole_parser(low: int, high: int) -> Callable[[str], int]:
    def parse_number(text: str) -> int:
        value = int(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{value} is not from {low} to {high:,}")
        return value

    parse_number.__name__ = "whole number"
    return parse_number


def make_number_parser(low: float, high: float, name: str = "number") -> Callable[[str], float]:
    def parse_number(text: str) -> float:
        value = float(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text} is not from {low:g} to {high:g}")
        return value

    parse_number.__name__ = name
    return parse_number


def run_distribution(options: argparse.Namespace) -> None:
    player, rules = find_player(options.player), find_ruleset(options.ruleset, PLAYED)
    with show_progress(f"Scores of {player.name}", quiet=options.json) as progress:
        exact = calculate_exact(player, rules, progress=progress)
    scores = exact.distribution
    if options.plot:
        write_chart(options.plot, charts.draw_exact_scores(f"Scores of {player.title}", scores))
    if options.json:
        print_json(exact.facts())
        return
    rows = [
        ["mean", f"{scores.mean:.5f}"],
        ["standard deviation", f"{scores.deviation:.5f}"],
        ["median", str(scores.median)],
        ["most frequent score", str(scores.mode)],
        ["chance of the upper bonus", f"{scores.bonus_probability:.4f}"],
        *(
            [f"{share:.0%} of games score at most", str(scores.find_quantile(share))]
            for share in QUANTILES
        ),
        ["cards that are reached", f"{scores.states:,}"],
        ["seconds", f"{exact.seconds:.2f}"],
    ]
    show_table(f"{player.title}: {player.summary}", ["", ""], rows)


def run_simulate(options: argparse.Namespace) -> None:
    player, rules = find_player(options.player), find_ruleset(options.ruleset, PLAYED)
    agent = player.open(rules)
    with show_progress(f"{options.games:,} games of {player.name}", quiet=options.json) as progress:
        result = simulate(agent, rules, player.name, options.games, options.seed, progress=progress)
    if options.csv:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["score", "games"])
        writer.writerows((int(score), int(result.counts[score])) for score in result.scores)
        write_file(options.csv, text.getvalue())
    if options.plot:
        title = f"{result.games:,} games of {player.name}, by score"
        write_chart(options.plot, charts.draw_scores(title, result))
    if options.plot_tens:
        title = f"{result.games:,} games of {player.name}, in bands of ten"
        write_chart(options.plot_tens, charts.draw_tens(title, result))
    if options.json:
        print_json(make_performance_facts(result))
        return
    tens = [
        [f"{t.low} to {t.low + 9}", f"{t.count:,}", f"{t.share:.2%}", f"{t.up_to_here:.2%}"]
        for t in result.tens()
    ]
    show_table("Games in bands of ten", ["score", "games", "share", "up to here"], tens)
    theirs = find_published(player.id) if rules == YATZY else None
    facts = [
        ["mean", f"{result.mean:.2f}", f"{theirs.mean}" if theirs else ""],
        ["median", f"{result.median:g}", f"{theirs.median}" if theirs else ""],
        ["largest", str(result.most), f"{theirs.most}" if theirs else ""],
        ["least", str(result.least), f"{theirs.least}" if theirs else ""],
        [
            "range",
            f"{result.most - result.least}",
            f"{theirs.most - theirs.least}" if theirs else "",
        ],
        ["standard deviation", f"{result.deviation:.2f}", ""],
        ["games with the upper bonus", f"{result.bonus_share:.2%}", ""],
        ["seconds", f"{result.seconds:.2f}", f"{theirs.seconds:,}" if theirs else ""],
    ]
    show_table(f"{result.games:,} games of {result.player}", ["", "ours", "published"], facts)
    if theirs:
        shares = result.counts / result.games
        ours = [shares[at : at + 10].sum() for at in range(0, len(shares), 10)]
        far = measure_distance(np.array(ours, dtype=np.float64), theirs.shares)
        show_table("", ["", ""], [["share of games in another ten than published", f"{far:.1%}"]])


def run_players(options: argparse.Namespace) -> None:
    if options.player is None:
        rules = find_ruleset(options.ruleset, PLAYED)
        players = [player for player in PLAYERS.values() if player.plays(rules)]
        if options.json:
            print_json(
                [
                    {"id": p.id, "title": p.title, "summary": p.summary}
                    | {"readings": dict(p.readings), "description": p.description}
                    | {"rulesets": list(p.rulesets)}
                    for p in players
                ]
            )
            return
        rows = [[p.id, p.summary, ", ".join(p.readings)] for p in players]
        show_table(f"Players of {rules.title}", ["", "", "readings"], rows, left=3)
        return
    player, rules = find_player(options.player), find_ruleset(options.ruleset, PLAYED)
    with show_progress(f"Readings of {player.id}", quiet=options.json) as progress:
        every_reading = list(list_readings(player, rules, progress=progress))
    if options.json:
        facts = {"id": player.id, "title": player.title, "description": player.description}
        print_json(facts | {"readings": [asdict(reading) for reading in every_reading]})
        return
    print(player.description + "\n")  # noqa: T201
    show_table(
        "Exact figures"
        if len(every_reading) == 1
        else "Readings, the default first; exact figures",
        ["", "mean", "median", "spread", "bonus", "off the published"],
        [
            [
                reading.name,
                f"{reading.mean:.2f}",
                str(reading.median),
                f"{reading.deviation:.1f}",
                f"{reading.bonus_probability:.1%}",
                "" if reading.distance is None else f"{reading.distance:.1%}",
            ]
            for reading in every_reading
        ],
    )


def write_chart(path: Path, chart: Chart) -> None:
    write_file(path, chart.svg() + "\n")


def check_folder(path: Path | None) -> None:
    if path and path.exists() and not path.is_dir():
        raise BadInput(f"{path} is a file: name a folder")


def write_file(path: Path, text: str) -> None:
    if path.is_dir():
        raise BadInput(f"{path} is a folder: name a file")
    try:
        write_whole(path, text)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from None


def run_playbook(options: argparse.Namespace) -> None:
    rules = find_ruleset(options.ruleset)
    if options.file:
        try:
            book = Playbook.from_facts(json.loads(options.file.read_text()))
            for rule in book.rules:
                BookRule.read(str(rule), rules)
            if sorted(book.scratch) != sorted(rules.index):
                raise ValueError("scratch must name every box once")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BadInput(f"{options.file} is no playbook of {rules.id}: {error}") from None
        book_facts = collect_facts(rules, book)
    else:
        books = read_stored_books(options.ruleset)
        if not books:
            raise BadInput(f"{options.ruleset} has no playbook: name another ruleset")
        book_facts = books[str(options.rules)]
        book = Playbook.from_facts(book_facts)
    if options.json:
        print_json({"ruleset": rules.id, **book_facts})
        return
    lessons = book_facts["lessons"]
    learned = {lesson["rule"]: lesson for lesson in lessons}
    places = [lesson["rule"] for lesson in lessons]
    rows = [
        [
            f"{number + 1}. {format_sentence(rule, rules)}",
            str(places.index(number) + 1),
            f"{learned[number]['earns']:.2f}",
            f"{learned[number]['costs']:.2f}",
        ]
        for number, rule in enumerate(book.rules)
    ]
    rows += [[text, "", "", ""] for text in list_closing_notes(rules, book.scratch)]
    title = f"{rules.title}: {book_facts['mean']:.9f}, bonus {book_facts['bonus_probability']:.2%}"
    show_table(title, ["rule", "learn", "earns", "costs"], rows)
