"""What the boxes of Maxi Yatzy ask for, by listing all throws of six dice."""

from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import product

import pytest

from solver.rules import SOLVED, UnknownRuleset, find_ruleset

MAXI = SOLVED["maxi-yatzy"]
# Of the 6^6 throws, by hand: orders of each shape of six dice, times the faces that it can have.
SHAPES = {
    (6,): 6,
    (5, 1): 30 * 6,
    (4, 2): 30 * 15,
    (4, 1, 1): 6 * 10 * 30,
    (3, 3): 15 * 20,
    (3, 2, 1): 120 * 60,
    (3, 1, 1, 1): 6 * 10 * 120,
    (2, 2, 2): 20 * 90,
    (2, 2, 1, 1): 15 * 6 * 180,
    (2, 1, 1, 1, 1): 6 * 5 * 360,
    (1, 1, 1, 1, 1, 1): 720,
}
ASKED: dict[str, Callable[[tuple[int, ...]], bool]] = {
    "pair": lambda shape: shape[0] >= 2,
    "two_pairs": lambda shape: len(shape) > 1 and shape[1] >= 2,
    "three_pairs": lambda shape: shape == (2, 2, 2),
    "three_of_a_kind": lambda shape: shape[0] >= 3,
    "four_of_a_kind": lambda shape: shape[0] >= 4,
    "five_of_a_kind": lambda shape: shape[0] >= 5,
    "full_straight": lambda shape: len(shape) == 6,
    "full_house": lambda shape: shape in {(3, 3), (4, 2), (3, 2, 1)},
    "villa": lambda shape: shape == (3, 3),
    "tower": lambda shape: shape == (4, 2),
    "chance": lambda shape: True,
    "maxi_yatzy": lambda shape: shape == (6,),
}
STRAIGHT = 720 + 5 * 360  # all six faces, or one of five twice


@cache
def scoring(box: str) -> Counter[int]:
    category = MAXI.categories[MAXI.index[box]]
    found: Counter[int] = Counter()
    orders = Counter(tuple(sorted(dice)) for dice in product(range(1, 7), repeat=6))
    for dice, number in orders.items():
        found[category.score(dice)] += number
    return found


def throws_that_score(box: str) -> int:
    return 6**6 - scoring(box)[0]


@pytest.mark.parametrize("box", ASKED)
def test_a_box_is_scored_by_the_throws_that_have_its_shape(box: str) -> None:
    assert sum(SHAPES.values()) == 6**6
    expected = sum(number for shape, number in SHAPES.items() if ASKED[box](shape))
    assert throws_that_score(box) == expected


def test_the_other_boxes_are_those_of_faces_and_of_five_in_a_row() -> None:
    assert set(MAXI.index) - set(ASKED) == {
        *("ones", "twos", "threes", "fours", "fives", "sixes"),
        *("small_straight", "large_straight"),
    }
    assert throws_that_score("sixes") == 6**6 - 5**6
    assert scoring("small_straight") == {0: 6**6 - STRAIGHT, 15: STRAIGHT}
    assert scoring("large_straight") == {0: 6**6 - STRAIGHT, 20: STRAIGHT}
    assert set(scoring("full_straight")) == {0, 21}
    assert set(scoring("maxi_yatzy")) == {0, 100}


@pytest.mark.parametrize(
    ("box", "dice", "points"),
    [
        ("two_pairs", (6, 6, 5, 5, 4, 4), 22),
        ("two_pairs", (6, 6, 6, 6, 1, 1), 14),
        ("two_pairs", (6, 6, 6, 6, 2, 1), 0),
        ("three_pairs", (1, 1, 2, 2, 6, 6), 18),
        ("three_pairs", (1, 1, 1, 1, 6, 6), 0),
        ("full_house", (5, 5, 5, 5, 6, 6), 27),
        ("full_house", (5, 5, 5, 6, 6, 6), 28),
        ("full_house", (1, 2, 2, 2, 3, 3), 12),
        ("villa", (1, 1, 1, 6, 6, 6), 21),
        ("villa", (6,) * 6, 0),
        ("tower", (2, 2, 2, 2, 5, 5), 18),
        ("tower", (2, 2, 5, 5, 5, 5), 24),
        ("tower", (6,) * 6, 0),
        ("five_of_a_kind", (3,) * 6, 15),
        ("chance", (1, 2, 3, 4, 5, 6), 21),
    ],
)
def test_the_dice_of_the_combination_are_added_up(
    box: str, dice: tuple[int, ...], points: int
) -> None:
    assert MAXI.categories[MAXI.index[box]].score(dice) == points


def test_there_are_twenty_boxes_and_a_bonus_for_four_of_each() -> None:
    assert (MAXI.dice, MAXI.throws, len(MAXI.categories)) == (6, 3, 20)
    assert MAXI.bonus_threshold == sum(4 * face for face in range(1, 7))
    assert [SOLVED[name].bonus_points for name in ("maxi-yatzy", "maxi-yatzy-50")] == [100, 50]


def test_what_the_solver_knows_beyond_what_people_play_is_told_apart() -> None:
    """No two have one hash, or the tables of one could be taken for another's."""
    assert len({rules.hash for rules in SOLVED.values()}) == len(SOLVED)
    assert find_ruleset("maxi-yatzy", SOLVED) is MAXI
    with pytest.raises(UnknownRuleset, match=r"yahtzee-plain$"):
        find_ruleset("maxi-yatzy")
    with pytest.raises(UnknownRuleset, match=r"maxi-yatzy-saved$"):
        find_ruleset("maxi", SOLVED)
