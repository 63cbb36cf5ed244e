"""Reads ``coach.json``, the one source of what the coach says; ``coach_says.js`` does in browsers.

``texts`` are short texts by name; two texts are one of something and several. ``rules`` are groups:
the first rule of a group whose conditions all hold says its sentences. "@group" is another group,
"=box fact" a formatted fact. A condition is "fact", "not fact", "fact < other", or "new fact fact":
these numbers differ, as printed, from each other and from those that a page shows next to them.
A sentence has a text for each tense, and a format for each place.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import eq, ge, gt, lt
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
COMPARISONS = {"=": eq, "<": lt, ">": gt, ">=": ge}
# Each group's rules: the words of every condition, and what is said.
RULES: dict[str, list[tuple[list[list[str]], list[str]]]] = {
    group: [([part.split() for part in when.split(" & ") if part], says) for when, *says in rules]
    for group, rules in TABLE["rules"].items()
}
TENSES = {"before", "missed", "found", "after", "any"}
Text = str | list[str]


def say(name: str, number: int = 1, /, **values: object) -> str:
    """Return a text of the table in the reader's language; ``number`` is what it counts."""
    return _translated(TABLE["texts"][name], number) % values


def odds(chance: float) -> str:
    """Return the words for the nearest chance that has a name."""
    named = next((text for below, text in TABLE["odds"]["below"] if chance < below), None)
    near = min(TABLE["odds"]["near"], key=lambda word: abs(word[0] - chance))
    return gettext(named or near[1])


def worded(read: Callable[[Text], Any]) -> dict[str, Any]:
    """Return the table with every text as ``read`` returns it."""
    odds = {
        kind: [[chance, read(text)] for chance, text in named]
        for kind, named in TABLE["odds"].items()
    }
    sentences = {
        name: {key: read(part) if key in TENSES else part for key, part in sentence.items()}
        for name, sentence in TABLE["sentences"].items()
    }
    texts = {name: read(text) for name, text in TABLE["texts"].items()}
    return TABLE | {"limits": LIMITS, "odds": odds, "sentences": sentences, "texts": texts}


def in_both_numbers(text: Text) -> Text:
    """Return a text in the reader's language: of one of something and of several if it counts."""
    return gettext(text) if isinstance(text, str) else [_translated(text, n) for n in (1, 2)]


def _translated(text: Text, number: int) -> str:
    return gettext(text) if isinstance(text, str) else ngettext(text[0], text[1], number)


@dataclass(frozen=True, slots=True)
class Speaker:
    """Says a group of rules about ``facts``, an object or a dictionary with a ``tense``."""

    facts: Any
    formats: Mapping[str, Callable[[Any], str]]

    def said(self, group: str) -> str:
        return " ".join(self._sentences(group))

    def _sentences(self, group: str) -> Iterator[str]:
        for conditions, names in RULES[group]:
            if conditions and not self._all_hold(conditions):
                continue
            for name in names:
                if name[0] == "@":
                    yield from self._sentences(name[1:])
                else:
                    yield self._formatted(name[1:]) if name[0] == "=" else self._sentence(name)
            return

    def _all_hold(self, conditions: list[list[str]]) -> bool:
        for first, *others in conditions:
            if first == "not":
                holds = not self._value(others[0])
            elif first == "new":
                holds = self._are_new(others)
            elif not others:
                holds = bool(self._value(first))
            else:
                values = self._value(first), self._value(others[1])
                holds = None not in values and bool(COMPARISONS[others[0]](*values))
            if not holds:
                return False
        return True

    def _are_new(self, names: Iterable[str]) -> bool:
        points, known = self.formats["points"], TABLE["shown"][self._value("tense")]
        printed = [points(self._value(name)) for name in names]
        shown = {points(self._value(name)) for name in known}
        return len(set(printed)) == len(printed) and shown.isdisjoint(printed)

    def _value(self, name: str) -> Any:
        if name[0] == "'" or name.isdigit() or name in LIMITS:
            return LIMITS.get(name, int(name) if name.isdigit() else name[1:-1])
        value = self.facts
        for part in name.split("."):
            if isinstance(value, list | tuple) and (part.isdigit() or part == "length"):
                value = len(value) if part == "length" else value[int(part)]
            else:
                value = value.get(part) if isinstance(value, dict) else getattr(value, part, None)
        return value

    def _sentence(self, name: str) -> str:
        sentence = TABLE["sentences"][name]
        tenses = (self._value("tense"), "after", "any")
        text = next(sentence[tense] for tense in tenses if tense in sentence)
        number = self._value(sentence["count"]) if "count" in sentence else 1
        places = sentence.get("with", {}).items()
        return _translated(text, number) % {at: self._formatted(place) for at, place in places}

    def _formatted(self, place: str) -> str:
        kind, name = place.split()
        return self.said(name) if kind == "say" else self.formats[kind](self._value(name))
