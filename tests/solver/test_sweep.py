"""The parts of the sweep, each against the plain rule that it stands for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.cli.solve import GOLDEN
from solver.dp import arrays
from solver.dp.arrays import Floats
from solver.dp.outlook import PLANES_AT_ONCE, calculate_outlook, carry
from solver.dp.packing import build_lines
from solver.dp.slots import MOST_SLOTS, Slots, build_slots, find_points_by_face
from solver.dp.space import TILE, Space
from solver.dp.sweep import _split_block, solve
from solver.rules import RULESETS, YATZY, Ruleset
from solver.rules.dice import make_cup
from solver.rules.rulesets import Category
from tests.selection import examples
from tests.solver.test_solver import tiny_joker_rulesets, tiny_rulesets

FIVE = make_cup(5)

EVERY_RULESET = pytest.mark.parametrize("rules", RULESETS.values(), ids=list(RULESETS))


def slots_of_rolls(slots: Slots) -> dict[int, list[int]]:
    found = {}
    for number in range(1, MOST_SLOTS + 1):
        lines = slots.rolls[slots.ends[number - 1] : slots.ends[number]]
        for roll, *places in (lines.reshape(-1, number + 1) // TILE).tolist():
            found[roll - FIVE.first_roll] = places
    return found


@EVERY_RULESET
def test_the_best_slot_of_a_roll_is_what_the_box_gives(rules: Ruleset) -> None:
    slots = build_slots(rules)
    of_roll = slots_of_rolls(slots)
    assert sorted(of_roll) == list(range(len(FIVE.rolls)))
    for box, category in enumerate(rules.categories):
        raised = np.zeros(slots.number)
        entries = slice(slots.start[box], slots.start[box + 1])
        raised[slots.slot[entries] // TILE] = slots.points[entries]
        for roll, dice in enumerate(FIVE.rolls):
            assert raised[of_roll[roll]].max() == category.score(dice)


@EVERY_RULESET
def test_only_the_upper_boxes_move_the_upper_total(rules: Ruleset) -> None:
    slots = build_slots(rules)
    for box, category in enumerate(rules.categories):
        entries = slice(slots.start[box], slots.start[box + 1])
        moved = slots.points[entries] if category.face else np.zeros_like(slots.step[entries])
        assert np.array_equal(slots.step[entries], moved)


def test_boxes_that_one_face_decides_share_their_slots() -> None:
    shared = {
        category.id
        for category, points in zip(YATZY.categories, arrays.calculate_points(YATZY), strict=True)
        if find_points_by_face(points, FIVE) is not None
    }
    upper = {YATZY.categories[number].id for number in YATZY.upper}
    assert shared == upper | {"pair", "three_of_a_kind", "four_of_a_kind", "yatzy"}


def test_a_roll_with_more_slots_than_the_kernel_takes_is_refused() -> None:
    boxes = tuple(Category(f"any{n}", "any") for n in range(MOST_SLOTS - 4))
    with pytest.raises(ValueError, match="slots"):
        build_slots(Ruleset("crowded", "Crowded", boxes, 1, 0))


@given(tiny_rulesets())
def test_where_the_bonus_is_lost_no_play_can_win_it(rules: Ruleset) -> None:
    space = Space(rules)
    for filled in range(rules.full + 1):
        totals = rules.list_upper_totals(filled)
        most = sum(5 * rules.categories[n].face for n in rules.upper if not filled >> n & 1)
        lost = [total for total in totals if total + most < rules.bonus_threshold]
        assert space.alike_until[filled] == max(lost, default=0)


@EVERY_RULESET
def test_every_position_that_differs_has_its_own_lane(rules: Ruleset) -> None:
    lines = build_lines(rules)
    starts, _ = lines.make_grid()
    rows = np.concatenate(lines.space.list_levels())
    first, card = lines.find_starts(starts, rows), lines.space.upper_card[rows]
    count = np.array([len(columns) for columns in lines.packing.columns])[card]
    lanes = np.concatenate([at + np.arange(n) for at, n in zip(first, count, strict=True)])
    assert len(np.unique(lanes)) == len(lanes) == lines.packing.values


def alike_differ_by(space: Space, table: Floats) -> float:
    until = space.alike_until[:, None]
    alike = space.reachable & (np.arange(space.columns) <= until)
    return float(np.abs(table - np.take_along_axis(table, until, axis=1))[alike].max())


@EVERY_RULESET
def test_a_table_solved_afresh_is_golden_and_alike_where_the_bonus_is_lost(rules: Ruleset) -> None:
    """Other tests may find their table on the disk, solved before the kernel was changed."""
    space, values = Space(rules), solve(rules)
    golden, tolerance = GOLDEN[rules.id]
    assert values[0, 0] == pytest.approx(golden, abs=tolerance)
    assert np.array_equal(np.isfinite(values), space.reachable)
    assert alike_differ_by(space, values) == 0


@given(st.integers(1, 7000), st.integers(1, 16))
def test_the_rows_of_a_level_are_handed_out_in_order_and_once(rows: int, threads: int) -> None:
    level = np.arange(rows)
    pieces = list(_split_block(level, threads))
    assert np.array_equal(np.concatenate(pieces), level)
    sizes = [len(piece) for piece in pieces]
    assert sizes == sorted(sizes, reverse=True)
    assert len(pieces) >= min(threads, rows)
    assert sizes[-1] <= 16


def expected_of_all_boxes(rules: Ruleset) -> Floats:
    """The plane of every box, then of both bonuses; as many planes as the table is made with."""
    boxes = len(rules.categories)
    linear, none = np.eye(PLANES_AT_ONCE, boxes), np.zeros(PLANES_AT_ONCE)
    full_card, chips = none.copy(), none.copy()
    full_card[boxes], chips[boxes] = rules.bonus_points, 1.0
    return carry(rules, solve(rules), linear, none, full_card, chips=chips)


@settings(max_examples=examples(10))
@given(st.one_of(tiny_rulesets(), tiny_joker_rulesets()))
def test_what_the_boxes_are_expected_to_bring_adds_up_to_the_value(rules: Ruleset) -> None:
    values, carried = solve(rules), expected_of_all_boxes(rules)
    assert np.array_equal(np.isfinite(carried[..., 0]), Space(rules).reachable)
    assert np.nanmax(np.abs(carried.sum(axis=-1) - values)) < 1e-8
    for box in range(len(rules.categories)):
        filled = np.arange(len(values)) >> box & 1 == 1
        assert not np.nan_to_num(carried[filled, :, box]).any()


def test_the_spread_is_carried_afresh_as_the_tables_have_it() -> None:
    values = solve(YATZY)
    outlook = calculate_outlook(YATZY, values)
    chance, second_moment = outlook[0, 0]
    assert chance == pytest.approx(0.8981, abs=1e-4)
    assert np.sqrt(second_moment - values[0, 0] ** 2) == pytest.approx(38.4964, abs=1e-3)
    assert alike_differ_by(Space(YATZY), outlook[..., 1]) == 0
