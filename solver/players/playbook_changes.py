"""The playbooks beside one: a rule is changed, put in, left out or moved, or a box to scratch."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from solver.dp.arrays import Floats
from solver.players.playbook_rules import (
    ALIKE,
    ALWAYS,
    END,
    FIRST,
    FOUND,
    MADE,
    MOST,
    OPENED,
    OWN,
    SECOND,
    BookRule,
    Playbook,
)
from solver.rules import Ruleset
from solver.rules.dice import FACES

T = TypeVar("T")
MOST_POINTS = 30
SCORES = 0.4  # the share of rules that score, of those that are drawn
PARTS = ("count", "low", "high", "box", "open", "filled", "when")
DEEDS = ("change", "replace", "replace", "move", "scratch", "add", "leave out")


def changed(
    rules: Ruleset, book: Playbook, size: int, left_out: Floats, rng: np.random.Generator
) -> Playbook:
    """One of them, drawn: never of more rules than ``size``, or than it has.

    ``left_out`` is how likely each rule is to be, of those that are.
    """
    known = list(book.rules)
    deed = _one_of(DEEDS, rng) if known else "add"
    if deed == "scratch":
        return replace(book, scratch=_moved(book.scratch, rng))
    if deed == "move":
        return replace(book, rules=_moved(book.rules, rng))
    if deed == "change":
        at = rng.integers(len(known))
        known[at] = _varied(rules, known[at], rng)
    if deed in {"replace", "leave out"}:
        known.pop(rng.choice(len(known), p=left_out))
    if deed in {"replace", "add"} and len(known) < max(size, len(book.rules)):
        like = known[rng.integers(len(known))] if known and rng.random() < 0.5 else None
        new = _varied(rules, like, rng) if like else drawn(rules, rng)
        known.insert(rng.integers(len(known) + 1), new)
    return replace(book, rules=tuple(known))


def drawn(rules: Ruleset, rng: np.random.Generator) -> BookRule:
    """Any rule whose sentence says all of it."""
    boxes = list(rules.index)
    filled = _one_of(["", "", *boxes], rng)
    if rng.random() < SCORES:
        box, when = _one_of([OWN, MADE, MOST, *boxes], rng), _one_of([ALWAYS, END], rng)
        if box == OWN:
            return BookRule(ALIKE, _many(rules, rng), *_span(rng), OWN, filled=filled, when=when)
        return BookRule(count=int(rng.integers(MOST_POINTS)), box=box, filled=filled, when=when)
    what, when = _one_of(list(FOUND), rng), _one_of([ALWAYS, ALWAYS, FIRST, SECOND], rng)
    opened = _one_of(["", *boxes, OPENED.get(what, "")], rng)
    many = _many(rules, rng)
    return BookRule(what, many, *_span(rng), open=opened, filled=filled, when=when)


def _varied(rules: Ruleset, rule: BookRule, rng: np.random.Generator) -> BookRule:
    """With one part of another rule of its kind."""
    while True:
        other, name = drawn(rules, rng), _one_of(PARTS, rng)
        found = replace(rule, **{name: getattr(other, name)})
        alike = (rule.what, bool(rule.box)) == (other.what, bool(other.box))
        if alike and found.low <= found.high:
            return found


def _moved(things: Sequence[T], rng: np.random.Generator) -> tuple[T, ...]:
    moved = list(things)
    moved.insert(rng.integers(len(moved)), moved.pop(rng.integers(len(moved))))
    return tuple(moved)


def _span(rng: np.random.Generator) -> tuple[int, int]:
    low, high = sorted(rng.integers(1, FACES + 1, size=2).tolist())
    return low, high


def _many(rules: Ruleset, rng: np.random.Generator) -> int:
    return int(rng.integers(1, rules.dice))


def _one_of(options: Sequence[str], rng: np.random.Generator) -> str:
    return options[int(rng.integers(len(options)))]
