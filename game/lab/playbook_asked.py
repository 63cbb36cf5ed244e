"""A playbook in an address: its rules, where they stand, and which are switched off."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from django.http import Http404, QueryDict

from solver.players.playbook_rules import BookRule, Playbook
from solver.rules import Ruleset

MOST_RULES = 60
MOST_PLACE = 99  # farther down is last
T = TypeVar("T")


class AskedBook(NamedTuple):
    """``lines`` are the rules, and whether each is switched off."""

    size: str
    lines: list[tuple[BookRule, bool]]
    scratch: tuple[str, ...]

    @property
    def book(self) -> Playbook:
        return Playbook(tuple(rule for rule, off in self.lines if not off), self.scratch)

    def with_rule(self, rule: BookRule, place: int) -> "AskedBook":
        at = max(place - 1, 0)
        return self._replace(lines=[*self.lines[:at], (rule, False), *self.lines[at:]])


def asked_book(query: QueryDict, rules: Ruleset, stored: Mapping[str, Any]) -> AskedBook:
    """Without rules in the address, the stored one of its size; Http404 where it says nonsense."""
    size = query.get("size", next(iter(stored), ""))
    if size not in stored or len(query.getlist("rule")) > MOST_RULES:
        raise Http404
    usual = Playbook.of(stored[size])
    try:
        lines = [
            (BookRule.read(text, rules), str(number) in query.getlist("off"))
            for number, text in enumerate(query.getlist("rule"))
        ]
        lines = moved(lines, _places(query, "place"))
        scratch = query.getlist("scratch")
        scratch = moved(scratch, _places(query, "order"))
    except ValueError:
        raise Http404 from None
    if scratch and set(scratch) != set(rules.index):
        raise Http404
    kept = [(rule, False) for rule in usual.rules]
    return AskedBook(size, lines or kept, tuple(scratch) or usual.scratch)


def _places(query: QueryDict, name: str) -> list[int]:
    return [min(max(int(place), 0), MOST_PLACE) for place in query.getlist(name)]


def moved(items: Sequence[T], places: Sequence[int]) -> list[T]:
    """Each where its number says, the others closing up around it."""
    if len(places) != len(items):
        raise ValueError("a place is missing")

    def key(at: int) -> float:
        return places[at] + 0.5 * ((places[at] > at + 1) - (places[at] < at + 1))

    return [items[at] for at in sorted(range(len(items)), key=key)]
