"""The backward sweep in one piece and in stages, compared with a slow reference."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.advice import Advisor
from solver.charts.chart import BARS, NARROW, TALL, Stage, Stages
from solver.cli.solve import GOLDEN, find_largest_error
from solver.dp import arrays
from solver.dp.arrays import Floats
from solver.dp.outlook import PLANES_AT_ONCE, calculate_outlook, carry
from solver.dp.packing import build_lines
from solver.dp.slots import MOST_SLOTS, Slots, build_slots, find_points_by_face
from solver.dp.space import TILE, Space
from solver.dp.sweep import _split_block, solve
from solver.rules import RULESETS, YATZY, Joker, Ruleset
from solver.rules.dice import make_cup
from solver.rules.rulesets import Category
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


@settings(max_examples=examples(10))
@given(st.one_of(tiny_rulesets(), tiny_joker_rulesets()))
def test_what_the_boxes_are_expected_to_bring_adds_up_to_the_value(rules: Ruleset) -> None:
    boxes = len(rules.categories)
    linear, none = np.eye(PLANES_AT_ONCE, boxes), np.zeros(PLANES_AT_ONCE)
    full_card, chips = none.copy(), none.copy()
    full_card[boxes], chips[boxes] = rules.bonus_points, 1.0
    values, carried = solve(rules), carry(rules, solve(rules), linear, none, full_card, chips=chips)
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


SVG = "{http://www.w3.org/2000/svg}"
STAGES = Stages(
    "How many?",
    "One & two",
    ("all", "some"),
    [
        Stage("first", "1", 1, 0.5),
        Stage("<second>", "1,000", 1000, 250),
        Stage("third", "", 500, 125),
    ],
)


def drawn(stages: Stages) -> ElementTree.Element:
    return ElementTree.fromstring(stages.svg())


def bars(root: ElementTree.Element, kind: str) -> list[tuple[float, ...]]:
    found = [one for one in root.iter(f"{SVG}rect") if kind in one.get("class", "")][1:]
    return [tuple(float(one.get(of, "")) for of in ("x", "y", "width")) for one in found]


def test_it_is_well_formed_and_told_in_words() -> None:
    root = drawn(STAGES)
    assert root.get("role") == "img"
    assert (root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc")) == ("How many?", "One & two")
    texts = [one.text for one in root.iter(f"{SVG}text")]
    assert texts == ["all", "some", "first", "1", "<second>", "1,000", "third", None]
    assert not [one for one in root.iter() if one.get("style")]


@pytest.mark.parametrize("width", [480.0, NARROW])
def test_bars_are_as_long_as_what_they_stand_for_and_fill_the_width(width: float) -> None:
    root = drawn(Stages("", "", STAGES.keys, STAGES.stages, width=width))
    sizes, parts = bars(root, "chart-histogram"), bars(root, "chart-bar")
    most = width - BARS - 8
    assert [length for _x, _y, length in sizes] == pytest.approx([1, most, most / 2], abs=0.06)
    assert [length for _x, _y, length in parts] == pytest.approx([1, most / 4, most / 8], abs=0.06)
    assert [(x, y) for x, y, _ in sizes] == [(x, y) for x, y, _ in parts]
    assert [y - sizes[0][1] for _x, y, _ in sizes] == [0, TALL, 2 * TALL]
    box = [float(value) for value in root.get("viewBox", "").split()]
    assert sizes[-1][1] + 12 < box[3] < sizes[-1][1] + 40
    assert box[2] == width


def test_a_way_leads_down_to_each_and_back_to_the_first() -> None:
    arrows = [one for one in drawn(STAGES).iter(f"{SVG}path") if one.get("fill") is None]
    assert len(arrows) == len(STAGES.stages)
    assert len(list(drawn(STAGES).iter(f"{SVG}circle"))) == len(STAGES.stages)


def test_a_page_gets_a_narrow_one_too() -> None:
    assert (
        STAGES.draw_for_page()
        == STAGES.svg()
        + Stages(
            "How many?", "One & two", STAGES.keys, STAGES.stages, NARROW, "chart chart--narrow"
        ).svg()
    )
