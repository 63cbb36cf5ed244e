"""The command mix: combine two players, either by kind of decision (hold or box) or by chance."""

import argparse
from fractions import Fraction
from typing import Any

from solver.advice.moments import evaluate
from solver.cli.output import add_json_option, add_ruleset_option, print_json, show_table
from solver.players import Tabular, find_player
from solver.players.mixed import Mixed, Wavering
from solver.rules import find_ruleset


def add_commands(commands: Any) -> None:
    mix = commands.add_parser(
        "mix",
        description=(
            "Combine two players: the first chooses the holds, the second the box. With "
            "--chance, the first makes each decision with that chance, otherwise the second."
        ),
    )
    mix.add_argument(
        "first",
        metavar="HOLDS",
        help="player that chooses the holds, or PLAYER:READING (the command players lists both)",
    )
    mix.add_argument("second", metavar="BOXES", help="player that chooses the box")
    mix.add_argument(
        "--chance",
        type=_parse_fraction,
        metavar="P",
        help="chance that the first player decides, such as 0.3 or 1/3 (default: as above)",
    )
    add_ruleset_option(mix)
    add_json_option(mix)
    mix.set_defaults(run=run_mix)


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
