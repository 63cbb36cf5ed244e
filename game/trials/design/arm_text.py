"""The text in which researchers write arms: one arm per line, or arms separated by commas.

    coach=off
    coach=after + points=hidden + games=20
    name=paper; coach=off; dice=real; drill=yes

An arm that sets no rules, dice, shared dice or games uses the trial's settings. An arm without a
name is named after its settings.
"""

import re
from collections.abc import Mapping
from typing import Any

from game.models import Coach
from game.trials.design.phases import ArmSettings
from game.trials.models import MOST_GAMES, Trial
from solver.rules import PLAYED

BETWEEN_ARMS = re.compile(r"[,\n]")
WITHIN_ARM = re.compile(r"[+;]")
LONGEST_NAME = 30
NAME = re.compile(r"^[a-z0-9][a-z0-9-]*\Z")
# The field of an arm and the value of each word, by the setting's name.
SETTINGS: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "coach": ("coach", {name: name for name in Coach.values}),
    "points": ("offered_points", {"shown": True, "hidden": False}),
    "rules": ("ruleset", {name: name for name in PLAYED}),
    "dice": ("dice", {name: name for name in Trial.Dice.values}),
    "shared": ("shared_dice", {"yes": True, "no": False}),
    "games": ("games_each", {str(games): games for games in range(1, MOST_GAMES + 1)}),
    "drill": ("drill", {"yes": True, "no": False}),
}
KEYS = ", ".join(["name", *SETTINGS])


class UnreadableArm(ValueError):
    """The error for an arm's text that cannot be parsed. It shows the text and valid values."""


def read_arms(text: str) -> tuple[ArmSettings, ...]:
    arms: list[ArmSettings] = []
    for line in filter(None, (part.strip() for part in BETWEEN_ARMS.split(text))):
        place = f"Arm {len(arms) + 1}, “{line}”:"
        settings: dict[str, Any] = {}
        for part in WITHIN_ARM.split(line):
            key, _equals, value = (piece.strip().lower() for piece in part.partition("="))
            field, meanings = SETTINGS.get(key, (key, {}))
            valid = f"one of {', '.join(meanings)}"
            if key == "games":
                valid = f"a number of games from 1 to {MOST_GAMES}"
            if key == "name":
                valid = f"a name with up to {LONGEST_NAME} small letters, digits and hyphens"
                fits = NAME.match(value) and len(value) <= LONGEST_NAME
                meanings = {value: value} if fits else {}
            elif not meanings:
                wrong = f"“{part.strip()}” is not SETTING=VALUE"
                raise UnreadableArm(f"{place} {wrong}. Settings: {KEYS}.")
            if field in settings:
                raise UnreadableArm(f"{place} “{key}” is set twice.")
            if value not in meanings:
                raise UnreadableArm(f"{place} “{value}” is not {valid}.")
            settings[field] = meanings[value]
        arms.append(ArmSettings(**{"name": make_arm_name(line)} | settings))
    return tuple(arms)


def make_arm_name(text: str) -> str:
    """Return an arm's default name: ``after-points-hidden`` for ``coach=after+points=hidden``."""
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return words.removeprefix("coach-")[:LONGEST_NAME].rstrip("-")


def format_arm(arm: ArmSettings) -> str:
    line = format_settings(arm)
    return line if make_arm_name(line) == arm.name else f"name={arm.name} + {line}"


def format_settings(arm: ArmSettings) -> str:
    usual, settings = ArmSettings("", coach=""), []
    for key, (field, meanings) in SETTINGS.items():
        value = getattr(arm, field)
        if value != getattr(usual, field):
            words = {meaning: word for word, meaning in meanings.items()}
            settings.append(f"{key}={words.get(value, value)}")
    return " + ".join(settings)
