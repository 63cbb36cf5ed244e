"""manage.py trial_plan: how sure a trial would be, before anybody plays in it."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from game.trials.planning.facts import facts
from game.trials.planning.forms import GAMES, PEOPLE, plan_form
from game.trials.planning.page import PlanPage, plan_page
from solver.cli.output import show_table
from solver.rules import RULESETS

EXPLAINED = """\
Half widths of 95 % ranges, in points a game, by what the trial asks:

  these         the mean of those who play, if they went on as they are
  like_these    the mean of the people they were drawn from
  two_arms      half of the people each: the difference of the arms' means
  before_after  half of the games each: the change within the same people
  gains         both at once: the difference of the arms' changes

Of the differences it tells the smallest that is found four times in five (at 5 %, two-sided), and
with --effect the power for one of that size and how many people it takes.

How far people and games differ is taken from the closed trials of this site, without rehearsals,
where at least six people have finished two games or more; else from bots (trial_spread), which it
says; --between, --within and --change put own figures (standard deviations) in their place. An
example: with --between 17.9 --within 6.5, 60 x 5 games tell +- 4.7 about people like these, and
6 x 50, as much play, +- 18.8: few people leave few degrees of freedom, however much they play.
"""


class Command(BaseCommand):
    help = "Tell how sure a trial of so many people with so many games would be, and what it costs."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EXPLAINED
        return parser

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--people", default=PEOPLE, metavar="N", help="(%(default)s)")
        parser.add_argument("--games", default=GAMES, metavar="N", help="of each (%(default)s)")
        parser.add_argument(
            "--outcome",
            choices=("cost", "score"),
            default="cost",
            help="what is measured: what decisions cost, as the skill estimate does, or scores"
            " (%(default)s)",
        )
        parser.add_argument("--shared-dice", action="store_true", help="the same for everyone")
        parser.add_argument("--ruleset", choices=list(RULESETS))
        parser.add_argument("--effect", metavar="POINTS", help="a difference to be found")
        parser.add_argument("--minutes", metavar="N", help="that a game takes")
        parser.add_argument("--between", metavar="SD", help="how far people differ")
        parser.add_argument("--within", metavar="SD", help="how far games of one person differ")
        parser.add_argument("--change", metavar="SD", help="how differently people change")
        parser.add_argument("--json", action="store_true", help="print JSON instead of tables")

    def handle(self, *args: Any, **options: Any) -> None:
        form = plan_form(options)
        if not form.is_valid():
            told = [f"{name}: {one}" for name, all_of in form.errors.items() for one in all_of]
            raise CommandError("\n".join(told), returncode=2)
        page = plan_page(**form.cleaned_data)
        if options["json"]:
            self.stdout.write(json.dumps(facts(page)))
        else:
            self.show(page)

    def show(self, page: PlanPage) -> None:
        effect = page.effect is not None
        rows = [
            [one.name, one.half, one.smallest] + ([one.power, one.needed] if effect else [])
            for one in page.lines
        ]
        asked = ["power", "people for 80 %"] if effect else []
        show_table(
            "95 % ranges, in points a game",
            ["", "half width", "smallest difference found", *asked],
            rows,
        )
        beside = [
            [f"{one.people} x {one.games}", *(half for _name, half in one.halves)]
            for one in page.same_play
        ]
        show_table("As much play otherwise", ["people x games", *page.headings], beside)
        self.stdout.write("\n".join([*page.sentences, *page.origin]))
