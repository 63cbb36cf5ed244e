"""./yatzy trial_plan: estimate a planned trial's power and precision.

With --arms, simulated trials of this plan go through the analysis that results use
(``game.trials.analysis.power``). Without arms, formulas give the widths of the intervals.
"""

import json
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.core.words.phrases import format_points
from game.trials.analysis.power import (
    PlannedTrial,
    Spread,
    calculate_half_widths,
    simulate_power,
)
from game.trials.analysis.primary import COST, SCORE, Estimand
from game.trials.design.phases import AFTER, TRAINING
from game.trials.models import Trial
from game.trials.models.trial import MOST_GAMES, MOST_PLACES
from game.trials.planning import estimate_spread
from game.trials.results.words import describe_power
from game.trials.road.form import MOST_ARMS
from solver.cli.output import show_table
from solver.rules import PLAYED, find_ruleset

PEOPLE, GAMES = 60, 5
GAMES_OFFERED = (1, 2, 5, 10, 25, 50, 100)
MINUTES_A_TURN = 0.5
SPREADS = {
    "between": "the means of people",
    "change": "the changes of people",
    "within": "the games of one person",
}


def read_number(kind: type, least: float, most: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        number: float = kind(text)
        if not least <= number <= most:
            raise ArgumentTypeError(f"{text} is not from {least:g} to {most:g}")
        return number

    return read


class Command(BaseCommand):
    help = (
        "Estimate the power, precision and playing time of a trial. With --arms, simulate trials"
        " of this plan and analyse them like real results; without --arms, print half the width "
        "of the 95 % confidence interval of the mean."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        games, points = read_number(int, 0, MOST_GAMES), read_number(float, 0.01, 1000)
        add(
            "--people",
            metavar="N",
            type=read_number(int, 2, MOST_PLACES),
            default=PEOPLE,
            help="number of participants (default: %(default)s)",
        )
        add(
            *("--games", "--training"),
            metavar="N",
            type=read_number(int, 1, MOST_GAMES),
            default=GAMES,
            help="training games per participant (default: %(default)s)",
        )
        add("--outcome", choices=[COST, SCORE], default=COST, help="outcome (default: %(default)s)")
        rules = Trial().ruleset
        add("--ruleset", choices=list(PLAYED), default=rules, help="ruleset (default: %(default)s)")
        add(
            "--arms",
            metavar="N",
            type=read_number(int, 2, MOST_ARMS),
            help="number of arms; the first has no coach (default: no arms)",
        )
        add(
            "--effect",
            metavar="POINTS",
            type=points,
            default=0.0,
            help="difference between arms to detect, in points per game",
        )
        for name, when in (("baseline", "before"), ("test", "after")):
            text = f"number of games {when} the training (default: 0)"
            add(f"--{name}", metavar="N", type=games, default=0, help=text)
        add(
            "--design",
            choices=Trial.Kind.values,
            default=Trial.Kind.BETWEEN.value,
            help="between: one arm per person; within: all arms per person (default: between)",
        )
        add(
            "--dropouts",
            metavar="SHARE",
            type=read_number(float, 0, 0.9),
            default=0.0,
            help="share of participants who drop out (default: 0)",
        )
        for name, what in SPREADS.items():
            text = f"standard deviation of {what} (default: measured with bots)"
            add(f"--{name}", metavar="SD", type=points, help=text)
        add(
            "--from-trials",
            action="store_true",
            help="take the standard deviations from closed trials",
        )
        half = "minutes per game (default: half a minute per turn)"
        add("--minutes", metavar="N", type=points, help=half)
        add("--json", action="store_true", help="print JSON, for programs")

    def handle(self, *args: Any, **options: Any) -> None:
        within = options["design"] == Trial.Kind.WITHIN
        for_arms = within or options["baseline"] or options["test"] or options["dropouts"]
        if for_arms and not options["arms"]:
            raise CommandError("arms: enter the number of arms", returncode=2)
        if within and options["arms"] != 2:
            raise CommandError("design: everyone can play all arms only if there are two arms")
        people, games = options["people"], options["games"]
        spread, source = _find_spread(options)
        plan = _make_plan(options, spread) if options["arms"] else None
        power = simulate_power(plan) if plan else None
        these, others = calculate_half_widths(people, games, spread)
        in_all = games * (1 + within) + options["baseline"] + options["test"]
        sentences = [
            *(
                describe_power(power, plan.effect)
                if power and plan
                else [
                    f"{people} × {games} games give a 95 % confidence interval of"
                    f" {_format_half_width(others)} points per game for people like these, and of"
                    f" {_format_half_width(these)} for these people."
                ]
            ),
            _describe_time(options, in_all),
            source,
            f"The standard deviations, in points per game, are {format_points(spread.between)}"
            f" between people, {format_points(spread.change)} between their changes, and"
            f" {format_points(spread.within)} between games of one person.",
        ]
        if options["json"]:
            facts = {
                "people": people,
                "games": in_all,
                "these_people": these,
                "people_like_these": others,
                "power": power.facts() if power else None,
                "plan": asdict(plan) if plan else None,
                "spread": asdict(spread),
                "sentences": sentences,
            }
            self.stdout.write(json.dumps(facts))
            return
        if plan is None:
            _show_same_play(people * games, games, spread)
        self.stdout.write("\n".join(sentences))


def _make_plan(options: Mapping[str, Any], spread: Spread) -> PlannedTrial:
    within, after = options["design"] == Trial.Kind.WITHIN, options["test"]
    phase = AFTER if after and not within else TRAINING
    names = tuple(str(arm) for arm in range(options["arms"]))
    return PlannedTrial(
        Estimand(names, phase, options["outcome"], within=within),
        options["people"],
        after if phase == AFTER else options["games"],
        options["baseline"],
        spread,
        options["effect"],
        options["dropouts"],
    )


def _find_spread(options: Mapping[str, Any]) -> tuple[Spread, str]:
    """Return the standard deviations, which options may set, and a sentence on their source."""
    spread = Spread.find_usual(options["ruleset"], options["outcome"])
    source = "The spread comes from bots that err as people do. People may differ more or less."
    if options["from_trials"]:
        known = estimate_spread(options["ruleset"], options["outcome"])
        source = (
            f"The spread comes from {known[1]} people in closed trials."
            if known
            else (
                "Fewer than six people have played two games without a coach in closed trials,"
                " so the spread comes from bots."
            )
        )
        spread = known[0] if known else spread
    chosen = {name: options[name] for name in SPREADS if options[name] is not None}
    return replace(spread, **chosen), source


def _describe_time(options: Mapping[str, Any], games: int) -> str:
    turns = len(find_ruleset(options["ruleset"], PLAYED).categories)
    minutes = games * (options["minutes"] or MINUTES_A_TURN * turns)
    hours = format_points(minutes * options["people"] / 60, 0)
    return (
        f"Each person plays for about {format_points(minutes, 0)} minutes, and all people together"
        f" for {hours} hours."
    )


def _show_same_play(play: int, games: int, spread: Spread) -> None:
    """Print the precision for the same number of games with fewer or more people."""
    rows = []
    for each in sorted({*GAMES_OFFERED, games}):
        if play // each >= 2 and play % each == 0:
            these, others = calculate_half_widths(play // each, each, spread)
            halves = [_format_half_width(others), _format_half_width(these)]
            rows.append([f"{play // each} x {each}", *halves])
    heads = ["people x games", "people like these", "these people"]
    show_table("Half of a 95 % confidence interval, in points per game", heads, rows)


def _format_half_width(half: float | None) -> str:
    return "–" if half is None else f"± {format_points(half)}"
