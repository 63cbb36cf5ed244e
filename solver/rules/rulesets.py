"""Rulesets as data: boxes, bonus, joker rule, and a hash that identifies the rules."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import Literal

from solver import Refusal
from solver.rules.dice import Cup, Dice, make_cup
from solver.rules.scoring import PATTERNS


@dataclass(frozen=True)
class Category:
    """A box of the scorecard.

    ``points`` is a fixed score. Without ``points``, the score is the sum of the combination's dice
    or, if ``counts_every_die`` is set, of all dice. ``joker_points`` is the score of a joker that
    does not show the combination itself.
    """

    id: str
    pattern: str
    size: int = 0
    points: int | None = None
    counts_every_die: bool = False
    joker_points: int | None = None

    @property
    def face(self) -> int:
        """The face of an upper box, or 0 for a lower box."""
        return self.size if self.pattern == "faces" else 0

    def find_counted(self, dice: Dice) -> Dice:
        """Return the dice that count in this box, or () if the roll lacks the combination."""
        combination = PATTERNS[self.pattern](dice, self.size)
        return dice if combination and self.counts_every_die else combination

    def score(self, dice: Dice) -> int:
        counted = self.find_counted(dice)
        if not counted:
            return 0
        return sum(counted) if self.points is None else self.points


@dataclass(frozen=True)
class Joker:
    """The joker rule: how a roll of equal dice may score once the box for such rolls is filled.

    A joker scores ``joker_points`` in a lower box if the upper box of its face is filled. Under
    ``forced`` the player must fill that upper box while it is open, then a lower box, then any
    upper box. Under ``free`` the player may fill any open box. Each later joker adds ``chip``
    points if ``box`` was filled with points. Value tables store this as a flag, in addition to the
    filled boxes and the upper total.
    """

    box: str
    policy: Literal["forced", "free"]
    chip: int


Allowed = Literal["own", "lower", "upper", "any"]


@dataclass(frozen=True)
class JokerThrow:
    """A rolled joker, the open boxes that it may fill, and why it may fill only these boxes."""

    upper_box: int  # upper box of the joker's face, or -1 if the card has no such box
    is_upper_box_open: bool
    allowed: Allowed  # "any" allows every box; other values name a part of the card
    boxes: tuple[int, ...]
    chip: int


@dataclass(frozen=True)
class ScoreOption:
    """An open box in which the dice may be scored, with the points and chips of this score."""

    category: int
    points: int
    chip: int = 0


# The largest rulesets for which file formats and kernels have room.
MOST_BOXES, MOST_DICE, MOST_THROWS = 20, 6, 9

NO_LIMIT = 1 << 20  # number of saved rolls that no game can reach

# Default values of fields that were added later. The hash omits these values, so that older
# rulesets keep their hash.
UNHASHED = {"dice": 5, "stock": 0}


@dataclass(frozen=True)
class Ruleset:
    """The rules of a game.

    With ``stock``, a turn saves its unused rolls, up to this number. Each turn begins with the
    saved rolls and ``throws`` more. Each roll costs one of these, including the first roll. The
    rolls left when a box is filled are saved. Saved rolls are worth nothing after the last turn.
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
        # Rulesets are keys of many caches. Hashing all boxes took most of the time of a look-up.
        return hash(self.id)

    @cached_property
    def hash(self) -> str:
        """The SHA-256 hash of every field that affects values, so the title is not included."""
        facts = dict(fact for fact in asdict(self).items() if fact not in UNHASHED.items())
        del facts["title"]
        text = json.dumps(facts, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def studied(self) -> bool:
        """True if the program has the lab's players and score distributions for the ruleset."""
        return self.id in RULESETS

    @cached_property
    def cup(self) -> Cup:
        return make_cup(self.dice)

    @cached_property
    def index(self) -> Mapping[str, int]:
        return {category.id: number for number, category in enumerate(self.categories)}

    @cached_property
    def full(self) -> int:
        return (1 << len(self.categories)) - 1

    @cached_property
    def upper(self) -> tuple[int, ...]:
        return tuple(n for n, category in enumerate(self.categories) if category.face)

    def make_mask(self, ids: Iterable[str]) -> int:
        return sum(1 << self.index[name] for name in set(ids))

    def ids(self, filled: int) -> tuple[str, ...]:
        return tuple(c.id for n, c in enumerate(self.categories) if filled >> n & 1)

    def open(self, filled: int) -> tuple[int, ...]:
        return tuple([n for n in range(len(self.categories)) if not filled >> n & 1])

    def bonus(self, upper: int) -> int:
        return self.bonus_points if upper >= self.bonus_threshold else 0

    def most_saved(self, turns: int) -> int:
        """Return the most rolls that can be saved after this many turns, if the rolls of one turn
        were saved before the game. No game starts with saved rolls, but the solver needs such
        values too."""
        return min(self.stock, self.throws + (self.throws - 1) * turns)

    def find_most_rolls(self, turn: int) -> int:
        """Return the most rolls that a turn can have. The first turn has the number 0."""
        return self.throws + min(self.stock, (self.throws - 1) * turn)

    def find_upper_box(self, face: int) -> int:
        """Return the upper box of a face, or -1 if the card has no such box."""
        return next((n for n in self.upper if self.categories[n].face == face), -1)

    def list_upper_totals(self, filled: int) -> frozenset[int]:
        faces = tuple(self.categories[n].face for n in self.upper if filled >> n & 1)
        return _find_sums(faces, self.dice)

    def is_joker(self, filled: int, dice: Dice) -> bool:
        joker = self.joker
        return (
            joker is not None and len(set(dice)) == 1 and bool(filled >> self.index[joker.box] & 1)
        )

    def find_joker(self, filled: int, chips_won: bool, dice: Dice) -> JokerThrow | None:
        """Return the joker that a roll forms, or None. ``Joker`` explains ``chips_won``."""
        if self.joker is None or not self.is_joker(filled, dice):
            return None
        allowed: Allowed = "any"
        of_face, boxes = self.find_upper_box(dice[0]), self.open(filled)
        if self.joker.policy != "free":
            lower = tuple(n for n in boxes if not self.categories[n].face)
            if of_face in boxes:
                allowed, boxes = "own", (of_face,)
            else:
                allowed, boxes = ("lower", lower) if lower else ("upper", boxes)
        return JokerThrow(
            of_face, of_face in boxes, allowed, boxes, self.joker.chip if chips_won else 0
        )

    def score_options(self, filled: int, chips_won: bool, dice: Dice) -> tuple[ScoreOption, ...]:
        joker = self.find_joker(filled, chips_won, dice)
        if joker is None:
            worth = _score_all_boxes(self, tuple(sorted(dice)))
            return tuple([ScoreOption(n, worth[n]) for n in self.open(filled)])
        options = []
        for number in joker.boxes:
            category = self.categories[number]
            points = category.joker_points
            if joker.is_upper_box_open or points is None:
                points = category.score(dice)
            options.append(ScoreOption(number, points, joker.chip))
        return tuple(options)

    def score_option(
        self, filled: int, chips_won: bool, dice: Dice, number: int
    ) -> ScoreOption | None:
        """Return the score of the dice in this box, or None if the rules forbid the box."""
        if self.is_joker(filled, dice):
            options = self.score_options(filled, chips_won, dice)
            return next((option for option in options if option.category == number), None)
        if filled >> number & 1:
            return None
        return ScoreOption(number, _score_all_boxes(self, tuple(sorted(dice)))[number])


@lru_cache(maxsize=1 << 12)
def _score_all_boxes(rules: Ruleset, roll: Dice) -> tuple[int, ...]:
    """Return the roll's points in each box (cached, because replays of games need them often)."""
    return tuple([category.score(roll) for category in rules.categories])


@cache
def _find_sums(faces: tuple[int, ...], dice: int) -> frozenset[int]:
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

DEFAULT = YATZY  # the ruleset if the caller names none
# Rulesets with everything calculated: values, the lab's players and score distributions.
RULESETS: dict[str, Ruleset] = {
    rules.id: rules for rules in (YATZY, YAHTZEE, YAHTZEE_FREE_JOKER, YAHTZEE_PLAIN)
}
# Rulesets that people play, also in trials. For some of these, only values are calculated.
PLAYED: dict[str, Ruleset] = RULESETS | {
    rules.id: rules for rules in (MAXI_YATZY, MAXI_YATZY_50, YATZY_SAVED)
}
# The rulesets that most people play. All other rulesets are variants of these.
FAMILIAR = (YATZY, MAXI_YATZY, YAHTZEE, YATZY_SAVED)
# All rulesets that the solver can solve. The table of the last has 1.3 GB.
SOLVED: dict[str, Ruleset] = PLAYED | {MAXI_YATZY_SAVED.id: MAXI_YATZY_SAVED}


class UnknownRuleset(Refusal, ValueError):
    pass


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
