"""The position of the page Explore, read from its address, and the form that changes the position.

An address has ``filled=ones.twos&upper=9&dice=11225&left=2``. ``upper`` is the upper total, or the
points of each filled upper box (``upper=1.8``). ``chips_won=1`` means that the box for jokers has
points, and ``needed=31`` asks for the chance of at least 31 more points. The form has a field for
each upper box (``ones=1&twos=8``, empty while open), so it allows only possible cards.
"""

from dataclasses import dataclass, field
from functools import cache

from django.http import QueryDict
from django.utils.functional import cached_property
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from game.coach.position_addresses import explore_query
from game.core.words import labels
from solver.advice import Position
from solver.rules import Category, Ruleset
from solver.rules.dice import FACES, Dice

START: Dice = (1, 5, 5, 6, 6, 6)  # faces at the start, for up to six dice
MOST_NEEDED = 999  # points; the highest number that the player may need
PAR = 3  # number of dice per face that together secure the bonus


@dataclass(frozen=True, slots=True)
class Choice:
    """A possible value of an upper box in a form; "" means that the box is open."""

    value: str
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class UpperBox:
    id: str
    name: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class LowerBox:
    id: str
    name: str
    filled: bool


@dataclass(frozen=True, slots=True)
class ChipsField:
    """A form field for chips: if ``box`` has points, each further joker brings ``points``."""

    box: str
    points: int
    won: bool


@dataclass(frozen=True, slots=True)
class DieField:
    face: int
    label: str


@dataclass(frozen=True)
class Setup:
    """A position from an address. ``problems`` has a sentence for each invalid field."""

    rules: Ruleset
    counts: dict[str, int]  # number of dice that scored, per filled upper box
    lower: frozenset[str]
    dice: Dice
    rolls_left: int
    chips_won: bool
    by_form: bool
    problems: dict[str, str] = field(default_factory=dict)
    stock: int = 0  # saved rolls from earlier turns
    needed: int | None = None  # points that the player needs to win

    @cached_property
    def position(self) -> Position:
        filled = self.rules.make_mask([*self.counts, *self.lower])
        dice = tuple(sorted(self.dice))
        facts = (filled, sum(self.points), dice, self.rolls_left, self.chips_won, self.stock)
        return Position(self.rules, *facts)

    @property
    def points(self) -> list[int]:
        return [count * self._find_category(name).face for name, count in self.counts.items()]

    @property
    def query(self) -> str:
        return explore_query(self.position, self.points, self.needed)

    @property
    def missing(self) -> int:
        """The points that the upper boxes still need for the bonus."""
        return max(0, self.rules.bonus_threshold - self.position.upper)

    @property
    def chips(self) -> ChipsField | None:
        joker = self.rules.joker
        if joker is None:
            return None
        return ChipsField(
            labels.find_category_name(self._find_category(joker.box)), joker.chip, self.chips_won
        )

    @property
    def open_boxes(self) -> int:
        return len(self.rules.open(self.position.filled))

    @property
    def die_fields(self) -> list[DieField]:
        numbers = range(1, self.rules.dice + 1)
        named = [_("Die %(number)s") % {"number": number} for number in numbers]
        return [DieField(face, name) for face, name in zip(self.dice, named, strict=True)]

    @property
    def faces(self) -> range:
        return range(1, FACES + 1)

    @property
    def throws(self) -> range:
        return range(self.rules.throws - 1, -1, -1)

    @property
    def most_saved(self) -> int:
        """The highest possible number of saved rolls before the last turn."""
        return self.rules.most_saved(len(self.rules.categories) - 1)

    @property
    def upper_boxes(self) -> list[UpperBox]:
        boxes = []
        for category in (self.rules.categories[number] for number in self.rules.upper):
            count = self.counts.get(category.id)
            choices = [Choice("", _("open"), count is None)]
            for number in range(self.rules.dice + 1):
                points = str(number * category.face)
                choices.append(Choice(points, points, count == number))
            name = labels.find_category_name(category)
            boxes.append(UpperBox(category.id, name, tuple(choices)))
        return boxes

    @property
    def lower_boxes(self) -> list[LowerBox]:
        lower = [category for category in self.rules.categories if not category.face]
        return [LowerBox(c.id, labels.find_category_name(c), c.id in self.lower) for c in lower]

    def _find_category(self, name: str) -> Category:
        return self.rules.categories[self.rules.index[name]]


def read_setup(rules: Ruleset, query: QueryDict) -> Setup:
    return _Reader(rules, query).read_setup()


class _Reader:
    """Reads an address field by field. If a field is invalid, it notes this and uses a default."""

    def __init__(self, rules: Ruleset, query: QueryDict) -> None:
        self.rules = rules
        self.query = query
        self.problems: dict[str, str] = {}
        self.upper = {rules.categories[n].id: rules.categories[n].face for n in rules.upper}

    def read_setup(self) -> Setup:
        boxes = [name for name in self._read_text("filled", joint=".").split(".") if name]
        unknown = [name for name in boxes if name not in self.rules.index]
        if unknown:
            facts: dict[str, object] = {"name": _shorten(unknown[0])}
            self.problems["filled"] = _("There is no box “%(name)s”.") % facts
        filled = set(boxes).difference(unknown)
        named = [name for name in self.upper if name in filled and name not in self.query]
        counts = dict(zip(named, self._read_upper(named), strict=True))
        for name, face in self.upper.items():
            if points := self.query.get(name, ""):
                counts[name] = self._count(name, face, points)
        dice, rolls_left = self._read_roll()
        joker, chips_won = self.rules.joker, self.query.get("chips_won", "0") not in {"", "0"}
        if chips_won and joker is None:
            self.problems["chips_won"] = _("These rules have no bonus chips.")
        elif chips_won and joker and joker.box not in filled:
            text = _("You get bonus chips only after scoring points in %(box)s.")
            self.problems["chips_won"] = text % {"box": labels.CATEGORIES[joker.box]}
        stock, most = self._read_text("stock").strip() or "0", self.rules.most_saved(len(filled))
        if not (stock.isascii() and stock.isdecimal() and len(stock) < 4 and int(stock) <= most):
            facts = {"most": most, "given": _shorten(stock)}
            text = _("You can have 0 to %(most)s saved rolls, not “%(given)s”.")
            stock, self.problems["stock"] = "0", text % facts
        setup = Setup(
            rules=self.rules,
            counts={name: counts[name] for name in self.upper if name in counts},
            lower=frozenset(filled.difference(self.upper)),
            dice=dice,
            rolls_left=rolls_left,
            chips_won=chips_won and "chips_won" not in self.problems,
            by_form=any(name in self.query for name in self.upper),
            problems=self.problems,
            stock=int(stock),
            needed=self._read_needed(),
        )
        if not setup.open_boxes:
            self.problems["filled"] = _("Every box is filled: leave at least one of them open.")
        return setup

    def _read_text(self, name: str, default: str = "", joint: str = "") -> str:
        """Return a field's text; join several values with ``joint``."""
        return joint.join(self.query.getlist(name)) if name in self.query else default

    def _count(self, name: str, face: int, points: str) -> int:
        possible = {str(face * count): count for count in range(self.rules.dice + 1)}
        if points not in possible:
            facts = {"name": labels.CATEGORIES[name], "points": _shorten(points)}
            self.problems["upper"] = _("You cannot score %(points)s points in %(name)s.") % facts
        return possible.get(points, PAR)

    def _read_upper(self, named: list[str]) -> tuple[int, ...]:
        par = (PAR,) * len(named)
        text = self.query.get("upper", "")
        if not text or (not named and any(name in self.query for name in self.upper)):
            return par
        points = text.split(".")
        if len(points) == len(named) > 1:
            given = zip(named, points, strict=True)
            return tuple(self._count(name, self.upper[name], number) for name, number in given)
        faces = tuple(self.upper[name] for name in named)
        most = self.rules.dice * sum(faces)
        fits = text.isascii() and text.isdecimal() and len(text) < 5 and int(text) <= most
        counts = split_total(faces, int(text), self.rules.dice) if fits else None
        if counts is None:
            facts = {"total": _shorten(text)}
            problem = (
                _("An upper total of %(total)s is only possible if an upper box is filled.") % facts
            )
            if named:
                facts["boxes"] = ", ".join(str(labels.CATEGORIES[name]) for name in named)
                problem = _("These boxes cannot add up to an upper total of %(total)s: %(boxes)s.")
                problem %= facts
            self.problems["upper"] = problem
        return counts or par

    def _read_roll(self) -> tuple[Dice, int]:
        """Return the dice and the number of rolls left."""
        start = START[: self.rules.dice]
        text = self._read_text("dice", "".join(map(str, start)))
        thrown = tuple(int(face) for face in text[: len(start)] if face in "123456")
        if len(text) != len(start) or len(thrown) != len(start):
            facts: dict[str, object] = {"count": labels.count(len(start)), "dice": _shorten(text)}
            sentence = _("The dice must be %(count)s numbers from 1 to 6, not “%(dice)s”.")
            self.problems["dice"] = sentence % facts
        most = self.rules.throws - 1
        left = self.query.get("left", str(most))
        if left not in map(str, range(most + 1)):
            facts = {"most": most, "given": _shorten(left)}
            sentence = _("You can have 0 to %(most)s rolls left, not “%(given)s”.")
            left, self.problems["left"] = str(most), sentence % facts
        return thrown + start[len(thrown) :], int(left)

    def _read_needed(self) -> int | None:
        text = self._read_text("needed").strip()
        if not text:
            return None
        if not self.rules.studied:
            self.problems["needed"] = _("Playing to win is not available for these rules.")
            return None
        if text.isascii() and text.isdecimal() and 1 <= int(text[:5]) <= MOST_NEEDED:
            return int(text[:5])
        facts = {"most": MOST_NEEDED, "given": _shorten(text)}
        self.problems["needed"] = _("Enter 1 to %(most)s points, not “%(given)s”.") % facts
        return None


@cache
def split_total(faces: Dice, total: int, dice: int) -> tuple[int, ...] | None:
    """Return how many dice of each face, near PAR, give ``total`` points; None if impossible."""
    if not faces:
        return None if total else ()
    splits = [
        (count, *others)
        for count in range(min(dice, total // faces[0]) + 1)
        if (others := split_total(faces[1:], total - count * faces[0], dice)) is not None
    ]
    return min(splits, key=lambda counts: sum((count - PAR) ** 2 for count in counts), default=None)


def _shorten(text: str) -> str:
    return Truncator(text).chars(20)
