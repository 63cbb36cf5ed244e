"""Reads ``coach.json``, which has the coach's sentences. In browsers, ``coach_says.js`` reads it.

``texts`` maps names to texts; a pair is singular and plural, chosen by the fact "count". A text may
differ by tense; "any" is for all tenses. A placeholder such as "%(box rival.category)s" has a
format and a fact; with "say rest", it inserts the texts of the group "rest". ``rules`` are groups:
the first rule of a group whose conditions are all true gives its texts. "@group" means another
group, "=box fact" a formatted fact, "='why'" this word. A condition is "fact", "not fact", "fact <
other", or "new fact fact": the numbers differ, as printed, from each other and from those that the
page already shows. ``sees`` has the smallest cost that the coach mentions to players of a grade.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from operator import eq, ge, gt, lt
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
    return _translate_text(TABLE["texts"][name], number) % values


def describe_odds(chance: float) -> str:
    """Describe a chance: a fixed text if it is small, else the nearest simple fraction."""
    for below, name in TABLE["odds"]["below"]:
        if chance < below:
            return say(name)
    times, among = min(TABLE["odds"]["near"], key=lambda near: abs(near[0] / near[1] - chance))
    return say("odds", times=times, among=among)


def map_texts(read: Callable[[Text], Any]) -> dict[str, Any]:
    texts = {
        name: {key: part if key == "count" else read(part) for key, part in text.items()}
        if isinstance(text, dict)
        else read(text)
        for name, text in TABLE["texts"].items()
    }
    return TABLE | {"texts": texts}


def translate_both_numbers(text: Text) -> Text:
    """Translate a text. If the text is a pair, return [singular, plural]."""
    return gettext(text) if isinstance(text, str) else [_translate_text(text, n) for n in (1, 2)]


def _translate_text(text: Text, number: int) -> str:
    return gettext(text) if isinstance(text, str) else ngettext(text[0], text[1], number)


@cache
def _split_name(name: str) -> tuple[Any, list[str]]:
    """Return a constant's value, or the parts of a fact's name, which dots separate."""
    if name[0] == "'" or name.isdigit():
        return int(name) if name.isdigit() else name.strip("'"), []
    return LIMITS.get(name), [] if name in LIMITS else name.split(".")


RULES: dict[str, list[tuple[list[list[str]], list[str]]]] = {
    group: [([part.split() for part in when.split(" & ") if part], says) for when, *says in rules]
    for group, rules in TABLE["rules"].items()
}


@dataclass(frozen=True, slots=True)
class Speaker:
    """Applies the rules of ``coach.json`` to an object's attributes, here called facts."""

    facts: Any
    formats: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)

    def said(self, group: str) -> str:
        for conditions, names in RULES[group]:
            for condition in conditions:
                if not self._holds(*condition):
                    break
            else:
                return " ".join(filter(None, map(self._say, names)))
        return ""

    def _say(self, name: str) -> str:
        if name[0] in "@=":
            return self.said(name[1:]) if name[0] == "@" else self[name[1:]]
        text, number = TABLE["texts"][name], 1
        if isinstance(text, dict):
            number = self._read(text["count"]) if "count" in text else 1
            text = text.get("any") or text.get(self.facts.tense) or text["after"]
        return _translate_text(text, number) % self

    def __getitem__(self, place: str) -> str:
        """Return the words for a placeholder: a formatted fact, or the texts of a rule group."""
        kind, _, name = place.rpartition(" ")
        if kind == "say":
            return self.said(name)
        return str(self.formats.get(kind, str)(self._read(name)))

    def _holds(self, first: str, *others: str) -> bool:
        if first == "new":
            printed = [self.formats["points"](self._read(name)) for name in others]
            shown = [self["points " + name] for name in TABLE["shown"][self.facts.tense]]
            return len(set(printed)) == len(printed) and set(shown).isdisjoint(printed)
        if first == "not" or not others:
            return bool(self._read(others[0] if others else first)) is not bool(others)
        value, other = self._read(first), self._read(others[1])
        return value is not None and COMPARISONS[others[0]](value, other)

    def _read(self, name: str) -> Any:
        """Return a fact by its dotted name; None if a part before the last one is None."""
        value, parts = _split_name(name)
        value = self.facts if parts else value
        for part in parts:
            if value is None or part == "length":
                return None if value is None else len(value)
            value = value[int(part)] if part.isdigit() else getattr(value, part)
        return value
