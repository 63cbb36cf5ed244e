"""The command tournament: players of the registry, classes and programs play each other."""

import argparse
import sys
from contextlib import redirect_stdout
from typing import Any

from solver.advice.wire import BadInput
from solver.arena.chunks import Setting
from solver.arena.contestants import find_contestants
from solver.arena.standings import make_standings
from solver.arena.tournament import PLAY_OFF, play
from solver.arena.tournament_facts import make_tournament_facts
from solver.cli.cluster import add_cluster_option, open_cluster
from solver.cli.output import (
    add_json_option,
    add_path_option,
    add_switch,
    print_json,
    show_progress,
    show_report,
)
from solver.cli.players import add_count_option, add_seed, write_file
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
    "registered player (the command players lists all), package.module:Class, or cmd:COMMAND to "
    "start a program"
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
    fight = actions.add_parser(
        "fight",
        help="let two players play each other",
        description=(
            "Let two players play each other; print who wins more games, what the decisions of "
            "each player cost, and how many more games would show who is better."
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
    add_count_option(parser, "--games", 1, MOST_GAMES, "number of games", default=1000)
    add_seed(parser)
    parser.add_argument(
        "--ruleset",
        default=YAHTZEE.id,
        metavar="RULESET",
        help=f"ruleset: {', '.join(PLAYED)} (default: {YAHTZEE.id})",
    )
    add_switch(parser, "--same-dice", "give all players the same dice in each game")
    add_switch(
        parser,
        "--stop-early",
        f"end a match of two players when one leads by {LEAD} won games (Wald's "
        f"test of {SHARE:.0%}% of decided games for one player, wrong in {ERROR:.0%}% at most)",
    )
    add_count_option(parser, "--cores", 1, 1024, "number of processor cores to use (default: all)")
    add_cluster_option(parser)
    add_sandbox_option(parser)
    add_path_option(parser, "--html", "file for an HTML report (default: none)")
    add_path_option(parser, "--resume", "file of played games to write or continue (default: none)")
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
        redirect_stdout(sys.stderr),  # keeps prints of player classes out of standard output
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
