"""Example requests to copy, with this server's answers, for the API's page."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from game.api.api_answers import answer_question, judge_record
from game.api.api_refusals import NoValues
from game.api.parsing import parse_question, parse_record

ONE: dict[str, Any] = {
    "filled": ["ones", "twos"],
    "upper": 9,
    "dice": [1, 1, 2, 2, 5],
    "rolls_left": 2,
    "top": 2,
}
MANY: dict[str, Any] = {
    "positions": [
        {"dice": [5, 5, 1, 6, 6], "rolls_left": 2},
        {"filled": ["yatzy", "chance"], "dice": [3, 3, 3, 2, 2], "rolls_left": 0},
    ],
    "top": 1,
}
JOKER: dict[str, Any] = {
    "ruleset": "yahtzee",
    "filled": ["yahtzee", "fours"],
    "upper": 12,
    "chips_won": True,
    "dice": [4, 4, 4, 4, 4],
    "rolls_left": 0,
    "top": 3,
}
CHIPS: dict[str, Any] = {
    "ruleset": "yahtzee",
    "turns": [
        {"throws": [[6, 6, 6, 6, 6]], "category": "yahtzee"},
        {
            "throws": [[5, 6, 6, 6, 6], [6, 6, 6, 6, 6]],
            "holds": [[6, 6, 6, 6]],
            "category": "sixes",
        },
    ],
}
GAME: dict[str, Any] = {
    "turns": [
        {
            "throws": [[1, 3, 3, 5, 6], [3, 3, 2, 2, 6], [2, 2, 3, 3, 3]],
            "holds": [[3, 3], [2, 2, 3, 3]],
            "category": "full_house",
        },
        {"throws": [[1, 2, 3, 4, 5]], "category": "small_straight"},
    ]
}


@dataclass(frozen=True, slots=True)
class Example:
    title: str | Promise
    text: str | Promise
    name: str  # the URL name in game/urls.py
    body: Mapping[str, Any]

    @property
    def path(self) -> str:
        return reverse(self.name)

    def curl(self, origin: str) -> str:
        return (
            f"curl {origin}{self.path} \\\n"
            f"  -H 'Content-Type: application/json' \\\n"
            f"  -d '{json.dumps(self.body)}'"
        )

    def answer(self) -> dict[str, Any]:
        if self.name == "api_ledger":
            return judge_record(*parse_record(self.body))
        return answer_question(parse_question(self.body))


EXAMPLES = (
    Example(
        _("Advice on one position"),
        _(
            "You must send the fields dice and rolls_left. Any other field that you leave out has "
            "the value of a new game. The answer lists the options, best first. The field top "
            "limits their number (default: all)."
        ),
        "api_advise",
        ONE,
    ),
    Example(
        _("Advice on many positions"),
        _(
            "You can send up to 1,000 positions per request. You get the answers in the same "
            "order, much faster than with single requests."
        ),
        "api_advise",
        MANY,
    ),
    Example(
        _("Another ruleset"),
        _(
            "These dice are a joker. Fours is filled, so you must score in a lower box. You also "
            "win a bonus chip, because you have scored points in the Yahtzee box."
        ),
        "api_advise",
        JOKER,
    ),
    Example(
        _("The ledger of a game"),
        _(
            "For every turn, send the dice of each roll in their order, the held dice and the "
            "box. You get the luck and regret of each decision. The game may be unfinished."
        ),
        "api_ledger",
        GAME,
    ),
)


@dataclass(frozen=True, slots=True)
class ExampleShown:
    example: Example
    curl: str
    answer: str  # empty if the server has no value table


def list_examples(origin: str) -> list[ExampleShown]:
    shown = []
    for example in EXAMPLES:
        answer = ""
        with suppress(NoValues):
            answer = format_json(example.answer())
        shown.append(ExampleShown(example, example.curl(origin), answer))
    return shown


def format_json(value: Any, depth: int = 0) -> str:
    """Format a value as JSON: indent the two outer levels, and write deeper levels on one line."""
    if not isinstance(value, dict | list) or not value or depth > 1:
        return json.dumps(value)
    indent = "  " * (depth + 1)
    if isinstance(value, dict):
        parts = [
            f"{json.dumps(key)}: {format_json(each, depth + 1)}" for key, each in value.items()
        ]
        left, right = "{}"
    else:
        parts = [format_json(each, depth + 1) for each in value]
        left, right = "[]"
    lines = ",\n".join(indent + part for part in parts)
    return f"{left}\n{lines}\n{'  ' * depth}{right}"
