"""Arms as text, as researchers write them: one arm per line, or separated by commas.

    coach=off
    coach=after + points=hidden + games=20
    name=paper; coach=off; dice=real; drill=yes

A setting that is left out is the trial's. An arm without a name is named after its settings.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from game.models import Coach, Trial
from game.trials.design.phases import ArmSettings
from solver.rules import PLAYED

BETWEEN_ARMS = re.compile(r"[,\n]")
WITHIN_ARM = re.compile(r"[+;]")
LONGEST_NAME = 30
NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


class UnreadableArm(ValueError):
    """The error for an arm that cannot be read; its message names the arm and valid values."""


def read_arms(text: str) -> tuple[ArmSettings, ...]:
    written = [part.strip() for part in BETWEEN_ARMS.split(text)]
    return tuple(_arm(number, part) for number, part in enumerate(filter(None, written), start=1))


def _arm(number: int, text: str) -> ArmSettings:
    try:
        settings = dict(_settings(text))
        settings.setdefault("name", name_of(text))
        return ArmSettings(**settings)  # type: ignore[arg-type]
    except ValueError as error:
        facts = {"number": number, "text": text, "problem": error}
        raise UnreadableArm("Arm {number}, “{text}”: {problem}".format(**facts)) from None


def _settings(text: str) -> Iterator[tuple[str, object]]:
    seen = set()
    for part in WITHIN_ARM.split(text):
        key, equals, value = (piece.strip().lower() for piece in part.partition("="))
        if not equals or key not in READERS:
            facts = {"part": part.strip(), "keys": ", ".join(READERS)}
            raise ValueError("“{part}” is not SETTING=VALUE. Settings: {keys}.".format(**facts))
        if key in seen:
            raise ValueError(f"“{key}” is set twice.")
        seen.add(key)
        field, read = READERS[key]
        yield field, read(value)


def _reader_of_choice(meanings: Mapping[str, object]) -> Callable[[str], object]:
    def read(value: str) -> object:
        if value not in meanings:
            facts = {"value": value, "values": ", ".join(meanings)}
            raise ValueError("“{value}” is not one of {values}.".format(**facts))
        return meanings[value]

    return read


def _map_to_itself(values: Sequence[str]) -> dict[str, object]:
    return {value: value for value in values}


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
    "coach": ("coach", _reader_of_choice(_map_to_itself(Coach.values))),
    "points": ("offered_points", _reader_of_choice({"shown": True, "hidden": False})),
    "rules": ("ruleset", _reader_of_choice(_map_to_itself(list(PLAYED)))),
    "dice": ("dice", _reader_of_choice(_map_to_itself(Trial.Dice.values))),
    "shared": ("shared_dice", _reader_of_choice({"yes": True, "no": False})),
    "games": ("games_each", _read_games),
    "drill": ("drill", _reader_of_choice({"yes": True, "no": False})),
}


def name_of(text: str) -> str:
    """Return the usual name of an arm: ``coach=after+points=hidden`` is ``after-points-hidden``."""
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return words.removeprefix("coach-")[:LONGEST_NAME].rstrip("-")


def format_arm(arm: ArmSettings) -> str:
    line = settings_text(arm)
    return line if name_of(line) == arm.name else f"name={arm.name} + {line}"


def settings_text(arm: ArmSettings) -> str:
    return " + ".join(f"{key}={value}" for key, value in _differences(arm))


def _differences(arm: ArmSettings) -> Iterator[tuple[str, str]]:
    yield "coach", arm.coach
    if not arm.offered_points:
        yield "points", "hidden"
    if arm.ruleset:
        yield "rules", arm.ruleset
    if arm.dice:
        yield "dice", arm.dice
    if arm.shared_dice is not None:
        yield "shared", "yes" if arm.shared_dice else "no"
    if arm.games_each is not None:
        yield "games", str(arm.games_each)
    if arm.drill:
        yield "drill", "yes"
