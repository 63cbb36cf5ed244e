"""Options for the design of a trial, which trial_create and trial_rehearse share."""

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from typing import Any

from django.core.management.base import CommandError

from game.models import Coach
from game.trials.design.arm_text import READERS, UnreadableArm, read_arms
from game.trials.design.phases import ArmSettings
from game.trials.models import Trial
from game.trials.road.form import RoadForm

NAMES = (
    *("title", "slug", "places", "games_each", "ruleset", "dice", "dice_places", "shared_dice"),
    *("round_table", "language", "resume", "coach_closed", "within"),
    *("games_before", "games_after", "games_follow_up", "follow_up_days"),
)
PHASES = {
    "before": "games_before",
    "after": "games_after",
    "follow_up": "games_follow_up",
    "follow_up_days": "follow_up_days",
}


def add_design_arguments(parser: ArgumentParser) -> None:
    group = parser.add_argument_group(
        "arms and phases",
        "Put commas between arms, + or ; between settings: --arms coach=off,coach=after+drill=no."
        f" Settings: {', '.join(READERS)}. Coach is one of {', '.join(Coach.values)}. Points are"
        " shown or hidden; drill and shared are yes or no. Without rules, dice, shared or games, an"
        " arm uses the trial's settings.",
    )
    group.add_argument(
        "--arms", metavar="LIST", help=("settings of each arm (default: one arm without a coach)")
    )
    group.add_argument(
        "--design",
        choices=Trial.Kind.values,
        help="compare arms between or within people (default: between)",
    )
    for name, games in (("before", "baseline"), ("after", "post-test"), ("follow-up", "follow-up")):
        text = f"number of {games} games without a coach (default: 0)"
        group.add_argument(f"--{name}", type=int, metavar="N", help=text)
    group.add_argument(
        "--follow-up-days",
        type=int,
        metavar="D",
        help="minimum number of days before the follow-up (default: 0)",
    )


def read_design(options: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: options[flag] for flag, name in PHASES.items()}
    given["within"] = options["design"] and options["design"] == Trial.Kind.WITHIN
    if options["arms"] is not None:
        try:
            given["arms"] = read_arms(options["arms"])
        except UnreadableArm as error:
            raise CommandError(f"arms: {error}", returncode=2) from None
    return {name: value for name, value in given.items() if value is not None}


def check_settings(settings: Mapping[str, Any], arms: Sequence[ArmSettings] = ()) -> dict[str, Any]:
    """Return the settings for ``trial_create``. Raise CommandError if a setting is wrong."""
    phases = dict.fromkeys(PHASES.values(), 0)
    form = RoadForm(NAMES, phases | dict(settings), arms=arms)
    if not form.is_valid():
        faults = [f"{name}: {error}" for name, errors in form.errors.items() for error in errors]
        raise CommandError("\n".join(faults), returncode=2)
    checked = {name: form.cleaned_data[name] for name in NAMES if name != "within"}
    within = form.cleaned_data["within"]
    others = {name: value for name, value in settings.items() if name not in NAMES}
    kind = Trial.Kind.WITHIN if within else Trial.Kind.BETWEEN
    return {**others, **checked, "design": kind.value, "arms": tuple(arms)}
