"""The command evaluate: a player's exact mean score, without playing."""

import argparse
from time import perf_counter
from typing import Any, NamedTuple

from solver.advice.moments import Evaluation, evaluate, evaluate_large, read_stored_worth
from solver.arena.results import read_result
from solver.cli.output import add_json_option, add_switch, print_json, show_progress, show_table
from solver.cli.parser import say
from solver.cli.players import add_player
from solver.dp.cost import estimate_outlook_cost
from solver.dp.packing import is_large
from solver.players import PlayerEntry, find_player
from solver.rules import PLAYED, Ruleset, find_ruleset

PERFECT = "optimal"


class Weighed(NamedTuple):
    """An evaluation; ``what`` names what ``states`` counts. If ``stored`` is True, the results are
    from an earlier run, which took ``seconds``."""

    evaluation: Evaluation
    seconds: float
    what: str
    stored: bool


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


def run_evaluate(options: argparse.Namespace) -> None:
    player, rules = find_player(options.player), find_ruleset(options.ruleset, PLAYED)
    by_level = is_large(rules) and player.id == PERFECT
    work = evaluate_large_rules if by_level else evaluate_player
    evaluated, seconds, what, stored_before = work(
        player, rules, anew=options.anew, quiet=options.json
    )
    if options.json:
        facts = {"player": player.name, "ruleset": rules.id, "mean": evaluated.mean}
        facts |= {"sd": evaluated.deviation, "bonus_probability": evaluated.bonus_probability}
        facts |= {"states": evaluated.states, "seconds": seconds, "stored": stored_before}
        print_json(facts)
        return
    rows = [
        ["mean", f"{evaluated.mean:.9f}"],
        ["standard deviation", f"{evaluated.deviation:.5f}"],
        ["chance of the upper bonus", f"{evaluated.bonus_probability:.4f}"],
        [what, f"{evaluated.states:,}"],
        ["seconds, when it was stored" if stored_before else "seconds", f"{seconds:.2f}"],
    ]
    show_table(f"{player.title}, {rules.title}", ["", ""], rows)


def evaluate_player(player: PlayerEntry, rules: Ruleset, *, anew: bool, quiet: bool) -> Weighed:
    agent, what = player.open_tabular(rules), "cards that are reached"
    came = None if anew else read_result(player, rules)
    if came:
        scores = came.distribution
        evaluated = Evaluation(
            scores.mean, scores.deviation, scores.bonus_probability, scores.states
        )
        return Weighed(evaluated, came.seconds, what, stored=True)
    began = perf_counter()
    with show_progress(f"Mean of {player.name}", quiet=quiet) as progress:
        evaluated = evaluate(agent, progress=progress)
    return Weighed(evaluated, perf_counter() - began, what, stored=False)


def evaluate_large_rules(
    player: PlayerEntry, rules: Ruleset, *, anew: bool, quiet: bool
) -> Weighed:
    """Return perfect play's exact mean only: its distribution would need too much memory."""
    known = None if anew else read_stored_worth(rules)
    if known is None:
        cost = estimate_outlook_cost(rules)
        say(
            f"{rules.title}: {cost.positions:,} positions are worked out, in about "
            f"{cost.seconds:.0f} CPU seconds and {cost.memory / 1e9:.1f} GB of memory"
        )
    with show_progress(f"Mean of {player.name}", quiet=quiet) as progress:
        evaluated, seconds = known or evaluate_large(rules, progress)
    return Weighed(evaluated, seconds, "positions that differ", stored=known is not None)
