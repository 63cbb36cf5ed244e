"""The sentences of a playbook: English, and translated part by part where there is a translator."""

from collections.abc import Callable, Iterator

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
)
from solver.rules import Ruleset
from solver.rules.dice import FACES

Say = Callable[[str], str]
COMMONEST = gettext_noop("hold the commonest face")
COMMONEST_OPEN = gettext_noop("hold the commonest face whose box is open")
ALIKE_OPEN = gettext_noop("hold %(count)s or more alike whose box is open")
HOLDS = {
    ALIKE: gettext_noop("hold %(count)s or more alike"),
    PAIRS: gettext_noop("hold both pairs"),
    SOME: gettext_noop("hold %(count)s or more different dice"),
    ROW: gettext_noop("hold %(count)s in a row"),
    EVERY: gettext_noop("hold every die"),
}
OF_STRAIGHT = gettext_noop("hold %(count)s or more different dice of an open straight")
SCORES = {
    OWN: gettext_noop("score %(count)s or more alike in their own box"),
    MOST: gettext_noop("score in the lower box that brings most"),
    MADE: gettext_noop("score a straight, a full house or %(box)s"),
}
COMMONEST_OWN = gettext_noop("score the commonest face in its own box")
NAMED = gettext_noop("score in %(box)s")
POINTS = gettext_noop("with %(count)s points or more")
ONE_FACE = gettext_noop("showing %(low)s")
FACES_FROM = gettext_noop("showing %(low)s to %(high)s")
ENOUGH = gettext_noop("if there are %(count)s or more")
OPEN = gettext_noop("while %(box)s is open")
FILLED = gettext_noop("once %(box)s is filled")
WHEN = {
    (False, FIRST): gettext_noop("after the first roll"),
    (False, SECOND): gettext_noop("after the second roll"),
    (True, ALWAYS): gettext_noop("at once"),
    (True, END): gettext_noop("at the end of the turn"),
}
OTHERWISE = gettext_noop("Otherwise hold the commonest face, of several the highest.")
SCRATCH = gettext_noop("Otherwise fill the first that is open: %(boxes)s.")
JOKER = gettext_noop("A joker goes where it brings most.")


def sentence(rule: BookRule, ruleset: Ruleset, say: Say = str) -> str:
    """Return the rule as a sentence; ``say`` translates a part."""
    words = {"count": rule.count, "low": rule.low, "high": rule.high}
    parts = []
    for text, box in _clauses(rule, alike_box(ruleset)):
        parts.append(say(text) % (words | {"box": say(title(box))}))
    text = ", ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _clauses(rule: BookRule, alike: str) -> Iterator[tuple[str, str]]:
    """Each with the box that it names."""
    yield (_score(rule), alike if rule.box == MADE else rule.box) if rule.box else (_hold(rule), "")
    if rule.box not in {"", OWN} and rule.count > 1:
        yield POINTS, ""
    if _of_faces(rule):
        yield (ONE_FACE if rule.low == rule.high else FACES_FROM), ""
    if rule.what == EVERY and rule.count > 1:
        yield ENOUGH, ""
    if rule.open not in {"", OWN, STRAIGHT}:
        yield OPEN, rule.open
    if rule.filled:
        yield FILLED, rule.filled
    if when := WHEN.get((bool(rule.box), rule.when)):
        yield when, ""


def _of_faces(rule: BookRule) -> bool:
    """Return whether the rule looks at some faces only; the faces of a straight belong to the
    straight."""
    return bool(rule.what) and rule.open != STRAIGHT and (rule.low, rule.high) != (1, FACES)


def _score(rule: BookRule) -> str:
    if rule.box == OWN and rule.count < 2:
        return COMMONEST_OWN
    return SCORES.get(rule.box, NAMED)


def _hold(rule: BookRule) -> str:
    if rule.what == ALIKE and rule.open == OWN:
        return COMMONEST_OPEN if rule.count < 2 else ALIKE_OPEN
    if rule.what == ALIKE and rule.count < 2:
        return COMMONEST
    return OF_STRAIGHT if rule.open == STRAIGHT else HOLDS[rule.what]


def scratching(scratch: tuple[str, ...], say: Say = str) -> str:
    return say(SCRATCH) % {"boxes": ", ".join(say(title(box)) for box in scratch)}


def title(box: str) -> str:
    """In English, as the catalogues of the pages have it too."""
    return box.replace("_", " ").capitalize()


def alike_box(ruleset: Ruleset) -> str:
    """The box for all dice alike."""
    boxes = (box for box in ruleset.categories if box.pattern == "of_a_kind")
    return max(boxes, key=lambda box: box.size).id
