"""The sentences of a playbook, in English or translated part by part."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from solver.players.base import gettext_noop
from solver.players.playbook_rules import (
    ALIKE,
    ALWAYS,
    END,
    EVERY,
    FIRST,
    MADE,
    MOST,
    OWN,
    PAIRS,
    ROW,
    SECOND,
    SOME,
    STRAIGHT,
    BookRule,
    list_straights,
)
from solver.rules import Ruleset
from solver.rules.dice import FACES

Say = Callable[[str], str]
Words = dict[str, Any]
OF_ONE = gettext_noop("of the dice that show %(low)s")
OF_SOME = gettext_noop("of the dice that show %(low)s to %(high)s")
OR_ELSE = gettext_noop("or else of the dice that show %(low)s to %(high)s")
OF_ONE_OPEN = gettext_noop("of the dice that show %(low)s and whose own box is open")
OF_SOME_OPEN = gettext_noop("of the dice that show %(low)s to %(high)s and whose own box is open")
OF_OPEN = gettext_noop("of the dice whose own box is open")
HOLDS = {
    ALIKE: gettext_noop("hold the commonest face"),
    PAIRS: gettext_noop("hold both pairs, if exactly 2 dice show each face"),
    SOME: gettext_noop("hold one die of each face"),
    ROW: gettext_noop("hold one die of each of the highest %(count)s faces in a row"),
    EVERY: gettext_noop("hold every die"),
}
SCORES = {
    OWN: gettext_noop("score the commonest face in its own box"),
    MOST: gettext_noop("score in the open lower box that brings the most points"),
    MADE: gettext_noop(
        "score an open straight, full house or %(box)s, whichever brings the most points"
    ),
}
NAMED = gettext_noop("score in %(box)s")
ENOUGH = {
    ALIKE: gettext_noop("if %(count)s or more dice show this face"),
    SOME: gettext_noop("if there are %(count)s or more different faces"),
    EVERY: gettext_noop("if there are %(count)s or more such dice"),
}
POINTS = gettext_noop("if you get %(count)s points or more")
ANY_POINTS = gettext_noop("if you get any points")
OPEN = gettext_noop("while %(box)s is open")
STRAIGHT_OPEN = gettext_noop("while a straight is open")
FILLED = gettext_noop("once %(box)s is filled")
WHEN = {
    (False, FIRST): gettext_noop("after the first roll"),
    (False, SECOND): gettext_noop("after the second roll"),
    (True, ALWAYS): gettext_noop("at once"),
    (True, END): gettext_noop("at the end of the turn"),
}
OTHERWISE = gettext_noop(
    "Otherwise hold the commonest face, or the highest of equally common faces."
)
SCRATCH = gettext_noop("Otherwise fill the first open box of this list: %(boxes)s.")
JOKER = gettext_noop(
    "Always score a joker in the box that brings the most points. If several boxes bring the "
    "same points, use the first of them in this list."
)
EQUAL = gettext_noop(
    "If faces are equally common, take the highest face. If boxes bring the same points, take "
    "the first box on the scorecard."
)
AT_ONCE = gettext_noop(
    "If you must score at once, stop rolling and read the rules again from the first rule, as "
    "at the end of the turn."
)
NOT_ALL = gettext_noop(
    "A rule that would hold all dice does not apply: go on with its other dice or with the "
    "next rule."
)


def format_sentence(rule: BookRule, ruleset: Ruleset, say: Say = str) -> str:
    """Return the rule as a sentence; ``say`` translates its parts."""
    parts = []
    for text, words in _list_clauses(rule, ruleset):
        box = say(format_title(words["box"])) if "box" in words else ""
        parts.append(say(text) % (words | {"box": box}))
    text = ", ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _list_clauses(rule: BookRule, ruleset: Ruleset) -> Iterator[tuple[str, Words]]:
    """Yield the parts of the sentence: a text with placeholders, and their values."""
    least = {"count": rule.count}
    yield from _describe_dice(rule, ruleset)
    if rule.box:
        box = find_alike_box(ruleset) if rule.box == MADE else rule.box
        yield SCORES.get(rule.box, NAMED), {"box": box}
    else:
        yield HOLDS[_find_kind(rule)], {"count": max(rule.count, 1)}
    if rule.count > 1 and (enough := ENOUGH.get(_find_kind(rule))):
        yield enough, least
    if rule.box not in {"", OWN} and (rule.count > 1 or rule.box != MADE):
        yield (POINTS if rule.count > 1 else ANY_POINTS), least
    if rule.open == STRAIGHT and _have_same_straights(_group_straights(ruleset)):
        yield STRAIGHT_OPEN, {}
    elif rule.open not in {"", OWN, STRAIGHT}:
        yield OPEN, {"box": rule.open}
    if rule.filled:
        yield FILLED, {"box": rule.filled}
    if when := WHEN.get((bool(rule.box), rule.when)):
        yield when, {}


def _find_kind(rule: BookRule) -> str:
    """Return the kind of dice that the rule names; alike dice of one given face are ``EVERY``."""
    return EVERY if rule.what == ALIKE and not rule.box and rule.low == rule.high else rule.what


def _describe_dice(rule: BookRule, ruleset: Ruleset) -> Iterator[tuple[str, Words]]:
    """Yield the words for the dice that the rule names, or nothing if it names no dice."""
    if rule.open == STRAIGHT:
        yield from _describe_straights(ruleset)
        return
    own_box = OWN in {rule.open, rule.box}
    some = bool(rule.what) and (rule.low, rule.high) != (1, FACES)
    if some and rule.low == rule.high:
        yield (OF_ONE_OPEN if own_box else OF_ONE), {"low": rule.low}
    elif some:
        yield (OF_SOME_OPEN if own_box else OF_SOME), {"low": rule.low, "high": rule.high}
    elif own_box:
        yield OF_OPEN, {}


def _describe_straights(ruleset: Ruleset) -> Iterator[tuple[str, Words]]:
    """Yield the words for the faces of the straights, in the order in which the rule tries them."""
    by_lowest = _group_straights(ruleset)
    for number, (low, boxes) in enumerate(by_lowest.items()):
        yield (OR_ELSE if number else OF_SOME), {"low": low, "high": low + 4}
        if not _have_same_straights(by_lowest):
            yield OPEN, {"box": boxes[0]}


def _group_straights(ruleset: Ruleset) -> dict[int, list[str]]:
    """Return the boxes of straights by the lowest of the five faces that may lead to them."""
    by_lowest = defaultdict[int, list[str]](list)
    for box, low in list_straights(ruleset):
        by_lowest[low].append(ruleset.categories[box].id)
    return by_lowest


def _have_same_straights(by_lowest: dict[int, list[str]]) -> bool:
    """Return whether two lowest faces lead to the same straights."""
    return len({tuple(boxes) for boxes in by_lowest.values()}) < len(by_lowest)


def list_closing_notes(ruleset: Ruleset, scratch: tuple[str, ...], say: Say = str) -> list[str]:
    """Return the notes under the rules: what to do if no rule applies, and how to read a rule."""
    lines = [say(OTHERWISE), format_scratch(scratch, say)]
    if ruleset.joker:
        lines.append(say(JOKER))
    return [*lines, say(EQUAL), say(AT_ONCE), say(NOT_ALL)]


def format_scratch(scratch: tuple[str, ...], say: Say = str) -> str:
    return say(SCRATCH) % {"boxes": ", ".join(say(format_title(box)) for box in scratch)}


def format_title(box: str) -> str:
    """Return the English title of a box, which is also the msgid in the catalogues."""
    return box.replace("_", " ").capitalize()


def find_alike_box(ruleset: Ruleset) -> str:
    """Return the id of the box for dice that all show one face."""
    boxes = (box for box in ruleset.categories if box.pattern == "of_a_kind")
    return max(boxes, key=lambda box: box.size).id
