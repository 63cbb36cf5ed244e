"""./yatzy trial_plan: estimate a planned trial's power and precision."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.trials.models import Trial
from game.trials.planning import GAMES, OUTCOMES, PEOPLE, plan_form, plan_page
from solver.cli.output import show_table
from solver.rules import PLAYED


class Command(BaseCommand):
    help = (
        "Estimate the power, precision and playing time of a trial. With --arms, simulate trials"
        " of this plan and analyse them like real results; without --arms, print half the width "
        "of the 95 % confidence interval of the mean."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--people", metavar="N", help=f"number of participants (default: {PEOPLE})")
        add("--games", metavar="N", help=f"training games per participant (default: {GAMES})")
        add("--outcome", choices=list(OUTCOMES), help="outcome to analyse (default: cost)")
        add("--ruleset", choices=list(PLAYED), help=f"ruleset (default: {Trial().ruleset})")
        add("--arms", metavar="N", help="number of arms; the first has no coach (default: no arms)")
        add(
            "--effect",
            metavar="POINTS",
            help="difference between arms to detect, in points per game",
        )
        add("--baseline", metavar="N", help="number of games before the training (default: 0)")
        add("--training", metavar="N", help="training games per participant (the same as --games)")
        add("--test", metavar="N", help="number of games after the training (default: 0)")
        add(
            "--design",
            choices=Trial.Kind.values,
            help="between: one arm per person; within: all arms per person (default: between)",
        )
        add("--dropouts", metavar="SHARE", help="share of participants who drop out (default: 0)")
        for name, what in (
            ("between", "the means of people"),
            ("change", "the changes of people"),
            ("within", "the games of one person"),
        ):
            add(
                f"--{name}",
                metavar="SD",
                help=f"standard deviation of {what} (default: measured with bots)",
            )
        add(
            "--from-trials",
            action="store_true",
            help="take the standard deviations from closed trials",
        )
        add("--minutes", metavar="N", help="minutes per game (default: half a minute per turn)")
        add("--json", action="store_true", help="print JSON, for programs")

    def handle(self, *args: Any, **options: Any) -> None:
        games, training = options["games"], options["training"]
        if games and training and games != training:
            raise CommandError("--games and --training mean the same: use only one", returncode=2)
        form = plan_form(options | {"games": games or training})
        if not form.is_valid():
            problems = [
                f"{name}: {problem}" for name, all_of in form.errors.items() for problem in all_of
            ]
            raise CommandError("\n".join(problems), returncode=2)
        page = plan_page(form.cleaned_data)
        if options["json"]:
            self.stdout.write(json.dumps(page.facts()))
            return
        if page.plan is None:
            rows = [
                [f"{people} x {games}", others, these]
                for people, games, these, others in page.same_play
            ]
            heads = ["people x games", "people like these", "these people"]
            show_table("Half of a 95 % confidence interval, in points per game", heads, rows)
        self.stdout.write("\n".join(page.sentences))
