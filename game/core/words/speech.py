"""Reads ``coach.json``, the one source of the coach's sentences; in browsers, ``coach_says.js``
reads the file.

``texts`` are texts by name; a pair is singular and plural. A sentence has one text per tense ("any"
is for all tenses); "with" has a format for each placeholder. ``rules`` are groups: the first rule
whose conditions are all true gives the texts of its group. "@group" stands for another group, "=box
fact" for a formatted fact. A condition is "fact", "not fact", "fact < other", or "new fact fact":
the printed numbers differ from each other and from the numbers that the page already shows.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from operator import attrgetter, eq, ge, gt, lt
from pathlib import Path
from typing import Any

from django.utils.translation import gettext, ngettext

from solver.advice.aims import ALWAYS, MOST, WORTH_TRYING
from solver.dp.space import TIE

TABLE: dict[str, Any] = json.loads(Path(__file__).with_name("coach.json").read_text("utf-8"))
LIMITS: dict[str, float] = TABLE["limits"]
LIMITS |= {"tie": TIE, "always": ALWAYS, "most": MOST, "worth_trying": WORTH_TRYING}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {"=": eq, "<": lt, ">": gt, ">=": ge}
Text = str | list[str]


def say(name: str, number: int = 1, /, **values: object) -> str:
    """Return a text of ``coach.json``; ``number`` selects singular or plural."""
    text = TABLE["texts"][name]
    return _translate_text(text["any"] if isinstance(text, dict) else text, number) % values


def describe_odds(chance: float) -> str:
    """Describe a chance: a fixed text if it is small, else the nearest simple fraction."""
    for below, name in TABLE["odds"]["below"]:
        if chance < below:
            return say(name)
    times, among = min(TABLE["odds"]["near"], key=lambda near: abs(near[0] / near[1] - chance))
    return say("odds", times=times, among=among)


def map_texts(read: Callable[[Text], Any]) -> dict[str, Any]:
    texts = {
        name: {key: part if key in {"with", "count"} else read(part) for key, part in text.items()}
        if isinstance(text, dict)
        else read(text)
        for name, text in TABLE["texts"].items()
    }
    return TABLE | {"texts": texts}


def translate_both_numbers(text: Text) -> Text:
    """Translate a text; a pair of texts becomes [singular, plural]."""
    return gettext(text) if isinstance(text, str) else [_translate_text(text, n) for n in (1, 2)]


def _translate_text(text: Text, number: int) -> str:
    return gettext(text) if isinstance(text, str) else ngettext(text[0], text[1], number)


# ---- The rules are compiled once: a condition becomes a function of facts and a number format ----

Read = Callable[[Any], Any]
Holds = Callable[[Any, Read], bool]


@cache
def _make_reader(name: str) -> Read:
    """Return a function that reads an object's fact by this dotted name. The function returns None
    if an attribute before the last one is None."""
    parts = name.split(".")

    def walk(value: Any) -> Any:
        for part in parts:
            if value is None or part == "length":
                return None if value is None else len(value)
            value = value[int(part)] if part.isdigit() else getattr(value, part)
        return value

    return walk if len(parts) > 1 else attrgetter(name)


def _compile_condition(text: str) -> Holds:
    first, *others = text.split()
    if first == "new":
        return partial(_are_facts_new, list(map(_make_reader, others)))
    if first == "not" or not others:
        return partial(_is_fact_true, _make_reader(others[0] if others else first), not others)
    sign, other = others
    fact: Any = LIMITS.get(other)
    if fact is None:
        fact = int(other) if other.isdigit() else other.strip("'")
        fact = _make_reader(other) if fact == other else fact
    return partial(_compare_fact, _make_reader(first), COMPARISONS[sign], fact)


def _is_fact_true(read: Read, wanted: bool, facts: Any, _points: Read) -> bool:
    return bool(read(facts)) is wanted


def _compare_fact(
    read: Read, compare: Callable[[Any, Any], bool], other: Any, facts: Any, _points: Read
) -> bool:
    value = read(facts)
    return value is not None and compare(value, other(facts) if callable(other) else other)


def _are_facts_new(reads: list[Read], facts: Any, points: Read) -> bool:
    printed = [points(read(facts)) for read in reads]
    shown = {points(_make_reader(name)(facts)) for name in TABLE["shown"][facts.tense]}
    return len(set(printed)) == len(printed) and shown.isdisjoint(printed)


RULES: dict[str, list[tuple[list[Holds], list[str]]]] = {
    group: [
        ([*map(_compile_condition, filter(None, when.split(" & ")))], says) for when, *says in rules
    ]
    for group, rules in TABLE["rules"].items()
}


@dataclass(frozen=True, slots=True)
class Speaker:
    """The rules of ``coach.json``, applied to an object's facts; ``facts.tense`` is the tense."""

    facts: Any
    formats: Mapping[str, Read]

    def said(self, group: str) -> str:
        return " ".join(filter(None, map(self._say, self._choose(group))))

    def _choose(self, group: str) -> list[str]:
        points = self.formats.get("points", str)
        for conditions, names in RULES[group]:
            for holds in conditions:
                if not holds(self.facts, points):
                    break
            else:
                return names
        return []

    def _say(self, name: str) -> str:
        if name[0] in "@=":
            return self.said(name[1:]) if name[0] == "@" else self._format_value(name[1:])
        text = TABLE["texts"][name]
        if not isinstance(text, dict):
            return say(name)
        number = getattr(self.facts, text["count"]) if "count" in text else 1
        places = text.get("with", {}).items()
        values = {at: self._format_value(place) for at, place in places}
        wanted = text.get("any") or text.get(self.facts.tense) or text["after"]
        return _translate_text(wanted, number) % values

    def _format_value(self, place: str) -> str:
        kind, name = place.split()
        if kind == "say":
            return self.said(name)
        return str(self.formats[kind](_make_reader(name)(self.facts)))
