"""The commands evaluate and mix: the exact mean score of a player, or of two mixed players."""

import argparse
from fractions import Fraction
from time import perf_counter
from typing import Any

from solver.advice.moments import Evaluation, evaluate, evaluate_large, read_stored_worth
from solver.arena.results import read_result
from solver.cli.output import (
    add_json_option,
    add_ruleset_option,
    add_switch,
    print_json,
    show_progress,
    show_table,
)
from solver.cli.parser import say
from solver.cli.players import add_player
from solver.dp.cost import estimate_outlook_cost
from solver.dp.packing import is_large
from solver.players import Tabular, find_player
from solver.players.mixed import Mixed, Wavering
from solver.rules import PLAYED, find_ruleset

PERFECT = "optimal"


def add_commands(commands: Any) -> None:
    parser = commands.add_parser(
        "evaluate",
        description=(
            "Calculate a player's exact mean score, spread and bonus chance, or print "
            "stored results. For the chance of every score see `distribution`."
        ),
    )
    add_player(parser)
    add_switch(parser, "--anew", "calculate again even if stored (minutes for a network)")
    add_json_option(parser)
    parser.set_defaults(run=run_evaluate)
    mix = commands.add_parser(
        "mix",
        description=(
            "Combine two players: the first chooses the holds, the second chooses the boxes. With "
            "--chance, the first makes each decision with that chance, otherwise the second."
        ),
    )
    mix.add_argument(
        "first",
        metavar="HOLDS",
        help="player that chooses the holds, or PLAYER:READING for one reading of unclear rules",
    )
    mix.add_argument("second", metavar="BOXES", help="player that chooses the box")
    mix.add_argument(
        "--chance",
        type=_parse_fraction,
        metavar="P",
        help="chance that the first player makes each decision, such as 0.3 or 1/3",
    )
    add_ruleset_option(mix)
    add_json_option(mix)
    mix.set_defaults(run=run_mix)


def run_evaluate(options: argparse.Namespace) -> None:
    player, rules = find_player(options.player), find_ruleset(options.ruleset, PLAYED)
    by_level = is_large(rules) and player.id == PERFECT  # a distribution needs too much memory
    stored: tuple[Evaluation, float] | None = None  # results of an earlier run, and its seconds
    if by_level:
        what = "positions that differ"
        stored = None if options.anew else read_stored_worth(rules)
        if stored is None:
            cost = estimate_outlook_cost(rules)
            say(
                f"{rules.title}: {cost.positions:,} positions are worked out, in about "
                f"{cost.seconds:.0f} CPU seconds and {cost.memory / 1e9:.1f} GB of memory"
            )
    else:
        agent, what = player.open_tabular(rules), "cards that are reached"
        if not options.anew and (exact := read_result(player, rules)):
            scores = exact.distribution
            figures = scores.mean, scores.deviation, scores.bonus_probability, scores.states
            stored = Evaluation(*figures), exact.seconds
    if stored:
        evaluated, seconds = stored
    else:
        began = perf_counter()
        with show_progress(f"Mean of {player.name}", quiet=options.json) as progress:
            if by_level:
                evaluated, seconds = evaluate_large(rules, progress)
            else:
                evaluated = evaluate(agent, progress=progress)
                seconds = perf_counter() - began
    if options.json:
        facts = {"player": player.name, "ruleset": rules.id, "mean": evaluated.mean}
        facts |= {"sd": evaluated.deviation, "bonus_probability": evaluated.bonus_probability}
        facts |= {"states": evaluated.states, "seconds": seconds, "stored": stored is not None}
        print_json(facts)
        return
    rows = [
        ["mean", f"{evaluated.mean:.9f}"],
        ["standard deviation", f"{evaluated.deviation:.5f}"],
        ["chance of the upper bonus", f"{evaluated.bonus_probability:.4f}"],
        [what, f"{evaluated.states:,}"],
        ["seconds, when it was stored" if stored else "seconds", f"{seconds:.2f}"],
    ]
    show_table(f"{player.title}, {rules.title}", ["", ""], rows)


def _parse_fraction(text: str) -> Fraction:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"{text} is no fraction such as 0.3 or 1/3") from None


def run_mix(options: argparse.Namespace) -> None:
    rules = find_ruleset(options.ruleset)
    first, second = (find_player(name) for name in (options.first, options.second))
    holding, other = first.open_tabular(rules), second.open_tabular(rules)
    agent: Tabular = Mixed(holding, other)
    if options.chance is not None:
        agent = Wavering(holding, other, options.chance)
    worth = {"mix": evaluate(agent), first.name: evaluate(holding), second.name: evaluate(other)}
    if options.json:
        print_json(
            {
                name: {
                    "mean": evaluated.mean,
                    "sd": evaluated.deviation,
                    "bonus": evaluated.bonus_probability,
                }
                for name, evaluated in worth.items()
            }
        )
        return
    rows = [
        [
            name,
            f"{evaluated.mean:.5f}",
            f"{evaluated.deviation:.2f}",
            f"{evaluated.bonus_probability:.1%}",
        ]
        for name, evaluated in worth.items()
    ]
    title = f"{first.name} holds, {second.name} fills"
    if options.chance is not None:
        title = f"{first.name} with chance {options.chance}, else {second.name}"
    show_table(title, ["", "mean", "spread", "bonus"], rows)
