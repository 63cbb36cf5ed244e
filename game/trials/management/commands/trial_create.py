"""./yatzy trial_create: set up a trial and print the links of its participants."""

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from game.core.refusals import Refused
from game.core.words.labels import DICE_PLACES
from game.trials.design import consent
from game.trials.design.phases import ArmSettings
from game.trials.design.reading import make_trial_seal
from game.trials.design.writing import PRESETS, create_trial, open_trial
from game.trials.joining.answering import store_questions
from game.trials.joining.links import make_invitations
from game.trials.models import Trial
from game.trials.questions.reading import HELP, read_questions
from game.trials.road.form import add_design_arguments, check_settings, read_design
from solver.cli.output import add_switch
from solver.cli.players import make_whole_parser
from solver.rules import PLAYED

USUAL: Mapping[str, Any] = {
    "places": 6,
    "games_each": 50,
    "ruleset": Trial().ruleset,
    "dice": Trial.Dice.VIRTUAL.value,
    "resume": Trial.Resume.ANYWHERE.value,
    "questionnaire": True,
}
SETTINGS = (
    *("places", "games_each", "ruleset", "dice", "dice_places", "shared_dice", "round_table"),
    *("language", "questionnaire", "resume", "coach_closed"),
)
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


def add_settings(parser: ArgumentParser) -> None:
    """Add the options that trials and rehearsals share."""
    add, places, games = parser.add_argument, USUAL["places"], USUAL["games_each"]
    text = f"number of participants (default: {places})"
    add("--participants", dest="places", type=int, metavar="N", help=text)
    text = f"games per participant (default: {games})"
    add("--games", dest="games_each", type=int, metavar="N", help=text)
    add("--ruleset", choices=list(PLAYED), help=f"ruleset (default: {USUAL['ruleset']})")
    add("--dice", choices=Trial.Dice.values, help=f"kind of dice (default: {USUAL['dice']})")
    text = "roll the same dice for all participants"
    add("--shared-dice", action="store_true", default=None, help=text)
    add("--questions", metavar="FILE", help=HELP)
    add_design_arguments(parser)


def read_settings(
    options: Mapping[str, Any], usual: Mapping[str, Any], arms: Sequence[ArmSettings]
) -> dict[str, Any]:
    """Return each setting from the options, else from ``usual``, else the default. Without a
    consent text, write the default text."""
    chosen = {name: options[name] for name in SETTINGS if options.get(name) is not None}
    design = read_design(options)
    arms = design.pop("arms", arms)
    settings = check_settings({**USUAL, **usual, **chosen, **design}, arms)
    if "consent" not in settings:
        columns = {name: value for name, value in settings.items() if name != "arms"}
        settings["consent"] = consent.format_trial_consent(Trial(**columns))
    return settings


class Command(BaseCommand):
    help = "Set up a trial, and print a personal link for each participant."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("slug", help="short name of the trial: lower-case letters, digits, hyphens")
        add("--title", help="title that participants see (default: the short name)")
        text = "preset for all settings that you do not give (default: none)"
        add("--preset", choices=list(PRESETS), help=text)
        add_settings(parser)
        text = "order in which dice are typed: odd-coloured die first, or each die at its place"
        add("--dice-places", choices=list(filter(None, DICE_PLACES)), help=text)
        text = "let participants who share a browser take turns"
        add("--round-table", action="store_true", default=None, help=text)
        add("--language", help="language of the pages: en, sv, nb, da, fi (default: any)")
        add("--consent", type=Path, help="file with the consent text (default: the usual text)")
        for name, fact in FACTS.items():
            kind = make_whole_parser(1, consent.MOST_MONTHS) if name == "kept" else str
            add(f"--{name}", type=kind, help=f"for the default consent text: {fact}")
        text = "leave out the standard questions"
        add(
            "--no-questionnaire",
            dest="questionnaire",
            action="store_false",
            default=None,
            help=text,
        )
        text = "where, or up to how many hours later, a participant can continue"
        resume = f"{text} (default: {USUAL['resume']})"
        add("--resume", choices=dict(Trial.RESUME), help=resume)
        text = "close the coach for everyone on the site while the trial runs"
        add("--close-coach", dest="coach_closed", action="store_true", default=None, help=text)
        add_switch(parser, "--open", "open the trial immediately")
        text = "address of the site, for the printed links (default: %(default)s)"
        add("--site", default="http://localhost:8000/", help=text)

    def handle(self, *args: Any, **options: Any) -> None:
        preset = PRESETS.get(options["preset"])
        facts = {name: options[name] for name in FACTS if options[name]}
        usual = {
            **(preset.settings if preset else {}),
            "slug": options["slug"],
            "title": options["title"] or options["slug"],
            "facts": {"pay": "nothing", **facts, "law_words": facts.pop("law", "")},
        }
        if path := options["consent"]:
            try:
                usual["consent"] = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise CommandError(f"{path} cannot be read: {error}", returncode=2) from None
        settings = read_settings(options, usual, preset.arms if preset else ())
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
