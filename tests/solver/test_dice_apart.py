"""Dice one by one: what all tests together say, against a slow reference and against chance."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from solver.statistics.chi_squared import calculate_uniform_p
from solver.statistics.fairness import DicePlaces, DiceTest, check_fairness_apart
from tests.solver.conftest import Run

Counts = npt.NDArray[np.int64]
ANY, FIRST, EACH = DicePlaces
FAIR = (20, 20, 20, 20, 20, 20)
UP, DOWN = (10, 10, 20, 20, 20, 40), (30, 30, 20, 20, 20, 0)


def apart(dice: Sequence[Sequence[int]], places: DicePlaces = EACH) -> DiceTest:
    return check_fairness_apart("", dice, places)


def ps(test: DiceTest) -> list[float]:
    return [die.p for die in test.apart]


def stepping_down(alone: Sequence[float]) -> list[float]:
    """The p of several: the lowest level at which Holm's steps come as far as this one."""
    found = []
    for p in alone:
        lower = sorted(other for other in alone if other <= p)
        steps = [other * (len(alone) - rank) for rank, other in enumerate(lower)]
        found.append(min(1.0, max(steps)))
    return found


def test_every_die_has_its_exact_p_and_the_one_of_all_tests_together() -> None:
    dice = [(7, 0, 0, 0, 0, 0), (3, 2, 1, 1, 0, 0), (4, 3, 0, 0, 0, 0), (0, 0, 1, 2, 1, 3)]
    found = apart(dice)
    alone = [calculate_uniform_p(counts)[0] for counts in dice]
    assert [die.test.fit.p for die in found.apart] == pytest.approx(alone, abs=1e-12)
    assert ps(found) == pytest.approx(stepping_down(alone), abs=1e-12)
    assert [die.number for die in found.apart] == [1, 2, 3, 4]
    assert found.counts == (14, 5, 2, 3, 1, 3)


def test_two_dice_that_are_loaded_against_each_other_are_both_found() -> None:
    found = apart([FAIR, UP, FAIR, DOWN, FAIR])
    assert found.fit.p == pytest.approx(1)
    assert [die.number for die in found.apart if die.p < 0.001] == [2, 4]
    assert apart([FAIR, UP, FAIR, DOWN, FAIR], ANY).apart == ()


def test_with_two_colours_the_first_is_tested_by_itself_and_the_others_together() -> None:
    found = apart([UP, FAIR, DOWN, FAIR, FAIR], FIRST)
    assert [(die.number, die.test.counts) for die in found.apart] == [
        (1, UP),
        (0, (90, 90, 80, 80, 80, 60)),
    ]
    assert ps(found)[0] == 2 * found.apart[0].test.fit.p
    assert found.fit.p > 0.5


def test_a_die_that_was_never_thrown_is_no_test() -> None:
    found = apart([UP, (0,) * 6, FAIR])
    assert [die.number for die in found.apart] == [1, 3]
    assert ps(found)[0] == 2 * found.apart[0].test.fit.p


def false_alarms(samples: Counts) -> float:
    """Return the share of made-up dice for which the test objects to any at 5 %."""
    found = [min(ps(apart(dice.tolist()))) < 0.05 for dice in samples]
    return sum(found) / len(found)


def test_of_fair_dice_one_set_in_twenty_at_most_is_spoken_against(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """5 dice, 24 throws: with exact p. Were each tested at 5 %, it would be 22 %."""
    known: dict[int, tuple[float, bool]] = {}

    def once(counts: Sequence[int]) -> tuple[float, bool]:
        squares = sum(count * count for count in counts)  # p hangs on nothing else
        return known.get(squares) or known.setdefault(squares, calculate_uniform_p(counts))

    monkeypatch.setattr("solver.statistics.fairness.calculate_uniform_p", once)
    samples = np.random.default_rng(4).multinomial(24, [1 / 6] * 6, size=(2000, 5))
    assert 0.03 < false_alarms(samples) < 0.06


def test_dice_of_games_are_spoken_against_as_seldom() -> None:
    """200 turns in which sixes are held: so a die falls less often where it showed them."""
    rng = np.random.default_rng(5)
    lying = rng.integers(6, size=(1000, 200, 5))
    samples = np.stack([(lying == face).sum(axis=1) for face in range(6)], axis=2)
    for _again in range(2):
        free = lying < 5
        lying = np.where(free, rng.integers(6, size=lying.shape), lying)
        samples += np.stack([(free & (lying == face)).sum(axis=1) for face in range(6)], axis=2)
    assert samples.sum(axis=2).min() > 400
    assert 0.03 < false_alarms(samples) < 0.07


def test_the_command_tests_dice_one_by_one(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "throws.txt"
    path.write_text("11\n26\n" * 60)
    status, out, _err = run("dice-test", "--file", str(path), "--places", "each", "--json")
    facts = json.loads(out)[0]
    assert status == 0
    assert [die["die"] for die in facts["apart"]] == [1, 2]
    first = facts["apart"][0]
    assert first["counts"] == {"1": 60, "2": 60, "3": 0, "4": 0, "5": 0, "6": 0}
    assert first["p_of_several"] == 2 * first["p"] > 0
    told = run("dice-test", "--file", str(path), "--places", "first")[1]
    assert "Dice one by one" in told
    assert "The others: " in told
    assert json.loads(run("dice-test", "--file", str(path), "--json")[1])[0]["apart"] == []
