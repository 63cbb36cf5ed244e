"""./yatzy trial_plan: how sure a trial would be, before anybody plays in it."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from game.models import Trial
from game.trials.planning.facts import facts
from game.trials.planning.forms import GAMES, MAX_T, MULTIPLICITY, PEOPLE, plan_form
from game.trials.planning.page import PlanPage, planned
from game.trials.planning.simulation import SECONDS, Simulation, worked_out
from game.trials.planning.simulation_words import SimulationWords
from solver.cli.output import progress_bar, show_table
from solver.rules import PLAYED

EXPLAINED = """\
Half widths of 95 % ranges, in points a game, by what the trial asks:

  these         the mean of those who play, if they went on as they are
  like_these    the mean of the people they were drawn from
  two_arms      half of the people each: the difference of the arms' means
  before_after  half of the games each: the change within the same people
  gains         both at once: the difference of the arms' changes

Of the differences it tells the smallest that is found four times in five (at 5 %, two-sided), and
with --effect the power for one of that size and how many people it takes.

With --arms a trial of this very design is simulated: --baseline games, --games (or --training) of
training, --test games after them and --followup games later. The arms are drawn as in every trial,
people err and learn as bots do, some are screened out or stop, and what is left is analysed as
results are. Power, half width and false findings come with the error of the simulation itself. It
ends when that is small enough, or after --seconds; the same options with more seconds go on from
there.

How far people and games differ is taken from bots; with --from-trials from the
closed trials of this site, without rehearsals and coached people, where at least six people have
finished two games or more; --between, --within and --change put own figures (standard deviations)
in their place. An example: with --between 17.9 --within 6.5, 60 x 5 games tell +- 4.7 about people
like these, and 6 x 50, as much play, +- 18.8: few people leave few degrees of freedom, however much
they play.
"""


class Command(BaseCommand):
    help = "Estimate the precision and cost of a trial, given the number of people and games."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EXPLAINED
        return parser

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--people",
            default=PEOPLE,
            metavar="N",
            help=("number of people (default: %(default)s)"),
        )
        parser.add_argument("--games", metavar="N", help=f"games per person (default: {GAMES})")
        parser.add_argument(
            "--outcome",
            choices=("cost", "score"),
            default="cost",
            help=(
                "outcome: what decisions cost, as in the skill estimate, or scores (default: "
                "%(default)s)"
            ),
        )
        parser.add_argument(
            "--shared-dice", action="store_true", help=("same dice for all participants")
        )
        parser.add_argument("--ruleset", choices=list(PLAYED))
        parser.add_argument(
            "--effect", metavar="POINTS", help=("difference to detect, in points per game")
        )
        parser.add_argument("--minutes", metavar="N", help="minutes per game")
        parser.add_argument(
            "--between",
            metavar="SD",
            help=("standard deviation between people, in points per game"),
        )
        parser.add_argument(
            "--within",
            metavar="SD",
            help=("standard deviation between games of one person, in points"),
        )
        parser.add_argument(
            "--change", metavar="SD", help=("standard deviation of the change between people")
        )
        parser.add_argument(
            "--from-trials",
            action="store_true",
            help=("take the standard deviations from the closed trials on this site"),
        )
        _add_design(parser)
        parser.add_argument("--json", action="store_true", help="print JSON instead of tables")

    def handle(self, *args: Any, **options: Any) -> None:
        form = plan_form(options | {"games": _training(options)})
        if not form.is_valid():
            told = [f"{name}: {one}" for name, all_of in form.errors.items() for one in all_of]
            raise CommandError("\n".join(told), returncode=2)
        page = planned(form.cleaned_data)
        simulation = None
        if page.simulated:
            with progress_bar("trials", quiet=options["json"]) as progress:
                simulation = worked_out(page.simulated, form.cleaned_data["seconds"], progress)
        if options["json"]:
            self.stdout.write(json.dumps(facts(page, simulation)))
        else:
            self.show(page, simulation)

    def show(self, page: PlanPage, simulation: Simulation | None) -> None:
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
        simulated = SimulationWords(simulation).sentences if simulation else []
        self.stdout.write("\n".join([*page.sentences, *simulated, *page.origin]))


def _add_design(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("simulated", "A trial of these arms and phases.")
    group.add_argument(
        "--arms", metavar="K", help=("number of arms; the first has no coach, the others have one")
    )
    group.add_argument("--design", choices=Trial.Kind.values, default=Trial.Kind.BETWEEN.value)
    group.add_argument(
        "--baseline", metavar="N", help=("baseline games before the training (default: 0)")
    )
    group.add_argument("--training", metavar="N", help="same as --games")
    group.add_argument(
        "--test", metavar="N", help=("post-test games after the training (default: 0)")
    )
    group.add_argument("--followup", metavar="N", help="follow-up games (default: 0)")
    group.add_argument(
        "--screened",
        metavar="SHARE",
        help=("share of people screened out, such as 0.1 (default: 0)"),
    )
    group.add_argument(
        "--dropouts", metavar="SHARE", help=("share of people who drop out (default: 0)")
    )
    group.add_argument(
        "--weak-leave", action="store_true", help="weaker players drop out more often"
    )
    group.add_argument(
        "--multiplicity",
        choices=list(MULTIPLICITY),
        default=MAX_T,
        help="correction for several comparisons (default: %(default)s)",
    )
    group.add_argument(
        "--seconds",
        default=SECONDS,
        metavar="N",
        help=("maximum seconds of calculation (default: %(default)s)"),
    )


def _training(options: dict[str, Any]) -> Any:
    """Return the games of each, whichever of its two names was used."""
    games, training = options["games"], options["training"]
    if games and training and games != training:
        raise CommandError("--games and --training are the same: give one", returncode=2)
    return games or training
