"""Rulesets as data: categories, bonus, joker policy, and a hash that tells two of them apart."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import Literal

from solver import Refusal
from solver.rules.dice import Cup, Dice, cup_of
from solver.rules.scoring import PATTERNS


@dataclass(frozen=True)
class Category:
    """One box of the card.

    ``points`` is a fixed score; without it the dice of the combination are added up, or all
    where ``counts_every_die`` says so. ``joker_points`` is what a joker scores here when it does
    not show the combination itself.
    """

    id: str
    pattern: str
    size: int = 0
    points: int | None = None
    counts_every_die: bool = False
    joker_points: int | None = None

    @property
    def face(self) -> int:
        """The face that an upper box collects; 0 for a lower box."""
        return self.size if self.pattern == "faces" else 0

    def counted(self, dice: Dice) -> Dice:
        """Return the dice that bring the points; none where the roll is not what the box asks
        for."""
        combination = PATTERNS[self.pattern](dice, self.size)
        return dice if combination and self.counts_every_die else combination

    def score(self, dice: Dice) -> int:
        counted = self.counted(dice)
        if not counted:
            return 0
        return sum(counted) if self.points is None else self.points


@dataclass(frozen=True)
class Joker:
    """The rule for a roll of one face once the box for it is filled.

    A joker scores ``joker_points`` in a lower box if the upper box of its face is filled. Under
    ``forced`` that upper box must be taken while it is open, then a lower box, then any upper box;
    under ``free`` every open box may be taken. ``chip`` points are added for each joker thrown
    after ``box`` itself was filled with points; whether it was is the state flag that a table of
    values needs beside the filled boxes and the upper total.
    """

    box: str
    policy: Literal["forced", "free"]
    chip: int


Allowed = Literal["own", "lower", "upper", "any"]


@dataclass(frozen=True)
class JokerThrow:
    """A joker on the table: the open boxes that it may fill, and why those.

    ``own`` is the upper box of its face, -1 on a card without one. ``allowed`` says that forced
    jokers must go there, or to the lower boxes, or to the upper ones that are left, where they are
    worth nothing; ``any`` is the free choice. A lower box gives joker points once the joker's own
    box is filled.
    """

    own: int
    own_open: bool
    allowed: Allowed
    boxes: tuple[int, ...]
    chip: int


@dataclass(frozen=True)
class ScoreOption:
    """An open box that a roll may be scored in, and what is written into it."""

    category: int
    points: int
    chip: int = 0


# Of any ruleset: what stores dice and what works them out has room for so many.
MOST_BOXES, MOST_DICE, MOST_THROWS = 20, 6, 9

NO_LIMIT = 1 << 20  # of throws that are saved: no game comes to so many

# What rulesets said nothing about once: one that still has this is the ruleset that it was.
UNSAID = {"dice": 5, "stock": 0}


@dataclass(frozen=True)
class Ruleset:
    """``stock`` says that throws which a turn leaves are saved, so many at most.

    Then a turn begins with what is saved and ``throws`` more, each throw costs one of them, the
    first too, and what is left when a box is filled is saved. After the last turn it is worth
    nothing.
    """

    id: str
    title: str
    categories: tuple[Category, ...]
    bonus_threshold: int
    bonus_points: int
    throws: int = 3
    joker: Joker | None = None
    dice: int = 5
    stock: int = 0

    def __hash__(self) -> int:
        # Rulesets key many caches; hashing all their categories each time was most of a look-up.
        return hash(self.id)

    @cached_property
    def hash(self) -> str:
        """SHA-256 of everything that changes a value; the title does not."""
        unsaid = UNSAID.items()
        facts = dict(fact for fact in asdict(self).items() if fact not in unsaid)
        del facts["title"]
        text = json.dumps(facts, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def studied(self) -> bool:
        """Whether the ruleset has more than values: the lab's players, and chances of scores."""
        return self.id in RULESETS

    @cached_property
    def cup(self) -> Cup:
        return cup_of(self.dice)

    @cached_property
    def index(self) -> Mapping[str, int]:
        return {category.id: number for number, category in enumerate(self.categories)}

    @cached_property
    def full(self) -> int:
        """The bit mask of a full card."""
        return (1 << len(self.categories)) - 1

    @cached_property
    def upper(self) -> tuple[int, ...]:
        """The numbers of the upper boxes."""
        return tuple(n for n, category in enumerate(self.categories) if category.face)

    def mask(self, ids: Iterable[str]) -> int:
        return sum(1 << self.index[name] for name in set(ids))

    def ids(self, filled: int) -> tuple[str, ...]:
        return tuple(c.id for n, c in enumerate(self.categories) if filled >> n & 1)

    def open(self, filled: int) -> tuple[int, ...]:
        return tuple([n for n in range(len(self.categories)) if not filled >> n & 1])

    def bonus(self, upper: int) -> int:
        return self.bonus_points if upper >= self.bonus_threshold else 0

    def most_saved(self, turns: int) -> int:
        """Throws, after so many turns of a game that began with those of a turn in stock.

        No game does, but what throws are worth is asked of the first turn too.
        """
        return min(self.stock, self.throws + (self.throws - 1) * turns)

    def most_throws(self, turn: int) -> int:
        """Return the most rolls that a turn can have; the first turn is 0."""
        return self.throws + min(self.stock, (self.throws - 1) * turn)

    def upper_totals(self, filled: int) -> frozenset[int]:
        """Every upper total that these filled boxes can hold."""
        faces = tuple(self.categories[n].face for n in self.upper if filled >> n & 1)
        return _sums(faces, self.dice)

    def is_joker(self, filled: int, dice: Dice) -> bool:
        joker = self.joker
        return (
            joker is not None and len(set(dice)) == 1 and bool(filled >> self.index[joker.box] & 1)
        )

    def joker_thrown(self, filled: int, chips_won: bool, dice: Dice) -> JokerThrow | None:
        """Return what a joker may do; ``chips_won`` is the state flag of ``Joker``."""
        if self.joker is None or not self.is_joker(filled, dice):
            return None
        of_face = next((n for n in self.upper if self.categories[n].face == dice[0]), -1)
        allowed, boxes = self._joker_boxes(self.open(filled), of_face)
        return JokerThrow(
            of_face, of_face in boxes, allowed, boxes, self.joker.chip if chips_won else 0
        )

    def _joker_boxes(self, boxes: tuple[int, ...], of_face: int) -> tuple[Allowed, tuple[int, ...]]:
        if self.joker and self.joker.policy == "free":
            return "any", boxes
        if of_face in boxes:
            return "own", (of_face,)
        lower = tuple(n for n in boxes if not self.categories[n].face)
        return ("lower", lower) if lower else ("upper", boxes)

    def score_options(self, filled: int, chips_won: bool, dice: Dice) -> tuple[ScoreOption, ...]:
        """Return the boxes that a roll may be scored in."""
        joker = self.joker_thrown(filled, chips_won, dice)
        if joker is None:
            worth = _worth(self, tuple(sorted(dice)))
            return tuple([ScoreOption(n, worth[n]) for n in self.open(filled)])
        return tuple(
            ScoreOption(n, self._joker_score(n, dice, joker.own_open), joker.chip)
            for n in joker.boxes
        )

    def score_option(
        self, filled: int, chips_won: bool, dice: Dice, number: int
    ) -> ScoreOption | None:
        """Return the score in this box; None if the roll must not be scored there."""
        if self.is_joker(filled, dice):
            options = self.score_options(filled, chips_won, dice)
            return next((option for option in options if option.category == number), None)
        if filled >> number & 1:
            return None
        return ScoreOption(number, _worth(self, tuple(sorted(dice)))[number])

    def _joker_score(self, number: int, dice: Dice, own_box_open: bool) -> int:
        category = self.categories[number]
        if own_box_open or category.joker_points is None:
            return category.score(dice)
        return category.joker_points


@lru_cache(maxsize=1 << 12)
def _worth(rules: Ruleset, roll: Dice) -> tuple[int, ...]:
    """In each box. All rolls are soon known: replays ask for nothing else so often."""
    return tuple([category.score(roll) for category in rules.categories])


@cache
def _sums(faces: tuple[int, ...], dice: int) -> frozenset[int]:
    totals = {0}
    for face in faces:
        totals = {total + face * count for total in totals for count in range(dice + 1)}
    return frozenset(totals)


UPPER = tuple(
    Category(name, "faces", size=face)
    for face, name in enumerate(("ones", "twos", "threes", "fours", "fives", "sixes"), start=1)
)

YATZY = Ruleset(
    id="yatzy",
    title="Scandinavian Yatzy",
    categories=(
        *UPPER,
        Category("pair", "of_a_kind", size=2),
        Category("two_pairs", "two_pairs"),
        Category("three_of_a_kind", "of_a_kind", size=3),
        Category("four_of_a_kind", "of_a_kind", size=4),
        Category("small_straight", "straight_from", size=1),
        Category("large_straight", "straight_from", size=2),
        Category("full_house", "full_house"),
        Category("chance", "any"),
        Category("yatzy", "of_a_kind", size=5, points=50),
    ),
    bonus_threshold=63,
    bonus_points=50,
)

YAHTZEE = Ruleset(
    id="yahtzee",
    title="International Yahtzee",
    categories=(
        *UPPER,
        Category("three_of_a_kind", "of_a_kind", size=3, counts_every_die=True),
        Category("four_of_a_kind", "of_a_kind", size=4, counts_every_die=True),
        Category("full_house", "full_house", points=25, joker_points=25),
        Category("small_straight", "run_of", size=4, points=30, joker_points=30),
        Category("large_straight", "run_of", size=5, points=40, joker_points=40),
        Category("yahtzee", "of_a_kind", size=5, points=50),
        Category("chance", "any"),
    ),
    bonus_threshold=63,
    bonus_points=35,
    joker=Joker(box="yahtzee", policy="forced", chip=100),
)
YAHTZEE_FREE_JOKER = replace(
    YAHTZEE,
    id="yahtzee-free-joker",
    title="Yahtzee, free choice joker",
    joker=Joker(box="yahtzee", policy="free", chip=100),
)
YAHTZEE_PLAIN = replace(
    YAHTZEE, id="yahtzee-plain", title="Yahtzee without bonus chips and jokers", joker=None
)

MAXI_YATZY = Ruleset(
    id="maxi-yatzy",
    title="Maxi Yatzy",
    categories=(
        *UPPER,
        Category("pair", "of_a_kind", size=2),
        Category("two_pairs", "two_pairs"),
        Category("three_pairs", "three_pairs"),
        Category("three_of_a_kind", "of_a_kind", size=3),
        Category("four_of_a_kind", "of_a_kind", size=4),
        Category("five_of_a_kind", "of_a_kind", size=5),
        Category("small_straight", "straight_from", size=1),
        Category("large_straight", "straight_from", size=2),
        Category("full_straight", "run_of", size=6),
        Category("full_house", "full_house"),
        Category("villa", "villa"),
        Category("tower", "tower"),
        Category("chance", "any"),
        Category("maxi_yatzy", "of_a_kind", size=6, points=100),
    ),
    bonus_threshold=84,
    bonus_points=100,
    dice=6,
)
MAXI_YATZY_50 = replace(
    MAXI_YATZY, id="maxi-yatzy-50", title="Maxi Yatzy, bonus of 50", bonus_points=50
)
YATZY_SAVED = replace(
    YATZY, id="yatzy-saved", title="Scandinavian Yatzy, saved throws", stock=NO_LIMIT
)
MAXI_YATZY_SAVED = replace(
    MAXI_YATZY, id="maxi-yatzy-saved", title="Maxi Yatzy, saved throws", stock=NO_LIMIT
)

DEFAULT = YATZY  # where nothing else is said
# With all that is worked out beside the values: the lab's players, and chances of scores.
RULESETS: dict[str, Ruleset] = {
    rules.id: rules for rules in (YATZY, YAHTZEE, YAHTZEE_FREE_JOKER, YAHTZEE_PLAIN)
}
# What people play, in trials too: those, and others of which there are values and nothing else.
PLAYED: dict[str, Ruleset] = RULESETS | {
    rules.id: rules for rules in (MAXI_YATZY, MAXI_YATZY_50, YATZY_SAVED)
}
# Those that most people play; the others are their variants.
FAMILIAR = (YATZY, MAXI_YATZY, YAHTZEE, YATZY_SAVED)
# What the solver knows besides; its table has 1.3 GB.
SOLVED: dict[str, Ruleset] = PLAYED | {MAXI_YATZY_SAVED.id: MAXI_YATZY_SAVED}


class UnknownRuleset(Refusal, ValueError):
    """No ruleset of that name."""


def find_ruleset(ruleset_id: str, among: Mapping[str, Ruleset] = RULESETS) -> Ruleset:
    try:
        return among[ruleset_id]
    except KeyError:
        known = ", ".join(among)
        if ruleset_id in SOLVED:
            reason = f"this is not calculated for {ruleset_id}; it is for: {known}"
        else:
            reason = f"unknown ruleset {ruleset_id!r}; known: {known}"
        raise UnknownRuleset(reason) from None
