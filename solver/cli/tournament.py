"""The command tournament: built-in players, classes and programs play each other.

The report has the table, the points lost, pairs of players, and disqualifications.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from typing import Any

from solver.advice.wire import BadInput
from solver.arena.chunks import Setting
from solver.arena.contestants import find_contestants
from solver.arena.programs import FENCED, USUAL, Limits
from solver.arena.standings import Standings, make_standings, make_tournament_facts
from solver.arena.tournament import PLAY_OFF, play
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
from solver.cli.solve import solve_where_missing
from solver.rules import PLAYED, find_ruleset
from solver.rules.rulesets import YAHTZEE
from solver.statistics.inference import ERROR, LEAD, SHARE, Interval
from solver.study import html
from solver.study.html import Folded, Heading, Paragraph, Part, TextTable

NOTICE = "--sandbox changes nothing: walls are the default, and --trust takes them away"
POSITION = re.compile(r' at (\{"filled": [^{}]*\})')  # the format of ``arena.programs.program``
MOST_GAMES = 10_000_000
MOST_PLAYERS = 64
NAMES = (
    "registered player (list: `yatzy solver players`), package.module:Class, or cmd:COMMAND to "
    "start a program"
)


def add_sandbox_option(parser: Any) -> None:
    walls = parser.add_mutually_exclusive_group()
    walls.add_argument(
        "--trust",
        action="store_true",
        help="run bots with your rights (default: in a sandbox without network, home folders and "
        "lasting files, if bubblewrap is installed; see docs/bots.md)",
    )
    walls.add_argument("--sandbox", action="store_true", help=argparse.SUPPRESS)


def choose_limits(options: argparse.Namespace) -> Limits:
    if options.sandbox:
        sys.stderr.write(f"{NOTICE}\n")
    return USUAL if options.trust else FENCED


def report_standings(standings: Standings) -> Iterator[Part]:
    played = standings.tournament
    dice = "the same dice for everybody" if played.setting.same_dice else "dice of everybody's own"
    won = " and ".join(standings.winners) or "Nobody"
    yield Paragraph(f"{won} won. Seed {played.setting.seed}, {dice}.")
    scoring = (
        "The highest score of a game gets a point; everybody who shares it gets one. ± and the "
        "range of a share are 95 %."
    )
    yield Paragraph(scoring, note=True)
    if played.play_off:
        tied, left = (
            ", ".join(played.names[seat] for seat in seats)
            for seats in (played.play_off.tied, played.play_off.left)
        )
        yield Paragraph(f"{tied} tied; after {played.play_off.games:,} games more: {left}.")
    if played.stopped:
        yield Paragraph(
            f"It ended when one led by {LEAD} won games: Wald's sequential test of {SHARE:.0%} of "
            f"the decided games for the one against the other, wrong in at most {ERROR:.0%} of "
            "matches."
        )
    if standings.rows:
        scores, costs, pairs = [], [], []
        for row in standings.rows:
            share = f" ({row.won[0]:.1%} to {row.won[1]:.1%})" if row.won else ""
            deviation = f"{row.deviation:.2f}" if row.deviation is not None else ""
            mean, points = f"{row.mean:.2f}{_format_half(row.score)}", f"{row.points:,}"
            cells = [f"{row.place}.", row.name, points, f"{row.share:.1%}{share}", mean, deviation]
            scores.append(cells)
            figures = (row.luck, row.regret, row.luck_per_decision, row.regret_per_decision)
            skill = f"{row.without_noise:.2f}{_format_half(row.skill)}"
            costs.append([row.name, *(f"{figure:.4f}" for figure in figures), skill])
        for pair in standings.pairs:
            needed = ("–" if n is None else f"{n:,}" for n in (pair.needed, pair.needed_by_regret))
            pairs.append(
                [
                    f"{pair.one} – {pair.other}",
                    *(f"{games:,}" for games in (pair.won, pair.tied, pair.lost)),
                    f"{pair.mean:+.2f}{_format_half(pair.difference)}",
                    f"{pair.mean_by_regret:+.2f}{_format_half(pair.by_regret)}",
                    " / ".join(needed),
                ]
            )
        head = ["", "player", "points", "share of games", "mean", "sd"]
        yield TextTable("Points and scores", head, scores, left=2)
        yield Paragraph(
            f"A score is {played.value_start:.3f}, what perfect play is worth, with the luck of "
            "the dice and less the regret of the decisions. Luck comes to nothing in the long run, "
            "so that perfect play less the regret is the mean without the noise of the dice."
        )
        head = ["player", "luck of a game", "regret of a game", "luck of a decision"]
        head += ["regret of a decision", "mean without dice noise"]
        yield TextTable("Luck and regret, in points", head, costs)
        if pairs:
            head = ["", "won", "tied", "lost", "difference", "by decisions", "games still needed"]
            yield TextTable("Head to head", head, pairs)
            note = (
                "Games still needed: until the 95 % interval of the difference leaves nought out, "
                "by the scores and by what the decisions cost, should both go on as they did."
            )
            yield Paragraph(note, note=True)
    if standings.out:
        yield Heading("Disqualified")
        yield Paragraph("Their games count for nothing, nor against anybody.", note=True)
        for out in standings.out:
            reason, where = out.reason.reason, f" ({out.reason.where})" if out.reason.where else ""
            yield Paragraph(f"{out.name} is out: {POSITION.sub('', reason)}{where}")
            for position in POSITION.findall(reason):
                yield Folded("The position", [Paragraph(position)])


def _format_half(likely: Interval | None) -> str:
    return f" ±\N{NO-BREAK SPACE}{likely.half:.2f}" if likely else ""


def add_commands(commands: Any) -> None:
    tournament = commands.add_parser(
        "tournament",
        description=(
            "All players play all games; every player with the highest score of a game gets a "
            "point. If players tie for the most points, they play more games, up to "
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
        redirect_stdout(sys.stderr),  # output of player classes must not mix with standard output
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
        write_file(
            options.html,
            html.render_page(
                f"A tournament of {played.games:,} games of {played.setting.rules.title}",
                report_standings(table),
            ),
        )
    if options.json:
        print_json(make_tournament_facts(table))
    else:
        show_report(report_standings(table))
