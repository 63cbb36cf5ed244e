"""./yatzy trial_create: set up a trial and print the links of its participants."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from game.core.refusals import Refused
from game.core.words.labels import DICE_PLACES
from game.trials.design import consent
from game.trials.design.reading import make_trial_seal
from game.trials.design.writing import EMPTY, PRESETS, Preset, create_trial, open_trial
from game.trials.joining.answering import store_questions
from game.trials.joining.links import make_invitations
from game.trials.models import Trial
from game.trials.questions.reading import HELP, read_questions
from game.trials.road.form import add_design_arguments, check_settings, read_design
from solver.rules import PLAYED

USUAL: Mapping[str, object] = {
    "places": 6,
    "games_each": 50,
    "ruleset": Trial().ruleset,
    "dice": Trial.Dice.VIRTUAL.value,
    "round_table": False,
}
FLAGS = {
    "places": "participants",
    "games_each": "games",
    "ruleset": "ruleset",
    "dice": "dice",
    "dice_places": "dice_places",
    "round_table": "round_table",
}
FACTS: Mapping[str, str] = {
    "researcher": "name of the researcher",
    "contact": "contact address for questions",
    "ethics": "number of the ethics approval, or the reason why there is none",
    "minutes": f"expected duration in minutes (default: {consent.MINUTES_A_GAME} per game)",
    "age": "minimum age in years (default: 18)",
    "pay": "payment per participant (default: nothing)",
    "kept": "number of months for which data are stored (default: 12)",
    "law": "legal basis for storing data (default: your consent)",
}


def parse_months(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= consent.MOST_MONTHS:
        raise ArgumentTypeError(f"give a whole number of months from 1 to {consent.MOST_MONTHS}")
    return int(text)


class Command(BaseCommand):
    help = "Set up a trial, and print a personal link for each participant."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("slug", help="short name of the trial: lower-case letters, digits, hyphens")
        add("--title", help="title that participants see (default: the short name)")
        add(
            "--preset",
            choices=list(PRESETS),
            help="preset for all settings that you do not give (default: none)",
        )
        add("--participants", type=int, help=f"number of participants (default: {USUAL['places']})")
        add("--games", type=int, help=f"games per participant (default: {USUAL['games_each']})")
        add("--ruleset", choices=list(PLAYED), help=f"ruleset (default: {USUAL['ruleset']})")
        add("--dice", choices=Trial.Dice.values, help=f"kind of dice (default: {USUAL['dice']})")
        add(
            "--dice-places",
            choices=[places for places in DICE_PLACES if places],
            help="order in which dice are typed: odd-coloured die first, or each die at its place",
        )
        add(
            "--round-table",
            action="store_const",
            const=True,
            help="let participants who share a browser take turns",
        )
        add("--shared-dice", action="store_true", help="roll the same dice for all participants")
        add(
            "--language",
            default="",
            help="language of the pages: en, sv, nb, da, fi (default: any)",
        )
        add("--consent", type=Path, help="file with the consent text (default: the usual text)")
        for name, fact in FACTS.items():
            kind = parse_months if name == "kept" else str
            add(f"--{name}", type=kind, help=f"for the default consent text: {fact}")
        add("--no-questionnaire", action="store_true", help="leave out the standard questions")
        add("--questions", metavar="FILE", help=HELP)
        add(
            "--resume",
            choices=dict(Trial.RESUME),
            default="anywhere",
            help="where, or up to how many hours later, a participant can continue"
            " (default: anywhere)",
        )
        add(
            "--close-coach",
            action="store_true",
            help="close the coach for everyone on the site while the trial runs",
        )
        add_design_arguments(parser)
        add("--open", action="store_true", help="open the trial immediately")
        add(
            "--site",
            default="http://localhost:8000/",
            help="address of the site, for the printed links (default: %(default)s)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        design = read_design(options)
        preset = PRESETS.get(options["preset"], EMPTY)
        arms = design.pop("arms", preset.arms)
        settings = check_settings(_collect_settings(options, preset) | design, arms)
        if path := options["consent"]:
            try:
                settings["consent"] = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise CommandError(f"{path} cannot be read: {error}", returncode=2) from None
        else:
            columns = {name: value for name, value in settings.items() if name != "arms"}
            settings["consent"] = consent.format_trial_consent(Trial(**columns))
        questions = read_questions(options["questions"]) if options["questions"] else ""
        try:
            with transaction.atomic():  # store nothing if the trial cannot be opened
                trial = create_trial(**settings)
                store_questions(trial=trial, text=questions)
                if options["open"]:
                    trial = open_trial(trial=trial)
        except Refused as refusal:
            hint = "(set --researcher, --contact and --ethics, or your own text with --consent)"
            raise CommandError(f"{refusal.message} {hint}", returncode=2) from None
        state = "open" if options["open"] else "not opened yet"
        games = f"{trial.places} x {trial.games_planned} games of {trial.rules.title}"
        self.stdout.write(f"{trial.title}: {games}, {state}")
        arms = trial.arms.order_by("position")
        if arms:
            self.stdout.write(f"arms: {', '.join(arm.name for arm in arms)}")
            self.stdout.write(f"seal of the allocation list: {make_trial_seal(trial)}")
        for invitation in make_invitations(trial.participants.order_by("number"), options["site"]):
            self.stdout.write(f"{invitation.participant.label}\t{invitation.address}")


def _collect_settings(options: dict[str, Any], preset: Preset) -> dict[str, Any]:
    """Return each setting from the command line, else from the preset, else the default."""
    chosen = {name: options[flag] for name, flag in FLAGS.items() if options[flag] is not None}
    facts = {name: options[name] for name in FACTS if options[name]}
    usual = preset.settings if options["preset"] else {}
    return {
        **USUAL,
        **usual,
        **chosen,
        "slug": options["slug"],
        "title": options["title"] or options["slug"],
        "shared_dice": options["shared_dice"],
        "language": options["language"],
        "questionnaire": not options["no_questionnaire"],
        "resume": options["resume"],
        "coach_closed": options["close_coach"],
        "facts": {"pay": "nothing", **facts, "law_words": facts.pop("law", "")},
    }
