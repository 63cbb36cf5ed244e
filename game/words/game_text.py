"""A game that was played elsewhere, as people write it down: a line a turn.

    3 3 5 6 1 | hold 3 3 | 3 3 3 2 6 | hold 3 3 3 | 3 3 3 4 4 > full house

Whatever can be meant by one thing alone is read: dice with anything or nothing between them, a
rethrow as all dice or as those that were thrown, a box by its id or its name in any language. What
is written is always the same of the same game.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import NamedTuple

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import override

from game.words import labels, sentences
from solver.rules import (
    PLAYED,
    Action,
    Hold,
    IllegalAction,
    Ruleset,
    Score,
    State,
    in_slots,
    start,
    step,
    throw,
)

MOST_GAMES = 50  # at once
HOLD = "hold"
# As the five languages say that dice stay; whoever writes fast leaves it out.
HOLDS = frozenset(
    ["-", "hold", "held", "keep", "kept", "håll", "spara", "behåll", "behold", "gem", "pidä"]
)
HEAD = re.compile(r"rules\W+(?P<rules>[\w-]+)", re.IGNORECASE)
BOX_FOLLOWS = re.compile(r"[-=]*>|→")
BETWEEN = re.compile(r"[\s,;.]")
Line = tuple[int, str]
Moves = Sequence[tuple[State, Action]]


class BadLine(NamedTuple):
    line: int
    told: str


class Unreadable(ValueError):
    """Why a line, or a block of them, is no game."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A finished game: every decision with the state it was made in, and how it ended."""

    rules: Ruleset
    moves: Moves
    end: State


def text_of(rules: Ruleset, moves: Moves) -> str:
    """Of a finished game, so that it is read by its own rules whichever are asked for."""
    lines, parts = [f"rules {rules.id}"], list[str]()
    for state, action in moves:
        if state.dice:
            parts.append(_spaced(sorted(state.dice)))
        if isinstance(action, Score):
            lines.append(f"{' | '.join(parts)} > {action.category.replace('_', ' ')}")
            parts.clear()
        elif state.dice:
            parts.append(f"{HOLD} {_spaced(action.kept(state.dice))}".strip())
    return "\n".join(lines) + "\n"


def games_of_text(text: str, rules: Ruleset) -> tuple[list[Recorded], list[BadLine]]:
    """By these rules where a block names no others; its first fault of each that is no game."""
    found, faults = list[Recorded](), list[BadLine]()
    for block in _blocks(text):
        if len(found) + len(faults) == MOST_GAMES:
            told = _("One import takes %(most)s games: this is one more.")
            faults.append(BadLine(block[0][0], told % {"most": MOST_GAMES}))
            break
        read = _game(block, rules)
        if isinstance(read, BadLine):
            faults.append(read)
        else:
            found.append(read)
    return found, faults


def _spaced(faces: Iterable[int]) -> str:
    return " ".join(map(str, faces))


def _blocks(text: str) -> Iterator[list[Line]]:
    lines = enumerate(text.splitlines(), 1)
    for filled, block in groupby(lines, key=lambda line: bool(line[1].strip())):
        if filled:
            yield list(block)


def _game(block: Sequence[Line], rules: Ruleset) -> Recorded | BadLine:
    line, moves = block[0][0], list[tuple[State, Action]]()
    try:
        if head := HEAD.fullmatch(block[0][1].strip()):
            rules, block = _rules(head["rules"]), block[1:]
        state = start(rules)
        for number, text in block:
            line = number
            made, state = _turn(state, text)
            moves += made
        if not state.finished:
            told = _("The game is not finished: it has %(turns)s of %(all)s turns.")
            raise Unreadable(told % {"turns": state.turn, "all": len(rules.categories)})
    except Unreadable as wrong:
        return BadLine(line, str(wrong))
    return Recorded(rules, moves, state)


def _rules(name: str) -> Ruleset:
    found = PLAYED.get(name.casefold())
    if found is None:
        told = _("There are no rules “%(name)s” here. These are known: %(known)s.")
        raise Unreadable(told % {"name": name, "known": ", ".join(PLAYED)})
    return found


def _turn(state: State, text: str) -> tuple[Moves, State]:
    """What was done in one turn, and how the game stands after it."""
    if state.finished:
        raise Unreadable(
            _("The card is full already. Leave an empty line between two games, please.")
        )
    thrown, box = _halves(text)
    moves, action = list[tuple[State, Action]](), Hold(0)
    for number, part in enumerate(thrown):
        if number % 2:
            action = _hold(state, part)
            continue
        moves.append((state, action))
        state = _throw(_done(state, action), part)
    if not len(thrown) % 2:
        raise Unreadable(_("After what was held comes the throw."))
    scored = Score(_box(state.rules, box))
    return [*moves, (state, scored)], _done(state, scored)


def _halves(text: str) -> tuple[list[str], str]:
    halves = BOX_FOLLOWS.split(text)
    if len(halves) != 2:
        raise Unreadable(_("A turn ends with > and the box, once."))
    return [part.strip() for part in halves[0].split("|")], halves[1].strip()


def _faces(text: str) -> list[int]:
    faces = BETWEEN.sub("", text)
    if wrong := re.sub("[1-6]", "", faces):
        raise Unreadable(_("“%(text)s” is no die: a die shows 1 to 6.") % {"text": wrong})
    return [int(face) for face in faces]


def _hold(state: State, text: str) -> Hold:
    """By the faces; of equal dice it is all one which stay."""
    word = re.match(r"-|[^\W\d]*", text)
    said = word[0] if word else ""
    faces = _faces(text[len(said) :].lstrip(":") if said.casefold() in HOLDS else text)
    hold = Hold.of(faces, state.dice, state.held)
    if len(hold.places) != len(faces):
        told = _("%(held)s cannot be held of %(dice)s.")
        raise Unreadable(told % {"held": labels.faces(faces), "dice": labels.faces(state.dice)})
    return hold


def _throw(state: State, text: str) -> State:
    """All dice, or those that were thrown."""
    faces, rules = _faces(text), state.rules
    kept = Hold(state.held).kept(state.dice)
    if len(faces) == rules.dice - len(kept):
        faces += kept
    if len(faces) != rules.dice:
        told = _(
            "Dice read: %(found)s. A throw is all %(all)s, or the %(thrown)s that were thrown."
        )
        thrown = rules.dice - len(kept)
        raise Unreadable(told % {"found": len(faces), "all": rules.dice, "thrown": thrown})
    try:
        return throw(state, in_slots(state.dice, state.held, faces))
    except ValueError:
        raise Unreadable(sentences.held_are_missing(kept)) from None


def _done(state: State, action: Action) -> State:
    try:
        return step(state, action)
    except IllegalAction as error:
        raise Unreadable(sentences.refusal(state, action)) from error


def _box(rules: Ruleset, text: str) -> str:
    found = _boxes(rules).get(_letters(text))
    if found is None:
        raise Unreadable(_("“%(text)s” is no box of this card.") % {"text": text})
    return found


@cache
def _boxes(rules: Ruleset) -> Mapping[str, str]:
    """Every box by its id, and by its name in each language of the site."""
    named = {_letters(box.id): box.id for box in rules.categories}
    for language, _name in settings.LANGUAGES:
        with override(language):
            for box in rules.categories:
                named.setdefault(_letters(labels.category_name(box)), box.id)
    return named


def _letters(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())
