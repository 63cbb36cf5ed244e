"""The English sentences of the books, read by an interpreter that knows nothing of the rules they
were made from: it plays what the book is graded for."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.players.playbook import SIZES, read_playbook, read_stored_books
from solver.players.playbook_play import PlaybookPlay, measure_play
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
    format_sentence,
    list_closing_notes,
)
from solver.rules import RULESETS, YATZY, Ruleset
from solver.rules.dice import FACES, Dice

Cards = npt.NDArray[np.int64]
Fits = npt.NDArray[np.bool_]
YAHTZEE = RULESETS["yahtzee"]
NONE = -1
CARDS, FEW_CARDS, SEED = 250, 40, 20261127
HEAD = re.compile(
    r"(?:otherwise )?among the dice(?: (?:that show|from) (\d)(?: to (\d))?)?"
    r"(?:(?: and)? (whose upper box is open))?$"
)
TAILS = {
    r"if (\d+) or more dice show this face": "least",
    r"if there are (\d+) or more (?:different faces|such dice)": "least",
    r"if you get (\d+) points or more": "points",
    r"while (.+) is open": "open",
    r"once (.+) is filled": "filled",
    r"after the (first|second) roll": "after",
    r"at (once|the end of the turn)": "scores",
    r"if you get any points": "said",
    r"if exactly 2 dice show each face": "said",
    r"whichever brings the most points": "said",
}

LAST = [  # what the reader does in addition to the rules
    "Otherwise hold the commonest face, or the highest of equally common faces.",
    (
        "Always score a joker in the box that brings the most points. If several boxes bring "
        "the same points, use the first of them in this list."
    ),
    (
        "If faces are equally common, take the highest face. If boxes bring the same points, take "
        "the first box on the scorecard."
    ),
    (
        "If you must score at once, stop rolling and read the rules again from the first rule, as "
        "at the end of the turn."
    ),
    "If a rule would hold all dice, use its other dice or the next rule.",
]


class Rule:
    """A sentence in parts: the dice it looks at, one choice after the other, and what it does."""

    def __init__(self, text: str, reader: "Reader") -> None:
        self.reader, self.deed = reader, ""
        self.choices: list[tuple[range, bool, list[str]]] = []  # faces, own box open, open boxes
        self.facts: dict[str, str] = {}
        self.open = list[str]()
        for part in (text[0].lower() + text[1:-1]).split(", "):
            if head := HEAD.match(part):
                low, high, own = head.groups()
                faces = range(int(low), int(high or low) + 1) if low else range(1, 7)
                self.choices.append((faces, own is not None, []))
            elif part.startswith(("hold ", "score ")):
                assert not self.deed
                self.deed = part
            elif part.startswith("full house or ") and self.deed.endswith("straight"):
                self.deed += f", {part}"
            else:
                self._take_tail(part)
        if not self.choices:
            self.choices = [(range(1, 7), False, [])]
        self.score = self.deed.startswith("score")
        assert self.deed
        assert ("scores" in self.facts) == self.score

    def _take_tail(self, part: str) -> None:
        for pattern, name in TAILS.items():
            if found := re.fullmatch(pattern, part):
                if name == "open" and self.choices and not self.deed:
                    self.choices[-1][2].append(found[1])
                elif name == "open":
                    self.open.append(found[1])
                else:
                    assert name == "said" or name not in self.facts
                    self.facts[name] = found[found.lastindex or 0]
                return
        raise AssertionError(f"nobody can read {part!r}")

    def does(self, dice: Dice, left: int, opened: Fits) -> Cards:
        done = np.full(len(opened), NONE)
        if not self._timely(left):
            return done
        free = np.ones(len(opened), dtype=bool)
        for box in self.open:
            free &= self.reader.is_open(box, opened)
        if "filled" in self.facts:
            free &= ~self.reader.is_open(self.facts["filled"], opened)
        for faces, own, boxes in self.choices:
            fits = free & (done == NONE)
            for box in boxes:
                fits &= self.reader.is_open(box, opened)
            for action, where in self._actions(dice, faces, own=own, opened=opened):
                now = fits & where
                done[now], fits = action, fits & ~where
        return done

    def _timely(self, left: int) -> bool:
        if self.score:
            return self.facts["scores"] == "once" or left == 0
        rolls = self.reader.rules.throws - left
        return left > 0 and rolls == {"first": 1, "second": 2}.get(
            self.facts.get("after", ""), rolls
        )

    def _actions(
        self, dice: Dice, faces: range, *, own: bool, opened: Fits
    ) -> Iterator[tuple[int, Fits]]:
        every = np.ones(len(opened), dtype=bool)
        if "commonest face" in self.deed:
            looked = sorted({*dice} & {*faces}, key=lambda face: (-dice.count(face), -face))
            for face in looked:
                box = self.reader.upper[face]
                seen = opened[:, box] if own else every
                enough = dice.count(face) >= int(self.facts.get("least", 1))
                held = self.reader.hold((face,) * dice.count(face))
                yield ((box if self.score else held) if enough else NONE), seen
        elif self.score:
            for box in self._boxes(dice):
                yield box, opened[:, box]
        else:
            assert not own or len(faces) == 1
            seen = opened[:, self.reader.upper[faces[0]]] if own else every
            yield self.reader.hold(self._held(dice, faces)), seen

    def _boxes(self, dice: Dice) -> list[int]:
        reader, least = self.reader, int(self.facts.get("points", 1))
        if self.deed == "score in the open lower box that brings the most points":
            boxes = reader.lower
        elif said := re.fullmatch(r"score an open straight, full house or (.+)", self.deed):
            made = {"full_house", reader.named(said[1])}
            boxes = [
                n for n in reader.lower if "straight" in reader.names[n] or reader.names[n] in made
            ]
        else:
            boxes = [reader.names.index(reader.named(self.deed.removeprefix("score in ")))]
        points = {box: reader.rules.categories[box].score(dice) for box in boxes}
        return sorted((n for n in boxes if points[n] >= least), key=lambda n: (-points[n], n))

    def _held(self, dice: Dice, faces: range) -> Dice:
        seen, least = [die for die in dice if die in faces], int(self.facts.get("least", 1))
        if self.deed == "hold both pairs":
            held = [die for die in seen if dice.count(die) == 2]
            return tuple(held) if len(held) == 4 else ()
        if self.deed == "hold every die":
            return tuple(seen) if len(seen) >= least else ()
        if self.deed == "hold one die of each face":
            return tuple(sorted({*seen})) if len({*seen}) >= least else ()
        said = re.fullmatch(r"hold one die of each of the highest (\d) faces in a row", self.deed)
        assert said
        rows = [range(low, low + int(said[1])) for low in range(6, 0, -1)]
        return next((tuple(row) for row in rows if {*row} <= {*seen}), ())


class Reader:
    def __init__(self, rules: Ruleset, sentences: Sequence[str], last: Sequence[str]) -> None:
        self.rules, self.names = rules, [box.id for box in rules.categories]
        faces = {"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}
        self.upper = {face: self.names.index(name) for name, face in faces.items()}
        self.lower = [n for n, name in enumerate(self.names) if name not in faces]
        self.sentences = [Rule(text, self) for text in sentences]
        boxes = (
            last[1]
            .removeprefix("Otherwise fill the first open box of this list: ")[:-1]
            .split(", ")
        )
        assert [text for text in last if text != last[1]] == [
            text for text in LAST if rules.joker or "joker" not in text
        ]
        self.scratch = [self.names.index(self.named(name)) for name in boxes]

    def named(self, title: str) -> str:
        return title.lower().replace(" ", "_")

    def is_open(self, title: str, opened: Fits) -> Fits:
        if title == "a straight":
            boxes = [n for n in self.lower if "straight" in self.names[n]]
        else:
            boxes = [self.names.index(self.named(title))]
        found = np.zeros(len(opened), dtype=bool)
        for box in boxes:
            found |= opened[:, box]
        return found

    def hold(self, dice: Dice) -> int:
        return self.rules.cup.hold_index[dice] if 0 < len(dice) < self.rules.dice else NONE

    def decide(self, rows: Cards) -> tuple[Cards, Cards]:
        """Return what the sentences do: holds[rolls left - 1, roll, card] and boxes[roll, card]."""
        cup = self.rules.cup
        opened = (rows[:, None] >> np.arange(len(self.names)) & 1) == 0
        done = np.array(
            [
                [self._first(dice, left, opened) for dice in cup.rolls]
                for left in range(self.rules.throws)
            ]
        )
        for dice in cup.alike if self.rules.joker else ():
            boxes = done[0, cup.roll_index[dice]]
            boxes[:] = [self._joker(*two, dice) for two in zip(rows.tolist(), boxes, strict=True)]
        return done[1:], done[0]

    def _first(self, dice: Dice, left: int, opened: Fits) -> Cards:
        done = np.full(len(opened), NONE)
        for rule in self.sentences:
            found = rule.does(dice, left, opened)
            if rule.score and left:
                found = np.where(found == NONE, NONE, self.rules.cup.hold_index[dice])
            done = np.where(done == NONE, found, done)
        if left:
            face = max(dice, key=lambda die: (dice.count(die), die))
            return np.where(
                done == NONE, self.rules.cup.hold_index[(face,) * dice.count(face)], done
            )
        for box in self.scratch:
            done = np.where((done == NONE) & opened[:, box], box, done)
        return np.where(done == NONE, self.scratch[-1], done)

    def _joker(self, row: int, box: int, dice: Dice) -> int:
        full, joker = self.rules.full, 1 << self.names.index("yahtzee")
        if not row & joker or row & full == full:
            return box
        options = self.rules.score_options(row & full, row > full, dice)
        points = {option.category: option.points for option in options}
        return max(points, key=lambda n: (points[n], -self.scratch.index(n)))


class ReadPlay(PlaybookPlay):
    def __init__(self, rules: Ruleset, reader: Reader) -> None:
        super().__init__(rules, Playbook((), ()))
        self.reader = reader

    def decide(self, rows: Cards) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]:
        holds, boxes = self.reader.decide(rows)
        return holds.astype(np.int16), boxes.astype(np.int16)


def reader_of(rules: Ruleset, book: Playbook) -> Reader:
    sentences = [format_sentence(rule, rules) for rule in book.rules]
    return Reader(rules, sentences, list_closing_notes(rules, book.scratch))


def some_cards(rules: Ruleset, many: int) -> Cards:
    """Cards with a box open, drawn by the seed; chips are won only in the box that jokers need."""
    rng = np.random.default_rng(SEED)
    rows = rng.choice(rules.full, size=many, replace=False)
    if rules.joker:
        with_chips = rows >> rules.index[rules.joker.box] & rng.integers(2, size=many)
        rows += with_chips * (rules.full + 1)
    return rows


def differences(reader: Reader, book: Playbook, rows: Cards) -> list[object]:
    rules, cup = reader.rules, reader.rules.cup
    read, graded = reader.decide(rows), PlaybookPlay(rules, book).decide(rows)
    names = [cup.holds, [box.id for box in rules.categories]]
    found = list[object]()
    for name, mine, due in zip(names, read, graded, strict=True):
        for place in np.argwhere(mine != due)[:5]:
            *left, roll, card = place.tolist()
            filled = [box.id for n, box in enumerate(rules.categories) if rows[card] >> n & 1]
            said = (name[mine[tuple(place)]], name[due[tuple(place)]])
            found.append((filled, cup.rolls[roll], left, *said))
    return found


BOOKS = [(rules, size) for rules in (YATZY, YAHTZEE) for size in SIZES]
IDS = [f"{rules.id}-{size}" for rules, size in BOOKS]


@pytest.mark.parametrize(("rules", "size"), BOOKS, ids=IDS)
def test_the_sentences_of_a_book_are_what_is_graded(rules: Ruleset, size: int) -> None:
    book = read_playbook(rules, size)
    assert not differences(reader_of(rules, book), book, some_cards(rules, CARDS))


@pytest.mark.nightly
@pytest.mark.parametrize(("rules", "size"), BOOKS, ids=IDS)
def test_the_sentences_of_a_book_are_worth_what_is_printed(rules: Ruleset, size: int) -> None:
    stored = read_stored_books(rules.id)[str(size)]
    found = measure_play(ReadPlay(rules, reader_of(rules, read_playbook(rules, size))))
    assert found.mean == pytest.approx(stored["mean"], abs=1e-9)
    assert found.bonus_probability == pytest.approx(stored["bonus_probability"], abs=1e-9)


def any_rule(draw: st.DrawFn, rules: Ruleset) -> BookRule:
    boxes = st.sampled_from(["", *rules.index])
    low = draw(st.integers(1, FACES))
    facts: dict[str, Any] = {"low": low, "high": draw(st.integers(low, FACES))}
    facts["filled"] = draw(boxes)
    if draw(st.booleans()):
        what = draw(st.sampled_from(sorted(FOUND)))
        opened = draw(boxes | st.just(OPENED.get(what, "")))
        when = draw(st.sampled_from([ALWAYS, FIRST, SECOND]))
        count = draw(st.integers(0, rules.dice + 1))
        return BookRule(what, count, open=opened, when=when, **facts)
    box = draw(st.sampled_from([OWN, MOST, MADE, *rules.index]))
    count = draw(st.integers(0, rules.dice if box == OWN else 30))
    when = draw(st.sampled_from([ALWAYS, END]))
    return BookRule(
        ALIKE if box == OWN else "", count, box=box, open=draw(boxes), when=when, **facts
    )


@settings(deadline=None)
@given(st.data())
def test_every_rule_of_the_page_is_read_as_it_is_graded(data: st.DataObject) -> None:
    rules = data.draw(st.sampled_from([YATZY, YAHTZEE]))
    book = Playbook(
        tuple(data.draw(st.composite(any_rule)(rules)) for _ in range(3)),
        tuple(data.draw(st.permutations(list(rules.index)))),
    )
    for rule in book.rules:
        assert BookRule.read(str(rule), rules) == rule
    assert not differences(reader_of(rules, book), book, some_cards(rules, FEW_CARDS))
