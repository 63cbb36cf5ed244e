"""Perfect play with dice that are not fair, against the definition of the game."""

import json
from dataclasses import replace
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.cli.solve import GOLDEN
from solver.dp.sweep import evaluate_dice
from solver.exact.any_die import estimate_die_value
from solver.rules import RULESETS, YATZY, Ruleset
from solver.rules.dice import FACES, Dice, make_cup
from solver.study.published import read_real_dice_value
from tests.selection import examples
from tests.solver.conftest import Run
from tests.solver.reference import Reference
from tests.solver.test_solver import tiny_joker_rulesets, tiny_rulesets

FIVE = make_cup(5)

OF_THE_STUDY = (76, 84, 84, 91, 90, 85)


class LoadedReference(Reference):
    def __init__(self, rules: Ruleset, chances: list[float]) -> None:
        super().__init__(rules)
        self.chances = chances

    def _hold(self, kept: Dice, left: int, filled: int, upper: int, chips_won: bool) -> float:
        total = 0.0
        for thrown in product(range(1, FACES + 1), repeat=FIVE.dice - len(kept)):
            chance = prod(self.chances[face - 1] for face in thrown)
            dice = tuple(sorted(kept + thrown))
            total += chance * self.best(dice, left - 1, filled, upper, chips_won)
        return total


@settings(max_examples=examples(12), deadline=None)
@given(
    st.one_of(tiny_rulesets(), tiny_joker_rulesets()),
    st.lists(st.integers(0, 9), min_size=FACES, max_size=FACES).filter(any),
)
def test_the_value_is_that_of_the_definition_with_weights(
    rules: Ruleset, counts: list[int]
) -> None:
    chances = np.array(counts) / sum(counts)
    reference = LoadedReference(rules, chances.tolist())
    assert evaluate_dice(rules, chances) == pytest.approx(reference.start(0, 0, False), abs=1e-9)


@pytest.mark.sampled("rules")
@pytest.mark.parametrize("rules", RULESETS.values(), ids=list(RULESETS))
def test_a_fair_die_is_worth_what_the_tables_say(rules: Ruleset) -> None:
    golden, tolerance = GOLDEN[rules.id]
    assert evaluate_dice(rules, np.full(FACES, 1 / FACES)) == pytest.approx(golden, abs=tolerance)


@pytest.mark.nightly
def test_a_die_that_shows_nothing_but_sixes_fills_every_box_with_them() -> None:
    sixes = np.array([0, 0, 0, 0, 0, 1.0])
    points = sum(category.score((6,) * FIVE.dice) for category in YATZY.categories)
    assert evaluate_dice(YATZY, sixes) == pytest.approx(points)
    assert estimate_die_value(YATZY, (0, 0, 0, 0, 0, 7)).error == pytest.approx(0.0)


@pytest.mark.nightly
def test_the_dice_of_the_study_are_worth_what_another_solver_found(run: Run) -> None:
    counts = ",".join(map(str, OF_THE_STUDY))
    status, out, _ = run("solve", "yatzy", "--dice-counts", counts, "--json")
    facts = json.loads(out)
    assert status == 0
    assert facts["value"] == pytest.approx(252.6988, abs=5e-5)
    assert facts["fair_value"] == pytest.approx(GOLDEN["yatzy"][0], abs=1e-8)
    kept = read_real_dice_value()
    assert (kept.value, kept.high) == pytest.approx((facts["value"], facts["high"]), abs=1e-9)
    assert facts["low"] < facts["fair_value"] < facts["value"] < facts["high"]


def test_the_error_is_the_spread_of_the_value_over_other_throws_of_such_dice() -> None:
    few = replace(YATZY, categories=YATZY.categories[3:9], bonus_threshold=30)
    chances = np.array(OF_THE_STUDY) / sum(OF_THE_STUDY)
    rng = np.random.default_rng(1)
    again = rng.multinomial(sum(OF_THE_STUDY), chances, size=400) / sum(OF_THE_STUDY)
    spread = np.std([evaluate_dice(few, one) for one in again])
    assert estimate_die_value(few, OF_THE_STUDY).error == pytest.approx(spread, rel=0.12)


def test_a_table_for_people_shows_the_value_and_its_interval(run: Run) -> None:
    out = run("solve", "yahtzee-plain", "--dice-counts", "1,1,1,1,1,1")[1]
    assert "245.870775" in out
    assert "95 % interval, by 6 dice" in out
