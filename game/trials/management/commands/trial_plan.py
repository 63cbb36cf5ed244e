"""./yatzy trial_plan: estimate a planned trial's power and precision.

With --arms, simulated trials of this plan go through the analysis that results use
(``game.trials.analysis.power``). Without arms, formulas give the widths of the intervals.
"""

import json
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from math import sqrt
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError
from django.db.models import Exists, OuterRef

from game.core.words.phrases import format_points
from game.models import Coach
from game.trials.analysis.power import (
    PlannedTrial,
    Spread,
    calculate_half_widths,
    simulate_power,
)
from game.trials.analysis.primary import COST, SCORE, Estimand
from game.trials.design.phases import AFTER, TRAINING
from game.trials.models import MOST_GAMES, MOST_PLACES, Trial, TrialGame
from game.trials.results.words import describe_power
from game.trials.road.form import MOST_ARMS
from solver.cli.output import show_table
from solver.rules import PLAYED, find_ruleset
from solver.statistics.chi_squared import Floats

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
        plan = None
        if options["arms"]:
            phase = AFTER if options["test"] and not within else TRAINING
            names = tuple(str(arm) for arm in range(options["arms"]))
            plan = PlannedTrial(
                Estimand(names, phase, options["outcome"], within=within),
                people,
                options["test"] if phase == AFTER else games,
                options["baseline"],
                spread,
                options["effect"],
                options["dropouts"],
            )
        power = simulate_power(plan) if plan else None
        these, others = calculate_half_widths(people, games, spread)
        in_all = games * (1 + within) + options["baseline"] + options["test"]
        turns = len(find_ruleset(options["ruleset"], PLAYED).categories)
        minutes = in_all * (options["minutes"] or MINUTES_A_TURN * turns)
        hours = format_points(minutes * people / 60, 0)
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
            f"Each person plays for about {format_points(minutes, 0)} minutes, and all people"
            f" together for {hours} hours.",
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
                "power": asdict(power) if power else None,
                "plan": asdict(plan) if plan else None,
                "spread": asdict(spread),
                "sentences": sentences,
            }
            self.stdout.write(json.dumps(facts))
            return
        if plan is None:
            # the precision for the same number of games with fewer or more people
            play, rows = people * games, []
            for each in sorted({*GAMES_OFFERED, games}):
                if play // each >= 2 and play % each == 0:
                    these, others = calculate_half_widths(play // each, each, spread)
                    halves = [_format_half_width(others), _format_half_width(these)]
                    rows.append([f"{play // each} x {each}", *halves])
            heads = ["people x games", "people like these", "these people"]
            title = "Half of a 95 % confidence interval, in points per game"
            show_table(title, heads, rows)
        self.stdout.write("\n".join(sentences))


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


def _format_half_width(half: float | None) -> str:
    return "–" if half is None else f"± {format_points(half)}"


LEAST_PEOPLE = 6  # minimum number of people for an estimate of the spread


def estimate_spread(ruleset: str, outcome: str) -> tuple[Spread, int] | None:
    """Return the standard deviations of people in closed trials with these rules, and the number of
    people. Only games before a person's first coached game count. Return None if too few people
    have two such games."""
    trials = Trial.objects.filter(
        ruleset=ruleset, rehearsal=False, closed_at__isnull=False, unmasked_at__isnull=False
    )
    coached = TrialGame.objects.filter(
        participant=OuterRef("participant"), number__lte=OuterRef("number")
    ).exclude(game__coach=Coach.OFF)
    name = "game__final_score" if outcome == SCORE else "game__regret"
    games = TrialGame.objects.filter(
        ~Exists(coached),
        participant__trial__in=trials,
        participant__withdrawn_at__isnull=True,
        game__finished_at__isnull=False,
        game__ruleset=ruleset,
        **{f"{name}__isnull": False},
    )
    people: dict[tuple[int, int], list[float]] = {}
    rows = games.order_by("number").values_list("participant__trial", "participant", name)
    for trial, participant, value in rows:
        people.setdefault((trial, participant), []).append(float(value))
    played = {who: np.array(costs) for who, costs in people.items() if len(costs) > 1}
    by_trial = [
        [costs for who, costs in played.items() if who[0] == at]
        for at in {who[0] for who in played}
    ]
    by_trial = [group for group in by_trial if len(group) > 1]
    everybody = [costs for group in by_trial for costs in group]
    if len(everybody) < LEAST_PEOPLE:
        return None
    spare = sum(len(costs) - 1 for costs in everybody)
    within = sum(float(costs.var()) * len(costs) for costs in everybody) / spare
    between = _calculate_variance(
        by_trial, within, lambda costs: (float(costs.mean()), 1 / len(costs))
    )

    # The mean cost of the second half of a person's games minus that of the first half, and a
    # factor: the variance of one game times this factor is the variance of the difference.
    def compare_halves(costs: Floats) -> tuple[float, float]:
        half = len(costs) // 2
        return float(costs[half:].mean() - costs[:half].mean()), 1 / half + 1 / (len(costs) - half)

    change = _calculate_variance(by_trial, within, compare_halves)
    return Spread(sqrt(between), sqrt(change), sqrt(within)), len(everybody)


def _calculate_variance(
    groups: Sequence[Sequence[Floats]],
    within: float,
    measure: Callable[[Floats], tuple[float, float]],
) -> float:
    """Return the variance between people, without the part that comes from variation between games.
    ``within`` is the variance of a game. ``measure`` returns a person's value and a factor;
    ``within`` times this factor is the part of the value's variance that comes from games."""
    square = noise = spare = 0.0
    for group in groups:
        values, factors = zip(*map(measure, group), strict=True)
        square += float(np.var(values)) * len(values)
        noise += (len(values) - 1) * within * float(np.mean(factors))
        spare += len(values) - 1
    return max(0.0, (square - noise) / spare)
