"""The options of a trial's design, which two commands have in common."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from game.models import Coach, Trial
from game.trials.design.arm_text import READERS
from game.trials.design.design_form import DesignForm, both_valid
from game.trials.design.forms import TrialForm

FLAGS = {
    "arms": "arms",
    "design": "design",
    "before": "games_before",
    "after": "games_after",
    "follow_up": "games_follow_up",
    "follow_up_days": "follow_up_days",
    "stratify": "stratify_by",
}


def add_design_arguments(parser: ArgumentParser) -> None:
    group = parser.add_argument_group(
        "arms and phases",
        "Arms are separated by commas, the settings of an arm by + or ;:"
        f" --arms coach=off,coach=after+points=hidden. Settings: {', '.join(READERS)};"
        f" coach is one of {', '.join(Coach.values)}; points shown or hidden; rules, dice, shared"
        " (yes, no) and games are the trial's where nothing is said; drill yes or no.",
    )
    group.add_argument(
        "--arms", metavar="LIST", help=("what each arm does (default: one arm without a coach)")
    )
    group.add_argument("--design", choices=Trial.Kind.values, help="design (default: between)")
    group.add_argument(
        "--before", type=int, metavar="N", help=("baseline games without a coach (default: 0)")
    )
    group.add_argument(
        "--after", type=int, metavar="N", help=("post-test games without a coach (default: 0)")
    )
    group.add_argument(
        "--follow-up", type=int, metavar="N", help=("follow-up games without a coach (default: 0)")
    )
    group.add_argument(
        "--follow-up-days",
        type=int,
        metavar="D",
        help=("minimum days until the follow-up (default: 0)"),
    )
    group.add_argument(
        "--stratify",
        metavar="QUESTION",
        help=("question whose answers get separate blocks: experience"),
    )


def design_data(options: dict[str, Any]) -> dict[str, Any]:
    asked = {field: options[flag] for flag, field in FLAGS.items()}
    return {field: value for field, value in asked.items() if value is not None}


def checked_settings(settings: dict[str, Any], design: dict[str, Any]) -> dict[str, Any]:
    """Return the settings for the services; raise CommandError if they are wrong."""
    form, more = TrialForm(settings), DesignForm(design)
    if both_valid(form, more):
        return {**form.cleaned_data, **more.cleaned_data}
    raise CommandError("\n".join([*_problems(form), *_problems(more)]), returncode=2)


def _problems(form: TrialForm | DesignForm) -> list[str]:
    return [f"{name}: {problem}" for name, found in form.errors.items() for problem in found]
