"""./yatzy trial_rehearse --out DIR: let bots take part in a trial, and export everything."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from game.trials.design.consent import format_trial_consent
from game.trials.design.reading import build_design
from game.trials.design.writing import delete_trial
from game.trials.exports.pages import (
    add_bundle_arguments,
    check_folder,
    parse_formats,
    write_bundle,
)
from game.trials.models import MOST_PLACES, Trial
from game.trials.questions.reading import HELP, find_question_file, read_questions
from game.trials.rehearsal import COACHED, RehearsalFailed, create_rehearsal, rehearse
from game.trials.road.form import NAMES, add_design_arguments, check_settings, read_design
from game.trials.road.screens import make_free_slug
from solver.advice import Advisor
from solver.cli.output import show_progress
from solver.rules import PLAYED, find_ruleset

USUAL: dict[str, Any] = {
    "title": "Rehearsal",
    "places": 6,
    "games_each": 50,
    "ruleset": Trial().ruleset,
    "dice": Trial.Dice.VIRTUAL,
    "resume": Trial.Resume.ANYWHERE,
    "questionnaire": True,
}


class Command(BaseCommand):
    help = (
        "Rehearse a trial: bots that make mistakes as people do take part through the web pages. "
        "The command exports all data and, with CSV, calculates the figures again. Exit "
        "status: 0 if all figures agree, 1 if not, 2 for wrong options or a missing value"
        " table."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--participants", type=int, help="number of bots (default: 6)")
        add("--games", type=int, help="games per bot (default: 50)")
        add("--ruleset", choices=list(PLAYED), help=f"ruleset (default: {USUAL['ruleset']})")
        add("--dice", choices=Trial.Dice.values, help="kind of dice (default: virtual)")
        add("--shared-dice", action="store_true", default=None, help="give all bots the same dice")
        add("--like", metavar="SLUG", help="use the settings and the consent text of this trial")
        add_design_arguments(parser)
        add(
            "--effect",
            type=_parse_share,
            default=COACHED,
            help=f"share of errors that a bot avoids with a coach (default: {COACHED:g})",
        )
        add(
            "--recruit",
            type=_parse_places,
            default=0,
            metavar="N",
            help="additional bots that join by the open link, with external IDs (default: 0)",
        )
        add(
            "--dropouts",
            type=_parse_share,
            default=0.0,
            metavar="SHARE",
            help="share of bots that drop out in the middle of a game (default: 0)",
        )
        add("--questions", metavar="FILE", help=HELP)
        add("--seed", type=int, default=1, help="seed of the bots' decisions (default: 1)")
        add("--discard", action="store_true", help="delete the trial at the end")
        add_bundle_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        out, quiet = options["out"], options["verbosity"] == 0
        formats = parse_formats(options["formats"])
        check_folder(out, force=options["force"])
        like = Trial.objects.filter(slug=options["like"]).first() if options["like"] else None
        if options["like"] and like is None:
            raise CommandError(f"there is no trial {options['like']!r}", returncode=2)
        settings = _collect_settings(options, like)
        settings["texts"] = like.texts if like else {}
        if options["questions"]:
            settings["questions"] = read_questions(options["questions"])
        else:
            file = find_question_file(like) if like else None
            settings["questions"] = file.text if file else ""
        advisor = Advisor.open(find_ruleset(settings["ruleset"], PLAYED))
        trial = create_rehearsal(**settings, recruit=options["recruit"])
        try:
            heading = f"{trial.places + options['recruit']} bots play"
            wanted = {name: options[name] for name in ("effect", "dropouts")}
            with show_progress(heading, quiet=quiet) as progress:
                summary = rehearse(trial, advisor, options["seed"], progress, **wanted)
            write_bundle(trial, out, formats, quiet=quiet)
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
        again = "Every figure was rebuilt and agrees. " if "csv" in formats else ""
        kept = "deleted" if options["discard"] else f"kept as {trial.slug}"
        self.stdout.write(
            self.style.SUCCESS(f"{again}The files are in {out}; the trial is {kept}.")
        )


def _parse_share(text: str) -> float:
    share = float(text)
    if not 0 <= share <= 1:
        raise ValueError(text)
    return share


def _parse_places(text: str) -> int:
    places = int(text)
    if not 0 <= places <= MOST_PLACES:
        raise ValueError(text)
    return places


def _collect_settings(options: dict[str, Any], trial: Trial | None) -> dict[str, Any]:
    """Return the settings of a given trial or the defaults, changed by the command's options."""
    like, arms = dict(USUAL), build_design(trial).arms if trial else ()
    stem = f"{options['like'][:30]}-rehearsal" if trial else "rehearsal"
    if trial:
        like = {name: getattr(trial, name) for name in NAMES if name != "title"}
        like |= {"questionnaire": trial.questionnaire, "title": f"Rehearsal of {trial.title}"[:120]}
    wanted = {
        "places": options["participants"],
        "games_each": options["games"],
        "ruleset": options["ruleset"],
        "dice": options["dice"],
        "shared_dice": options["shared_dice"],
        "slug": make_free_slug(stem),
        **read_design(options),
    }
    wanted = {name: value for name, value in wanted.items() if value is not None}
    arms = wanted.pop("arms", arms)
    settings = check_settings({**like, **wanted}, arms)
    text = trial.consents.latest("version").text if trial else ""
    usual = {name: value for name, value in settings.items() if name != "arms"}
    return settings | {"consent": text or format_trial_consent(Trial(**usual))}
