"""Random play of the smaller game in two readings, each beside the optimum of its game."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from game.words import labels, phrases

READINGS: Mapping[str, Promise] = MappingProxyType(
    {
        "sets": gettext_lazy("By sets"),
        "coins": gettext_lazy("By coins"),
    }
)


@dataclass(frozen=True, slots=True)
class RandomLine:
    """Of a reading, or of what was published, which has no optimum."""

    name: str
    turns: str
    points: str
    fewest_turns: str = ""
    most_points: str = ""


@dataclass(frozen=True, slots=True)
class RandomGame:
    name: str
    lines: tuple[RandomLine, ...]


def random_games(facts: Mapping[str, Any]) -> list[RandomGame]:
    return [RandomGame(_boxes(game["boxes"]), tuple(_lines(game))) for game in facts["random play"]]


def _boxes(boxes: list[str]) -> str:
    return str(labels.CATEGORIES[boxes[0]]) if len(boxes) == 1 else _("All four boxes")


def _lines(game: Mapping[str, Any]) -> Iterator[RandomLine]:
    if game["measured"]:
        yield RandomLine(_("Published"), *_two(game["measured"], 0))
    for name, reading in READINGS.items():
        read = game[name]
        most, fewest = read["most_points"]["points"], read["fewest_turns"]["turns"]
        best = (phrases.points(figure, 2) for figure in (fewest, most))
        yield RandomLine(str(reading), *_two(read["random"], 2), *best)


def _two(facts: Mapping[str, float], digits: int) -> tuple[str, str]:
    return phrases.points(facts["turns"], digits), phrases.points(facts["points"], digits)
