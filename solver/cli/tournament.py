"""The command tournament: players of the registry, classes and programs play each other."""

import argparse
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from solver.advice.wire import BadInput
from solver.arena.chunks import Setting
from solver.arena.contestants import find_contestants
from solver.arena.standings import make_standings
from solver.arena.tournament import PLAY_OFF, play
from solver.arena.tournament_facts import make_tournament_facts
from solver.cli.cluster import add_cluster_option, open_cluster
from solver.cli.output import add_json_option, print_json, show_progress, show_report
from solver.cli.players import add_seed, make_whole_parser, write_file
from solver.cli.prepare import solve_where_missing
from solver.cli.sandbox import add_sandbox_option, choose_limits
from solver.rules import PLAYED, find_ruleset
from solver.rules.rulesets import YAHTZEE
from solver.statistics.sequential import ERROR, LEAD, SHARE
from solver.study import html
from solver.study.tournament import format_title, report_standings

MOST_GAMES = 10_000_000
MOST_PLAYERS = 64
NAMES = (
    "a player of the registry (players lists them), package.module:Class, or cmd:PROGRAM with its "
    "arguments"
)


def add_commands(commands: Any) -> None:
    tournament = commands.add_parser(
        "tournament",
        description=(
            "All players play all games; every player with the highest score of a game gets a "
            "point. Players who tie for most points play on, up to "
            f"{PLAY_OFF} games. A player that breaks a rule is out, and its games do not count."
        ),
    )
    tournament.add_argument("players", nargs="+", metavar="PLAYER", help=NAMES)
    add_options(tournament)
    tournament.set_defaults(run=run_tournament)


def add_fight(actions: Any) -> None:
    """Add the command ``bot fight``: a tournament of two."""
    fight = actions.add_parser(
        "fight",
        help="let two players play each other",
        description=(
            "Let two players play each other; print who wins more games, what the decisions of "
            "each player cost, and how many more games it would take to separate them."
        ),
    )
    for name in ("one", "other"):
        fight.add_argument(name, metavar="PLAYER", help=NAMES)
    add_options(fight)
    fight.set_defaults(run=run_fight)


def run_fight(options: argparse.Namespace) -> None:
    options.players = [options.one, options.other]
    run_tournament(options)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--games",
        type=make_whole_parser(1, MOST_GAMES),
        default=1000,
        metavar="N",
        help="number of games (default: 1,000)",
    )
    add_seed(parser)
    parser.add_argument(
        "--ruleset",
        default=YAHTZEE.id,
        metavar="RULESET",
        help=f"ruleset: {', '.join(PLAYED)} (default: {YAHTZEE.id})",
    )
    parser.add_argument(
        "--same-dice", action="store_true", help="give all players the same dice in each game"
    )
    parser.add_argument(
        "--stop-early",
        action="store_true",
        help=f"end a match of two players when one leads by {LEAD} won games (Wald's "
        f"test of {SHARE:.0%}% of decided games for one player, wrong in {ERROR:.0%}% at most)",
    )
    parser.add_argument(
        "--cores",
        type=make_whole_parser(1, 1024),
        metavar="N",
        help="number of processor cores (default: all)",
    )
    add_cluster_option(parser)
    add_sandbox_option(parser)
    parser.add_argument(
        "--html", type=Path, metavar="F.html", help="HTML page to write, with the whole report"
    )
    parser.add_argument(
        "--resume",
        type=Path,
        metavar="F",
        help="file for the played games; if the file exists, continue from it",
    )
    add_json_option(parser)


def run_tournament(options: argparse.Namespace) -> None:
    if len(options.players) > MOST_PLAYERS:
        raise BadInput(f"a tournament has at most {MOST_PLAYERS} players")
    if options.stop_early and len(options.players) != 2:
        raise BadInput("--stop-early is for a match of two")
    rules = find_ruleset(options.ruleset, PLAYED)
    if rules.stock:
        raise BadInput(f"{rules.id} saves rolls: a tournament's turns have {rules.throws} rolls")
    solve_where_missing(rules, quiet=options.json)
    with (
        open_cluster(options) as cluster,
        show_progress(f"{options.games:,} games", quiet=options.json) as progress,
        redirect_stdout(sys.stderr),  # keeps a class's prints out of standard output
    ):
        contestants = find_contestants(options.players, rules, choose_limits(options))
        played = play(
            contestants,
            Setting(rules, options.seed, options.same_dice),
            options.games,
            stop_early=options.stop_early,
            threads=cluster.cores if cluster else options.cores,
            pool=cluster and cluster.pool,
            keep=options.resume,
            progress=progress,
        )
    table = make_standings(played)
    if options.html:
        write_file(options.html, html.render_page(format_title(table), report_standings(table)))
    if options.json:
        print_json(make_tournament_facts(table))
    else:
        show_report(report_standings(table))
