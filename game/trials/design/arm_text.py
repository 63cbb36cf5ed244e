"""How researchers write arms as text: one arm per line, or arms separated by commas.

    coach=off
    coach=after + points=hidden + games=20
    name=paper; coach=off; dice=real; drill=yes

An arm that sets no rules, dice, shared dice or games uses the trial's settings. An arm without a
name is named after its settings.
"""

import re
from collections.abc import Callable, Mapping

from game.models import Coach
from game.trials.design.phases import ArmSettings
from game.trials.models import Trial
from solver.rules import PLAYED

BETWEEN_ARMS = re.compile(r"[,\n]")
WITHIN_ARM = re.compile(r"[+;]")
LONGEST_NAME = 30
NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


class UnreadableArm(ValueError):
    """The error for an arm's text that cannot be parsed. It shows the text and valid values."""


def read_arms(text: str) -> tuple[ArmSettings, ...]:
    written, arms = [part.strip() for part in BETWEEN_ARMS.split(text)], []
    for number, line in enumerate(filter(None, written), start=1):
        settings: dict[str, object] = {}
        try:
            for part in WITHIN_ARM.split(line):
                key, equals, value = (piece.strip().lower() for piece in part.partition("="))
                if not equals or key not in READERS:
                    known = ", ".join(READERS)
                    raise ValueError(f"“{part.strip()}” is not SETTING=VALUE. Settings: {known}.")
                field, read = READERS[key]
                if field in settings:
                    raise ValueError(f"“{key}” is set twice.")
                settings[field] = read(value)
            settings.setdefault("name", make_arm_name(line))
            arms.append(ArmSettings(**settings))  # type: ignore[arg-type]
        except ValueError as error:
            raise UnreadableArm(f"Arm {number}, “{line}”: {error}") from None
    return tuple(arms)


def _make_choice_reader(meanings: Mapping[str, object]) -> Callable[[str], object]:
    def read(value: str) -> object:
        if value not in meanings:
            raise ValueError(f"“{value}” is not one of {', '.join(meanings)}.")
        return meanings[value]

    return read


def _read_games(value: str) -> object:
    if not value.isascii() or not value.isdecimal() or not 1 <= int(value[:5]) <= 1_000:
        raise ValueError(f"“{value}” is not a number of games from 1 to 1000.")
    return int(value)


def _read_name(value: str) -> object:
    if len(value) > LONGEST_NAME or not NAME.fullmatch(value):
        raise ValueError("A name has up to 30 small letters, digits and hyphens.")
    return value


READERS: Mapping[str, tuple[str, Callable[[str], object]]] = {
    "name": ("name", _read_name),
    "coach": ("coach", _make_choice_reader({name: name for name in Coach.values})),
    "points": ("offered_points", _make_choice_reader({"shown": True, "hidden": False})),
    "rules": ("ruleset", _make_choice_reader({name: name for name in PLAYED})),
    "dice": ("dice", _make_choice_reader({name: name for name in Trial.Dice.values})),
    "shared": ("shared_dice", _make_choice_reader({"yes": True, "no": False})),
    "games": ("games_each", _read_games),
    "drill": ("drill", _make_choice_reader({"yes": True, "no": False})),
}


def make_arm_name(text: str) -> str:
    """Return an arm's default name: ``after-points-hidden`` for ``coach=after+points=hidden``."""
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return words.removeprefix("coach-")[:LONGEST_NAME].rstrip("-")


def format_arm(arm: ArmSettings) -> str:
    line = format_settings(arm)
    return line if make_arm_name(line) == arm.name else f"name={arm.name} + {line}"


def format_settings(arm: ArmSettings) -> str:
    shared = "" if arm.shared_dice is None else "yes" if arm.shared_dice else "no"
    settings = {
        "coach": arm.coach,
        "points": "" if arm.offered_points else "hidden",
        "rules": arm.ruleset,
        "dice": arm.dice,
        "shared": shared,
        "games": "" if arm.games_each is None else str(arm.games_each),
        "drill": "yes" if arm.drill else "",
    }
    named = {key: value for key, value in settings.items() if value or key == "coach"}
    return " + ".join(f"{key}={value}" for key, value in named.items())
