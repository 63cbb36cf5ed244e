"""./yatzy trial_rehearse --out DIR: let bots take part in a trial, and export everything."""

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.trials.design.phases import ArmSettings
from game.trials.design.reading import build_design
from game.trials.design.writing import delete_trial
from game.trials.exports.files import Export
from game.trials.management.commands.trial_create import add_settings, read_settings
from game.trials.management.commands.trial_export import (
    OUT,
    check_folder,
    find_trial,
    write_files,
)
from game.trials.models import MOST_PLACES
from game.trials.questions.reading import find_question_file, read_questions
from game.trials.rehearsal import COACHED, RehearsalFailed, create_rehearsal, rehearse
from game.trials.road.form import NAMES
from game.trials.road.screens import make_free_slug
from solver.advice import Advisor
from solver.cli.output import add_switch, show_progress
from solver.cli.players import add_count_option, make_number_parser
from solver.rules import PLAYED, find_ruleset


class Command(BaseCommand):
    help = (
        "Rehearse a trial: bots that make mistakes as people do take part through the web pages. "
        "The command exports all data and calculates the figures again. Exit "
        "status: 0 if all figures agree, 1 if not, 2 for wrong options or a missing value"
        " table."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--like", metavar="SLUG", help="use the settings and the consent text of this trial")
        add_settings(parser)
        share = make_number_parser(0, 1)
        text = f"share of errors that a bot avoids with a coach (default: {COACHED:g})"
        add("--effect", type=share, default=COACHED, metavar="SHARE", help=text)
        text = "additional bots that join by the open link, with external IDs (default: 0)"
        add_count_option(parser, "--recruit", 0, MOST_PLACES, text, default=0)
        text = "share of bots that drop out in the middle of a game (default: 0)"
        add("--dropouts", type=share, default=0.0, metavar="SHARE", help=text)
        add("--seed", type=int, default=1, help="seed of the bots' decisions (default: 1)")
        add_switch(parser, "--discard", "delete the trial at the end")
        add("--out", required=True, **OUT)

    def handle(self, *args: Any, **options: Any) -> None:
        out, quiet = options["out"], options["verbosity"] == 0
        check_folder(out)
        arms: Sequence[ArmSettings] = ()
        usual: dict[str, Any] = {"title": "Rehearsal", "slug": make_free_slug("rehearsal")}
        extra: dict[str, Any] = {}
        if slug := options["like"]:
            like = find_trial(slug)
            arms, file = build_design(like).arms, find_question_file(like)
            usual = {name: getattr(like, name) for name in NAMES} | {
                "questionnaire": like.questionnaire,
                "title": f"Rehearsal of {like.title}"[:120],
                "slug": make_free_slug(f"{slug[:30]}-rehearsal"),
                "consent": like.consents.latest("version").text,
            }
            extra = {"texts": like.texts, "questions": file.text if file else ""}
        if options["questions"]:
            extra["questions"] = read_questions(options["questions"])
        settings = read_settings(options, usual, arms) | extra
        advisor = Advisor.open(find_ruleset(settings["ruleset"], PLAYED))
        trial = create_rehearsal(**settings, recruit=options["recruit"])
        try:
            heading = f"{trial.places + options['recruit']} bots play"
            wanted = {name: options[name] for name in ("effect", "dropouts")}
            with show_progress(heading, quiet=quiet) as progress:
                summary = rehearse(trial, advisor, options["seed"], progress, **wanted)
            write_files(Export, trial, out, quiet=quiet)
        except BaseException as error:
            delete_trial(trial=trial)
            if isinstance(error, KeyboardInterrupt):
                raise CommandError("stopped: the trial was deleted", returncode=130) from None
            if isinstance(error, RehearsalFailed):
                raise CommandError(str(error)) from None
            raise
        self.stdout.write(summary)
        if options["discard"]:
            delete_trial(trial=trial)
        kept = "deleted" if options["discard"] else f"kept as {trial.slug}"
        self.stdout.write(
            self.style.SUCCESS(
                f"Every figure was rebuilt and agrees. The files are in {out}; the trial is {kept}."
            )
        )
