"""The simplified game against slow, obvious recursion over tuples of faces."""

from collections.abc import Callable, Iterable
from functools import cache
from itertools import combinations
from operator import itemgetter

import numpy as np
import pytest

from solver.dp.arrays import Floats
from solver.learning.simplified import (
    CATEGORIES,
    KEPT,
    NO_BOX,
    Simplified,
    list_rounds,
    make_coin_turn,
)
from solver.learning.summary import evaluate_random_play
from solver.rules.dice import Dice, make_cup
from tests.solver.reference import outcomes

FIVE = make_cup(5)


def resulting(kept: Dice, thrown: Dice) -> set[Dice]:
    sizes = range(len(thrown) + 1)
    return {tuple(sorted(kept + more)) for n in sizes for more in combinations(thrown, n)}


def kept_by_coins(kept: Dice, thrown: Dice) -> list[Dice]:
    sizes = range(len(thrown) + 1)
    slots = (chosen for n in sizes for chosen in combinations(range(len(thrown)), n))
    return [tuple(sorted(kept + tuple(thrown[slot] for slot in chosen))) for chosen in slots]


def turn_value(
    ended: Callable[[Dice], float],
    pick: Callable[[list[float]], float],
    rethrow: bool = False,
    holding: Callable[[Dice, Dice], Iterable[Dice]] = resulting,
) -> float:
    """The expected ``ended(five dice)`` of a turn that picks from the values of all actions."""

    @cache
    def kept_value(kept: Dice, left: int) -> float:
        return sum(
            chance * after_throw(() if rethrow else kept, dice, left - 1, kept + dice)
            for dice, chance in outcomes(5 - len(kept))
        )

    @cache
    def after_throw(kept: Dice, dice: Dice, left: int, table: Dice) -> float:
        if not left:
            return ended(tuple(sorted(table)))
        holds = holding((), table) if rethrow else holding(kept, dice)
        return pick([ended(h) if len(h) == 5 else kept_value(h, left) for h in sorted(holds)])

    return kept_value((), 3)


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def value_of_end(
    game: Simplified, open_boxes: int, after: Floats, wasted: float, point: float
) -> Callable[[Dice], float]:
    """Return the value of five dice, when ``after[open]`` is the rest of the game."""

    def ended(dice: Dice) -> float:
        scored = [
            (category.score(dice), box)
            for box, category in enumerate(game.categories)
            if open_boxes >> box & 1 and category.score(dice)
        ]
        if not scored:
            return float(wasted + after[open_boxes])
        points, box = min(scored, key=itemgetter(1)) if game.easier else max(scored)
        return float(point * points + after[open_boxes - (1 << box)])

    return ended


def test_there_are_so_many_states_and_actions() -> None:
    game = Simplified()
    assert (len(FIVE.holds), len(FIVE.holds) - 1, KEPT - 1) == (
        462,
        461,
        209,
    )  # the source: 467 and 209
    assert game.actions == 210 + 142 + 1
    assert Simplified(CATEGORIES[:1]).actions == 210 + 126 + 1


def test_all_worthless_five_dice_are_one_action_and_no_others_are() -> None:
    game = Simplified()
    for open_boxes in range(1, 16):
        numbers = game.action[open_boxes]
        worthless = [
            all(
                not category.score(roll) or not open_boxes >> n & 1
                for n, category in enumerate(game.categories)
            )
            for roll in FIVE.rolls
        ]
        assert ((numbers[FIVE.first_roll :] == game.worthless) == worthless).all()
        told_apart = numbers[numbers != game.worthless]
        assert len(set(told_apart)) == len(told_apart)
        assert set(numbers[:KEPT]) == set(range(KEPT))


def test_dice_go_into_the_box_with_more_points_and_of_equals_into_the_harder() -> None:
    game = Simplified()
    names = [category.id for category in CATEGORIES]

    def box(open_boxes: int, *dice: int) -> str | None:
        number = int(game.box[open_boxes, FIVE.roll_index[dice]])
        return None if number == NO_BOX else names[number]

    assert box(0b1111, 6, 6, 6, 6, 6) == "four_of_a_kind"  # 24 beats 18
    assert box(0b0001, 6, 6, 6, 6, 6) == "three_of_a_kind"
    assert box(0b1111, 1, 2, 3, 4, 5) == "large_straight"
    assert box(0b0111, 1, 2, 3, 4, 5) == "small_straight"
    assert box(0b1011, 1, 1, 2, 3, 4) is None
    assert game.points[0b1111, FIVE.roll_index[3, 3, 3, 4, 5]] == 9
    twins = Simplified((CATEGORIES[0], CATEGORIES[0]))
    assert twins.box[0b11, FIVE.roll_index[3, 3, 3, 4, 5]] == 1


def test_dice_may_go_into_the_easier_box_instead() -> None:
    game, rolls = Simplified(easier=True), FIVE.roll_index
    found = [
        int(game.box[boxes, rolls[dice]])
        for boxes, dice in (
            (0b1111, (6, 6, 6, 6, 6)),
            (0b1110, (6, 6, 6, 6, 6)),
            (0b1111, (1, 2, 3, 4, 5)),
            (0b1111, (1, 1, 2, 3, 6)),
        )
    ]
    assert found == [0, 1, 2, NO_BOX]
    assert game.points[0b1111, rolls[6, 6, 6, 6, 6]] == 18


def test_what_may_be_kept_is_at_least_what_was_kept() -> None:
    r = list_rounds()
    for pair in range(0, len(r.kept), 37):
        kept, roll = FIVE.holds[r.kept[pair]], list(FIVE.rolls[r.roll[pair]])
        for face in kept:
            roll.remove(face)
        holds = [FIVE.holds[hold] for hold in r.hold[r.first[pair] : r.first[pair + 1]]]
        assert sorted(holds) == sorted(resulting(kept, tuple(roll)))
    assert np.bincount(r.kept, r.chance) == pytest.approx(1)


@pytest.mark.parametrize("rethrow", [False, True])
def test_random_play_is_worth_what_recursion_says(rethrow: bool) -> None:
    game = Simplified(CATEGORIES[:2], rethrow)
    worth = game.evaluate(lambda _: game.make_uniform_turn())
    for open_boxes in range(1, 4):
        turns = value_of_end(game, open_boxes, worth.turns, 0.0, 0.0)
        assert worth.turns[open_boxes] == pytest.approx(1 + turn_value(turns, mean, rethrow))
        points = value_of_end(game, open_boxes, worth.points, 0.0, 1.0)
        assert worth.points[open_boxes] == pytest.approx(turn_value(points, mean, rethrow))


@pytest.mark.parametrize("rethrow", [False, True])
def test_random_play_by_coins_is_worth_what_recursion_says(rethrow: bool) -> None:
    game = Simplified(CATEGORIES[:2], rethrow, easier=True)
    worth = game.evaluate(lambda _: make_coin_turn())
    for open_boxes in range(1, 4):
        turns = value_of_end(game, open_boxes, worth.turns, 0.0, 0.0)
        value = turn_value(turns, mean, rethrow, kept_by_coins)
        assert worth.turns[open_boxes] == pytest.approx(1 + value, abs=1e-12)
        points = value_of_end(game, open_boxes, worth.points, 0.0, 1.0)
        value = turn_value(points, mean, rethrow, kept_by_coins)
        assert worth.points[open_boxes] == pytest.approx(value, abs=1e-12)


def test_two_readings_of_random_play_fit_a_figure_of_the_source_each() -> None:
    """It measured 4 turns for three of a kind alone, and 68 for all four boxes."""
    alone, every = (
        evaluate_random_play(Simplified(CATEGORIES[:1])),
        evaluate_random_play(Simplified()),
    )
    for boxes, sets, coins in ((alone, 3.9568, 4.6957), (every, 55.1463, 68.3687)):
        assert boxes["sets"].random.turns == pytest.approx(sets, abs=1e-4)
        assert boxes["coins"].random.turns == pytest.approx(coins, abs=1e-4)
    for name, fits in (("sets", (True, False)), ("coins", (False, True))):
        turns = alone[name].random.turns, every[name].random.turns
        assert (round(turns[0]) == 4, round(turns[1]) == 68) == fits
    assert every["coins"].fewest_turns.turns == pytest.approx(8.91405, abs=1e-5)
    assert every["coins"].most_points.points == pytest.approx(96.91077, abs=1e-5)
    assert every["sets"].fewest_turns.turns == pytest.approx(7.46056, abs=1e-5)


def test_coins_and_the_easier_box_lengthen_random_play_together() -> None:
    higher, easier = Simplified(), Simplified(easier=True)
    assert higher.evaluate(lambda _: make_coin_turn()).turns[15] == pytest.approx(62.97, abs=0.005)
    assert easier.evaluate(lambda _: easier.make_uniform_turn()).turns[15] == pytest.approx(
        60.85, abs=0.005
    )


@pytest.mark.sampled("wasted", "point")
@pytest.mark.parametrize("easier", [False, True])
@pytest.mark.parametrize("rethrow", [False, True])
@pytest.mark.parametrize(("wasted", "point"), [(-1.0, 0.0), (-10.0, 1.0), (0.0, 1.0)])
def test_no_turn_is_better_than_the_best_one(
    wasted: float, point: float, rethrow: bool, easier: bool
) -> None:
    """The value that the best turns reach solves the equation of all turns."""
    game = Simplified(rethrow=rethrow, easier=easier)
    best = game.find_best_turns(wasted=wasted, point=point)
    worth = game.evaluate(lambda open_boxes: best[open_boxes])
    boxes = np.array([open_boxes.bit_count() for open_boxes in range(16)])
    value = point * worth.points + wasted * (worth.turns - boxes)
    for open_boxes in (6, 15):
        ended = value_of_end(game, open_boxes, value, wasted, point)
        assert turn_value(ended, max, rethrow) == pytest.approx(value[open_boxes], abs=1e-8)
