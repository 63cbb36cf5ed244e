"""tournament: players of the registry, classes and programs against each other."""

import argparse
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from solver.advice.wire import BadInput
from solver.arena.chunks import Setting
from solver.arena.contestants import find_contestants
from solver.arena.standings import Pair, Placed, Standings, standings
from solver.arena.tournament import PLAY_OFF, play
from solver.arena.tournament_facts import tournament_facts
from solver.cli.cluster import add_cluster_option, cluster_of
from solver.cli.output import add_json_option, print_json, progress_bar, say, show_table
from solver.cli.players import add_seed, whole_from, write_file
from solver.cli.prepare import solve_where_missing
from solver.cli.sandbox import add_sandbox_option, limits_of
from solver.rules import PLAYED, find_ruleset
from solver.rules.rulesets import YAHTZEE
from solver.statistics.inference import Interval
from solver.statistics.sequential import ERROR, LEAD, SHARE
from solver.study.tournament_report import report

MOST_GAMES = 10_000_000
MOST_PLAYERS = 64
NAMES = (
    "a player of the registry (players lists them), package.module:Class, or cmd:PROGRAM with its "
    "arguments"
)


def add_commands(commands: Any) -> None:
    tournament = commands.add_parser(
        "tournament",
        help="many players against each other, with what their decisions cost",
        description="Everybody plays all games; who has the highest score of a game gets a point, "
        "and so does everybody who shares it. Who ties for most points plays on, up to "
        f"{PLAY_OFF} games. A player that breaks a rule is out, and its games do not count.",
    )
    tournament.add_argument("players", nargs="+", metavar="PLAYER", help=NAMES)
    add_options(tournament)
    tournament.set_defaults(run=run_tournament)


def add_fight(actions: Any) -> None:
    """``bot fight``: a tournament of two."""
    fight = actions.add_parser(
        "fight",
        help="two players against each other",
        description="A tournament of two: who wins more games, what the decisions of each cost, "
        "and how many games are still needed to tell them apart.",
    )
    for name in ("one", "other"):
        fight.add_argument(name, metavar="PLAYER", help=NAMES)
    add_options(fight)
    fight.set_defaults(run=run_fight)


def run_fight(options: argparse.Namespace) -> None:
    options.players = [options.one, options.other]
    run_tournament(options)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--games", type=whole_from(1, MOST_GAMES), default=1000, metavar="N")
    add_seed(parser)
    parser.add_argument(
        "--ruleset",
        default=YAHTZEE.id,
        metavar="RULESET",
        help=f"{', '.join(PLAYED)} ({YAHTZEE.id})",
    )
    parser.add_argument(
        "--same-dice", action="store_true", help="everybody has the same dice in a game"
    )
    parser.add_argument(
        "--stop-early",
        action="store_true",
        help=f"a match of two ends when one leads by {LEAD} won games (Wald's test of {SHARE:.0%}% "
        f"of the decided games for the one against the other, wrong at most {ERROR:.0%}% of times)",
    )
    parser.add_argument("--cores", type=whole_from(1, 1024), metavar="N", help="as many (all)")
    add_cluster_option(parser)
    add_sandbox_option(parser)
    parser.add_argument("--html", type=Path, metavar="F.html", help="write a page with everything")
    parser.add_argument(
        "--resume", type=Path, metavar="F", help="keep what was played here, and go on from it"
    )
    add_json_option(parser)


def run_tournament(options: argparse.Namespace) -> None:
    if len(options.players) > MOST_PLAYERS:
        raise BadInput(f"a tournament has at most {MOST_PLAYERS} players")
    if options.stop_early and len(options.players) != 2:
        raise BadInput("--stop-early is for a match of two")
    rules = find_ruleset(options.ruleset, PLAYED)
    if rules.stock:
        raise BadInput(f"{rules.id} saves throws: a tournament's turns have {rules.throws} each")
    solve_where_missing(rules, quiet=options.json)
    with (
        cluster_of(options) as cluster,
        progress_bar(f"{options.games:,} games", quiet=options.json) as progress,
        redirect_stdout(sys.stderr),  # a class that is played in here prints no table of ours
    ):
        contestants = find_contestants(options.players, rules, limits_of(options))
        found = play(
            contestants,
            Setting(rules, options.seed, options.same_dice),
            options.games,
            stop_early=options.stop_early,
            threads=cluster.cores if cluster else options.cores,
            pool=cluster and cluster.pool,
            keep=options.resume,
            progress=progress,
        )
    table = standings(found)
    if options.html:
        write_file(options.html, report(table))
    if options.json:
        print_json(tournament_facts(table))
    else:
        show(table)


def show(table: Standings) -> None:
    played = table.tournament
    title = f"{played.games:,} games of {played.setting.rules.title}, seed {played.setting.seed}"
    columns = ["", "player", "points", "won", "mean", "sd", "regret", "without dice"]
    show_table(title, columns, [row_of(row) for row in table.rows], left=2)
    if table.rows:
        say_why(table)
    if len(table.rows) > 1:
        columns = ["", "won", "tied", "lost", "difference", "by decisions", "games still needed"]
        show_table("Head to head", columns, [pair_of(pair) for pair in table.pairs])
    for out in table.out:
        where = f" ({out.reason.where})" if out.reason.where else ""
        say(f"{out.name} is out: {out.reason.reason}{where}")


def say_why(table: Standings) -> None:
    played = table.tournament
    say(
        f"regret is of a decision; without dice is {played.value_start:.2f}, what perfect play is "
        "worth, less the regret of a game: the mean but for luck; won and ± are 95 % ranges"
    )
    if played.stopped:
        say(f"ended early: one led by {LEAD} won games")
    if played.play_off:
        tied = ", ".join(played.names[seat] for seat in played.play_off.tied)
        left = ", ".join(played.names[seat] for seat in played.play_off.left)
        say(f"{tied} tied; after {played.play_off.games} games more: {left}")


def row_of(row: Placed) -> list[str]:
    return [
        f"{row.place}.",
        row.name,
        f"{row.points:,}",
        _share(row),
        f"{row.mean:.2f}{_half(row.score)}",
        f"{row.deviation:.2f}" if row.deviation is not None else "",
        f"{row.regret_per_decision:.4f}",
        f"{row.without_noise:.2f}{_half(row.skill)}",
    ]


def pair_of(pair: Pair) -> list[str]:
    return [
        f"{pair.one} – {pair.other}",
        f"{pair.won:,}",
        f"{pair.tied:,}",
        f"{pair.lost:,}",
        f"{pair.mean:+.2f}{_half(pair.difference)}",
        f"{pair.mean_by_regret:+.2f}{_half(pair.by_regret)}",
        f"{_needed(pair.needed)} / {_needed(pair.needed_by_regret)}",
    ]


def _share(row: Placed) -> str:
    return f"{row.won[0]:.1%}–{row.won[1]:.1%}" if row.won else ""


def _half(of: Interval | None) -> str:
    return f" ± {of.half:.2f}" if of else ""


def _needed(games: int | None) -> str:
    return "–" if games is None else f"{games:,}"
