"""./yatzy trial_plan: estimate a planned trial's power and precision.

With --arms, simulated trials of this plan go through the analysis that results use
(``game.trials.analysis.power``). Without arms, formulas give the widths of the intervals.
"""

import json
from argparse import ArgumentParser
from collections import defaultdict
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
from solver.cli.output import add_json_option, add_switch, show_table
from solver.cli.players import add_count_option, make_number_parser, make_whole_parser
from solver.rules import PLAYED, find_ruleset
from solver.statistics.chi_squared import Floats

GAMES_OFFERED = (1, 2, 5, 10, 25, 50, 100)
MINUTES_A_TURN = 0.5
SPREADS = {
    "between": "the means of people",
    "change": "the changes of people",
    "within": "the games of one person",
}


class Command(BaseCommand):
    help = (
        "Estimate the power, precision and playing time of a trial. With --arms, simulate trials"
        " of this plan and analyse them like real results; without --arms, print half the width "
        "of the 95 % confidence interval of the mean."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add, rules = parser.add_argument, Trial().ruleset
        share, points = make_number_parser(0, 0.9), make_number_parser(0.01, 1000)
        games, text = make_whole_parser(1, MOST_GAMES), "number of participants"
        add_count_option(parser, "--people", 2, MOST_PLACES, text, default=60)
        text = "training games per participant (default: 5)"
        add("--games", "--training", metavar="N", type=games, default=5, help=text)
        add("--outcome", choices=[COST, SCORE], default=COST, help="outcome (default: %(default)s)")
        add("--ruleset", choices=list(PLAYED), default=rules, help="ruleset (default: %(default)s)")
        text = "number of arms; the first has no coach (default: no arms)"
        add_count_option(parser, "--arms", 2, MOST_ARMS, text)
        text = "difference between arms to detect, in points per game (default: 0)"
        add("--effect", metavar="POINTS", type=points, default=0.0, help=text)
        for name, when in (("baseline", "before"), ("test", "after")):
            text = f"number of games {when} the training (default: 0)"
            add_count_option(parser, f"--{name}", 0, MOST_GAMES, text, default=0)
        text = "share of participants who drop out (default: 0)"
        add("--dropouts", metavar="SHARE", type=share, default=0.0, help=text)
        for name, what in SPREADS.items():
            text = f"standard deviation of {what} (default: measured with bots)"
            add(f"--{name}", metavar="POINTS", type=points, help=text)
        add_switch(parser, "--from-trials", "take the standard deviations from closed trials")
        add_json_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        people, games, arms = options["people"], options["games"], options["arms"]
        before, test, dropouts = options["baseline"], options["test"], options["dropouts"]
        if not arms and (before or test or dropouts):
            raise CommandError("arms: enter the number of arms", returncode=2)
        rules, outcome = options["ruleset"], options["outcome"]
        spread = Spread.find_usual(rules, outcome)
        source = "The spread comes from bots that err as people do. People may differ more or less."
        known = estimate_spread(rules, outcome) if options["from_trials"] else None
        if known:
            spread, source = known[0], f"The spread comes from {known[1]} people in closed trials."
        elif options["from_trials"]:
            source = (
                "Fewer than six people have played two games without a coach in closed trials,"
                " so the spread comes from bots."
            )
        chosen = {name: options[name] for name in SPREADS if options[name] is not None}
        spread = replace(spread, **chosen)
        plan = power = None
        if arms:
            names, phase = tuple(map(str, range(arms))), AFTER if test else TRAINING
            estimand = Estimand(names, phase, outcome)
            compared, effect = test or games, options["effect"]
            plan = PlannedTrial(estimand, people, compared, before, spread, effect, dropouts)
            power = simulate_power(plan)
        these, others = calculate_half_widths(people, games, spread)
        halves = [
            f"{people} × {games} games give a 95 % confidence interval of"
            f" {_format_half_width(others)} points per game for people like these, and of"
            f" {_format_half_width(these)} for these people."
        ]
        turns = len(find_ruleset(rules, PLAYED).categories)
        minutes = (games + before + test) * MINUTES_A_TURN * turns
        sentences = [
            *(describe_power(power, plan.effect) if power and plan else halves),
            f"Each person plays for about {format_points(minutes, 0)} minutes, and all people"
            f" together for {format_points(minutes * people / 60, 0)} hours.",
            source,
            f"The standard deviations, in points per game, are {format_points(spread.between)}"
            f" between people, {format_points(spread.change)} between their changes, and"
            f" {format_points(spread.within)} between games of one person.",
        ]
        if options["json"]:
            facts = {
                "people": people,
                "games": games + before + test,
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
                    widths = [_format_half_width(others), _format_half_width(these)]
                    rows.append([f"{play // each} x {each}", *widths])
            heads = ["people x games", "people like these", "these people"]
            title = "Half of a 95 % confidence interval, in points per game"
            show_table(title, heads, rows)
        self.stdout.write("\n".join(sentences))


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
    people: dict[tuple[int, int], list[float]] = defaultdict(list)
    rows = games.order_by("number").values_list("participant__trial", "participant", name)
    for trial, participant, value in rows:
        people[trial, participant].append(float(value))
    by_trial: dict[int, list[Floats]] = defaultdict(list)
    for (trial, _participant), costs in people.items():
        if len(costs) > 1:
            by_trial[trial].append(np.array(costs))
    groups = [group for group in by_trial.values() if len(group) > 1]
    everybody = [costs for group in groups for costs in group]
    if len(everybody) < LEAST_PEOPLE:
        return None
    spare = sum(len(costs) - 1 for costs in everybody)
    within = sum(float(costs.var()) * len(costs) for costs in everybody) / spare

    # the variances between people, of means and of changes (the mean of the second half of the
    # games minus that of the first half), without the part that comes from the games
    squares, noise = np.zeros(2), np.zeros(2)
    for group in groups:
        halves = [np.array_split(costs[::-1], 2) for costs in group]
        means = [costs.mean() for costs in group]
        changes = [late.mean() - early.mean() for late, early in halves]
        squares += np.var([means, changes], axis=1) * len(group)
        parts = (
            [1 / len(costs) for costs in group],
            [1 / len(late) + 1 / len(early) for late, early in halves],
        )
        noise += np.mean(parts, axis=1) * within * (len(group) - 1)
    between, change = np.maximum(squares - noise, 0) / (len(everybody) - len(groups))
    return Spread(sqrt(between), sqrt(change), sqrt(within)), len(everybody)
