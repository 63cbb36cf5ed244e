"""The reader of ``coach.json``, the one source of the coach's sentences; ``coach_says.js`` reads
the file in browsers.

``texts`` are short texts by name; a pair of texts is singular and plural. ``rules`` are groups: the
first rule of a group whose conditions all hold says its sentences. "@group" is another group, "=box
fact" a formatted fact. A condition is "fact", "not fact", "fact < other", or "new fact fact": the
numbers differ, as printed, from each other and from those that the page already shows.

A sentence has a text for each tense, and a format for each place.
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
LIMITS: dict[str, float] = TABLE["limits"] | {
    "tie": TIE,
    "always": ALWAYS,
    "most": MOST,
    "worth_trying": WORTH_TRYING,
}
Compare = Callable[[Any, Any], bool]
COMPARISONS: dict[str, Compare] = {"=": eq, "<": lt, ">": gt, ">=": ge}
TENSES = {"before", "missed", "found", "after", "any"}
Text = str | list[str]


def say(name: str, number: int = 1, /, **values: object) -> str:
    """Return a text of ``coach.json``; ``number`` selects singular or plural."""
    return _translate_text(TABLE["texts"][name], number) % values


def describe_odds(chance: float) -> str:
    """Describe a chance: a fixed text if it is small, else the nearest simple fraction."""
    for below, text in TABLE["odds"]["below"]:
        if chance < below:
            return gettext(text)
    times, among = min(TABLE["odds"]["near"], key=lambda near: abs(near[0] / near[1] - chance))
    return say("odds", times=times, among=among)


def map_texts(read: Callable[[Text], Any]) -> dict[str, Any]:
    """Return the content of ``coach.json`` with ``read`` applied to every text."""
    odds = TABLE["odds"] | {"below": [[most, read(text)] for most, text in TABLE["odds"]["below"]]}
    sentences = {
        name: {key: read(part) if key in TENSES else part for key, part in sentence.items()}
        for name, sentence in TABLE["sentences"].items()
    }
    texts = {name: read(text) for name, text in TABLE["texts"].items()}
    return TABLE | {"limits": LIMITS, "odds": odds, "sentences": sentences, "texts": texts}


def translate_both_numbers(text: Text) -> Text:
    """Translate a text; a pair of texts becomes [singular, plural]."""
    return gettext(text) if isinstance(text, str) else [_translate_text(text, n) for n in (1, 2)]


def _translate_text(text: Text, number: int) -> str:
    return gettext(text) if isinstance(text, str) else ngettext(text[0], text[1], number)


# ---- The rules are compiled once: a condition is a function of the facts and of a format ----

Read = Callable[[Any], Any]


def _make_reader(name: str) -> Read:
    """Return a function that reads the fact with this dotted name from an object; it returns None
    if an attribute before the last one is None."""
    first, *parts = name.split(".")
    get = attrgetter(first)

    def walk(facts: Any) -> Any:
        value = get(facts)
        for part in parts:
            if value is None:
                return None
            if part == "length":
                return len(value)
            value = value[int(part)] if part.isdigit() else getattr(value, part)
        return value

    return walk if parts else get


def _compile_condition(text: str) -> Callable[[Any, Read], bool]:
    first, *others = text.split()
    if first == "new":
        return partial(_are_facts_new, list(map(_make_reader, others)))
    if first == "not" or not others:
        return partial(_is_fact_true, _make_reader(others[0] if others else first), not others)
    sign, other = others
    if other in LIMITS:
        return partial(_compare_fact, _make_reader(first), COMPARISONS[sign], LIMITS[other])
    fact = (
        other.strip("'") if "'" in other else int(other) if other.isdigit() else _make_reader(other)
    )
    return partial(_compare_fact, _make_reader(first), COMPARISONS[sign], fact)


def _is_fact_true(read: Read, wanted: bool, facts: Any, _points: Read) -> bool:
    return bool(read(facts)) is wanted


def _compare_fact(read: Read, compare: Compare, other: Any, facts: Any, _points: Read) -> bool:
    value = read(facts)
    return value is not None and compare(value, other(facts) if callable(other) else other)


def _are_facts_new(reads: list[Read], facts: Any, points: Read) -> bool:
    printed = [points(read(facts)) for read in reads]
    shown = {points(read(facts)) for read in SHOWN[facts.tense]}
    return len(set(printed)) == len(printed) and shown.isdisjoint(printed)


SHOWN = {tense: list(map(_make_reader, names)) for tense, names in TABLE["shown"].items()}
RULES = {
    group: [
        ([*map(_compile_condition, filter(None, when.split(" & ")))], says) for when, *says in rules
    ]
    for group, rules in TABLE["rules"].items()
}
read_once = cache(_make_reader)


@dataclass(frozen=True, slots=True)
class Speaker:
    """The rules of ``coach.json``, applied to an object's facts; ``facts.tense`` is the tense."""

    facts: Any
    formats: Mapping[str, Read]

    def said(self, group: str) -> str:
        return " ".join(self._list_sentences(group))

    def _list_sentences(self, group: str) -> list[str]:
        points = self.formats.get("points", str)
        for conditions, names in RULES[group]:
            for holds in conditions:
                if not holds(self.facts, points):
                    break
            else:
                sentences = list[str]()
                for name in names:
                    if name[0] == "@":
                        sentences += self._list_sentences(name[1:])
                    elif name[0] == "=":
                        sentences.append(self._format_value(name[1:]))
                    else:
                        sentences.append(self._sentence(name))
                return sentences
        return []

    def _sentence(self, name: str) -> str:
        sentence = TABLE["sentences"][name]
        text = sentence.get("any") or sentence.get(self.facts.tense) or sentence["after"]
        number = getattr(self.facts, sentence["count"]) if "count" in sentence else 1
        values = dict[str, str]()
        for at, place in sentence.get("with", {}).items():
            values[at] = self._format_value(place)
        return _translate_text(text, number) % values

    def _format_value(self, place: str) -> str:
        kind, name = place.split()
        return self.said(name) if kind == "say" else self.formats[kind](read_once(name)(self.facts))
