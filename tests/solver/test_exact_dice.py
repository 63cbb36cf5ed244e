"""The exact chance that fair dice are at least so uneven, beside every way they can fall."""

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import product
from math import factorial, prod

import pytest

from solver.statistics.chi_squared import MOST_EXACT, calculate_uniform_p, chi_squared

FACES = 6


def squares(counts: Iterable[int]) -> int:
    return sum(count * count for count in counts)


def thrown(dice: int) -> Counter[int]:
    return Counter(squares(Counter(faces).values()) for faces in product(range(FACES), repeat=dice))


def counted(dice: int) -> Counter[int]:
    sums: Counter[int] = Counter()
    for first in product(range(dice + 1), repeat=FACES - 1):
        if sum(first) <= dice:
            counts = (*first, dice - sum(first))
            sums[squares(counts)] += factorial(dice) // prod(map(factorial, counts))
    return sums


@pytest.mark.parametrize(("dice", "ways"), [(n, thrown) for n in range(1, 7)] + [(11, counted)])
def test_few_dice_agree_with_counting_every_throw(
    dice: int, ways: Callable[[int], Counter[int]]
) -> None:
    sums = ways(dice)
    examples = {squares(c): c for c in product(range(dice + 1), repeat=FACES) if sum(c) == dice}
    for seen, counts in examples.items():
        more = sum(number for total, number in sums.items() if total >= seen)
        p, exact = calculate_uniform_p(counts)
        assert exact
        assert p == pytest.approx(more / FACES**dice, rel=1e-12)


def test_the_order_of_the_faces_does_not_matter() -> None:
    counts = [3, 9, 12, 7, 4, 10]
    assert calculate_uniform_p(counts) == calculate_uniform_p(sorted(counts))


def test_no_dice_say_nothing_and_even_ones_are_never_too_uneven() -> None:
    assert calculate_uniform_p([0] * FACES) == (1.0, True)
    p, exact = calculate_uniform_p([20] * FACES)
    assert p == pytest.approx(1.0)
    assert exact is True


def test_many_dice_take_the_tail_of_chi_squared_which_is_then_close() -> None:
    counts = [MOST_EXACT // FACES + extra for extra in (9, -9, 6, -6, 0, 0)]
    due = [sum(counts) / FACES] * FACES
    exactly, exact = calculate_uniform_p(counts)
    assert exact
    assert exactly == pytest.approx(chi_squared(counts, due).p, rel=0.01)
    more = [*counts[:5], counts[5] + 5]
    assert calculate_uniform_p(more) == (chi_squared(more, [sum(more) / FACES] * FACES).p, False)


def test_a_chance_that_is_next_to_nothing_is_not_rounded_away() -> None:
    assert calculate_uniform_p([300, 0, 0, 0, 0, 0])[0] == pytest.approx(6.0**-299, rel=1e-9)
