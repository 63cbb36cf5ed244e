import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.advice import Advisor
from solver.cli.solve import GOLDEN, find_largest_error
from solver.dp.space import Space
from solver.dp.sweep import solve
from solver.rules import RULESETS, Joker, Ruleset
from tests.selection import examples
from tests.solver.reference import Reference

EVERY_CATEGORY = tuple(
    {c: None for rules in RULESETS.values() for c in rules.categories}  # in order, each once
)
YAHTZEE_BOX = next(c for c in EVERY_CATEGORY if c.id == "yahtzee")


@st.composite
def tiny_rulesets(draw: st.DrawFn) -> Ruleset:
    ids = st.lists(
        st.sampled_from(EVERY_CATEGORY), min_size=1, max_size=2, unique_by=lambda c: c.id
    )
    return Ruleset(
        id="tiny",
        title="Tiny",
        categories=tuple(draw(ids)),
        bonus_threshold=draw(st.integers(1, 70)),
        bonus_points=draw(st.integers(0, 60)),
        throws=draw(st.integers(1, 3)),
    )


@st.composite
def tiny_joker_rulesets(draw: st.DrawFn) -> Ruleset:
    others = [c for c in RULESETS["yahtzee"].categories if c.id != "yahtzee"]
    return Ruleset(
        id="tiny",
        title="Tiny",
        categories=(
            YAHTZEE_BOX,
            *draw(st.lists(st.sampled_from(others), min_size=1, max_size=2, unique=True)),
        ),
        bonus_threshold=draw(st.integers(1, 40)),
        bonus_points=draw(st.integers(0, 60)),
        throws=draw(st.integers(1, 2)),
        joker=Joker(
            "yahtzee", draw(st.sampled_from(["forced", "free"])), draw(st.integers(0, 100))
        ),
    )


def assert_equal_to_the_reference(rules: Ruleset) -> None:
    space, reference = Space(rules), Reference(rules)
    values = solve(rules, threads=1)
    assert np.array_equal(np.isfinite(values), space.reachable)
    for row, column in np.argwhere(space.reachable).tolist():
        filled, chips_won = row & rules.full, bool(row >> space.boxes)
        expected = reference.start(filled, column, chips_won)
        assert values[row, column] == pytest.approx(expected, abs=1e-10)


@settings(max_examples=examples(12))
@given(tiny_rulesets())
def test_the_solver_agrees_with_the_definition(rules: Ruleset) -> None:
    assert_equal_to_the_reference(rules)


@settings(max_examples=6)
@given(tiny_joker_rulesets())
def test_the_solver_agrees_with_the_definition_where_there_are_jokers(rules: Ruleset) -> None:
    assert_equal_to_the_reference(rules)


def test_every_ruleset_has_its_golden_value(any_advisor: Advisor) -> None:
    value, tolerance = GOLDEN[any_advisor.rules.id]
    assert any_advisor.value(0, 0) == pytest.approx(value, abs=tolerance)
    assert any_advisor.value_start == any_advisor.value(0, 0)


def test_a_value_is_the_sum_of_probabilities_times_best(any_advisor: Advisor) -> None:
    assert find_largest_error(any_advisor, seed=7) < 1e-9


@pytest.mark.parametrize(("ruleset", "states"), [("yatzy", 1_430_528), ("yahtzee", 536_448)])
def test_only_reachable_positions_have_a_value(ruleset: str, states: int) -> None:
    assert Space(RULESETS[ruleset]).reachable.sum() == states


def test_the_number_of_threads_changes_nothing() -> None:
    rules = RULESETS["yahtzee-plain"]
    assert np.array_equal(solve(rules, threads=1), solve(rules, threads=3), equal_nan=True)


def test_progress_is_reported_up_to_the_end() -> None:
    seen = []
    solve(RULESETS["yahtzee-plain"], progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]
