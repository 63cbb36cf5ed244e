"""Rules that a person can say aloud, as data: an ordered list, and an order in which boxes are
crossed out.

In every position the first rule that applies decides. With rolls left it holds dice or scores at
once. Without rolls left it scores. If no rule applies, the player holds the face that most dice
show, the highest of several. At the end of the turn it then fills the first open box of the order.

A rule that would hold all dice does not apply, because a hold must roll at least one die. A rule
sees the dice, the rolls left and which boxes are open, but never the upper total.

The sentences of a playbook are in English, or translated part by part.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any, NamedTuple

from solver.players.base import gettext_noop
from solver.rules import Ruleset
from solver.rules.dice import FACES, Dice

ALIKE, PAIRS, SOME, ROW, EVERY = "alike", "pairs", "some", "row", "every"
OWN = "own"  # the upper box of the face that the rule holds or scores
MOST = "most"  # the lower box in which the dice score most points
MADE = "made"  # straights, full house, and the box for five equal dice
STRAIGHT = "straight"  # any open straight
STRAIGHTS = {"straight_from", "run_of"}
OPENED = {ALIKE: OWN, SOME: STRAIGHT}  # values of ``open`` in rules that hold, besides box ids
WHOLE = STRAIGHTS | {"full_house"}
MOST_COUNT = 99  # highest ``count`` of a rule, in dice or points
ALWAYS, FIRST, SECOND, END = "always", "first", "second", "end"
Say = Callable[[str], str]
Words = dict[str, Any]
OF_ONE = gettext_noop("among the dice that show %(low)s")
OF_SOME = gettext_noop("among the dice that show %(low)s to %(high)s")
OR_ELSE = gettext_noop("otherwise among the dice that show %(low)s to %(high)s")
OF_ONE_OPEN = gettext_noop("among the dice that show %(low)s and whose upper box is open")
OF_SOME_OPEN = gettext_noop(
    "among the dice that show %(low)s to %(high)s and whose upper box is open"
)
OF_OPEN = gettext_noop("among the dice whose upper box is open")
HOLDS = {
    ALIKE: gettext_noop("hold the commonest face"),
    PAIRS: gettext_noop("hold both pairs, if exactly 2 dice show each face"),
    SOME: gettext_noop("hold one die of each face"),
    ROW: gettext_noop("hold one die of each of the highest %(count)s faces in a row"),
    EVERY: gettext_noop("hold every die"),
}
SCORES = {
    OWN: gettext_noop("score the commonest face in its upper box"),
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
NOT_ALL = gettext_noop("If a rule would hold all dice, use its other dice or the next rule.")


@dataclass(frozen=True, slots=True)
class BookRule:
    """A rule of a playbook. ``box`` is the box in which it scores; a rule without ``box`` holds
    dice. ``what`` names dice with faces from ``low`` to ``high``: at least ``count`` dice
    ``alike``, both ``pairs``, ``some`` (at least ``count`` different faces), ``count`` faces in a
    ``row``, or ``every`` die. For a rule that scores in a box other than the face's ``own`` box,
    ``count`` is the least number of points. The box ``open`` must be open, and the box ``filled``
    must be filled. ``when`` is the roll after which the rule applies, or the ``end`` of the
    turn."""

    what: str = ""
    count: int = 0
    low: int = 1
    high: int = FACES
    box: str = ""
    open: str = ""
    filled: str = ""
    when: str = ALWAYS

    def __str__(self) -> str:
        return ",".join(str(value) for value in asdict(self).values())

    @classmethod
    def read(cls, text: str, ruleset: Ruleset) -> "BookRule":
        """Parse a rule from the text that ``str`` writes. Raise ValueError for an invalid rule."""
        what, count, low, high, box, opened, filled, when = text.split(",")
        rule = cls(what, int(count), int(low), int(high), box, opened, filled, when)
        boxes = {"", *ruleset.index}
        scores = what == ALIKE if box == OWN else not what
        opens = boxes if box else boxes | {OPENED.get(what, "")}
        if not (
            (scores if box else what in FOUND)
            and box in boxes | {OWN, MOST, MADE}
            and opened in opens
            and filled in boxes
            and when in ({ALWAYS, END} if box else {ALWAYS, FIRST, SECOND})
            and 1 <= rule.low <= rule.high <= FACES
            and 0 <= rule.count <= MOST_COUNT
        ):
            raise ValueError(f"{text} is no rule")
        return rule

    def as_data(self) -> dict[str, Any]:
        plain = asdict(BookRule())
        return {name: value for name, value in asdict(self).items() if value != plain[name]}


@dataclass(frozen=True, slots=True)
class Playbook:
    rules: tuple[BookRule, ...]
    scratch: tuple[str, ...]

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> "Playbook":
        return cls(tuple(BookRule(**rule) for rule in facts["rules"]), tuple(facts["scratch"]))

    def as_data(self) -> dict[str, Any]:
        return {
            "scratch": list(self.scratch),
            "rules": [rule.as_data() for rule in self.rules],
        }


class Case(NamedTuple):
    """A condition under which a rule applies to a roll: the boxes ``need`` are open, and the boxes
    ``ban`` are filled (one bit per box). The rule then prescribes ``action``, the number of a hold
    if ``holds`` is true, otherwise the number of a box."""

    need: int
    ban: int
    holds: bool
    action: int


def find_cases(rule: BookRule, ruleset: Ruleset, roll: Dice, throws_left: int) -> Iterator[Case]:
    """Yield the conditions under which the rule applies to this roll, the preferred one first."""
    if rule.when in {FIRST, SECOND}:
        roll_number = ruleset.throws - throws_left
        timely = throws_left > 0 and roll_number == (1 if rule.when == FIRST else 2)
    else:
        timely = rule.when == ALWAYS or throws_left == 0
    if not timely:
        return
    ban = 1 << ruleset.index[rule.filled] if rule.filled else 0
    if rule.box:
        need = 1 << ruleset.index[rule.open] if rule.open else 0
        for box in _list_scored_boxes(rule, ruleset, roll):
            yield Case(need | 1 << box, ban, holds=False, action=box)
    elif throws_left:
        for need, dice in _list_held_dice(rule, ruleset, roll):
            if len(dice) < ruleset.dice:
                yield Case(need, ban, holds=True, action=ruleset.cup.hold_index[dice])


def _list_scored_boxes(rule: BookRule, ruleset: Ruleset, roll: Dice) -> Iterator[int]:
    if rule.box == OWN:
        boxes_of_face = (ruleset.find_upper_box(d[0]) for d in FOUND[rule.what](rule, roll))
        yield from (box for box in boxes_of_face if box >= 0)
        return
    worth = []
    for box, category in enumerate(ruleset.categories):
        is_made = category.pattern in WHOLE or category.size == ruleset.dice
        fits = rule.box == MOST or (rule.box == MADE and is_made)
        if rule.box == category.id or (fits and not category.face):
            worth.append((category.score(roll), -box))
    for points, box in sorted(worth, reverse=True):
        if points >= max(rule.count, 1):
            yield -box


def _list_held_dice(rule: BookRule, ruleset: Ruleset, roll: Dice) -> Iterator[tuple[int, Dice]]:
    """Yield pairs: boxes that must be open (as bits), and dice to hold. The best come first."""
    if rule.open == STRAIGHT:
        for box, low in list_straights(ruleset):
            for dice in FOUND[rule.what](replace(rule, low=low, high=low + 4), roll):
                yield 1 << box, dice
        return
    for dice in FOUND[rule.what](rule, roll):
        named = ruleset.index.get(rule.open, ruleset.find_upper_box(dice[0]))
        if not rule.open or named >= 0:
            yield (1 << named if rule.open else 0), dice


def list_straights(ruleset: Ruleset) -> list[tuple[int, int]]:
    """Return pairs: the box of a straight, and its lowest face. The large straight comes first."""
    return [
        (box, low)
        for box in reversed(range(len(ruleset.categories)))
        if ruleset.categories[box].pattern in STRAIGHTS
        for low in (2, 1)
        if ruleset.categories[box].size in {low, 4, 5}
    ]


# Each generator below yields the dice that a rule may hold or score, the best dice first.


def _find_alike(rule: BookRule, roll: Dice) -> Iterator[Dice]:
    for face in sorted(_list_faces(rule, roll), key=roll.count, reverse=True):
        if roll.count(face) >= rule.count:
            yield (face,) * roll.count(face)


def _find_pairs(rule: BookRule, roll: Dice) -> Iterator[Dice]:
    held = tuple(die for die in roll if roll.count(die) == 2 and rule.low <= die <= rule.high)
    if len(held) == 4:
        yield held


def _find_some(rule: BookRule, roll: Dice) -> Iterator[Dice]:
    if len(faces := _list_faces(rule, roll)) >= max(rule.count, 1):
        yield tuple(reversed(faces))


def _find_row(rule: BookRule, roll: Dice) -> Iterator[Dice]:
    for top in (faces := _list_faces(rule, roll)):
        row = range(top - max(rule.count, 1) + 1, top + 1)
        if set(row) <= set(faces):
            yield tuple(row)


def _find_every(rule: BookRule, roll: Dice) -> Iterator[Dice]:
    held = tuple(die for die in roll if rule.low <= die <= rule.high)
    if len(held) >= max(rule.count, 1):
        yield held


def _list_faces(rule: BookRule, roll: Dice) -> list[int]:
    """Return the faces of the roll from ``low`` to ``high``, the highest first."""
    return [face for face in range(rule.high, rule.low - 1, -1) if face in roll]


FOUND = {
    ALIKE: _find_alike,
    PAIRS: _find_pairs,
    SOME: _find_some,
    ROW: _find_row,
    EVERY: _find_every,
}


@cache
def find_commonest(roll: Dice) -> Dice:
    face = max(roll, key=lambda die: (roll.count(die), die))
    return (face,) * roll.count(face)


def format_sentence(rule: BookRule, ruleset: Ruleset, say: Say = str) -> str:
    """Return the rule as a sentence. The function ``say`` translates the parts of the sentence."""
    parts = []
    for text, words in _list_clauses(rule, ruleset):
        box = say(format_title(words["box"])) if "box" in words else ""
        parts.append(say(text) % (words | {"box": box}))
    text = ", ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _list_clauses(rule: BookRule, ruleset: Ruleset) -> Iterator[tuple[str, Words]]:
    """Yield the parts of the sentence, each as a text with placeholders and the values for them."""
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
    """Return the kind of dice that the rule names; ``EVERY`` for the dice of one given face."""
    return EVERY if rule.what == ALIKE and not rule.box and rule.low == rule.high else rule.what


def _describe_dice(rule: BookRule, ruleset: Ruleset) -> Iterator[tuple[str, Words]]:
    """Yield the words for the dice that the rule names, or nothing if the rule names no dice."""
    if rule.open == STRAIGHT:
        by_lowest = _group_straights(ruleset)
        for number, (low, boxes) in enumerate(by_lowest.items()):
            yield (OR_ELSE if number else OF_SOME), {"low": low, "high": low + 4}
            if not _have_same_straights(by_lowest):
                yield OPEN, {"box": boxes[0]}
        return
    own_box = OWN in {rule.open, rule.box}
    some = bool(rule.what) and (rule.low, rule.high) != (1, FACES)
    if some and rule.low == rule.high:
        yield (OF_ONE_OPEN if own_box else OF_ONE), {"low": rule.low}
    elif some:
        yield (OF_SOME_OPEN if own_box else OF_SOME), {"low": rule.low, "high": rule.high}
    elif own_box:
        yield OF_OPEN, {}


def _group_straights(ruleset: Ruleset) -> dict[int, list[str]]:
    """Group the boxes of straights by the lowest of the five faces that may lead to them."""
    by_lowest = defaultdict[int, list[str]](list)
    for box, low in list_straights(ruleset):
        by_lowest[low].append(ruleset.categories[box].id)
    return by_lowest


def _have_same_straights(by_lowest: dict[int, list[str]]) -> bool:
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
    boxes = (box for box in ruleset.categories if box.pattern == "of_a_kind")
    return max(boxes, key=lambda box: box.size).id
