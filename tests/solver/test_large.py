"""Large tables, level by level, and the boxes of Maxi Yatzy."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from itertools import product
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from solver.advice import Advisor
from solver.advice.moments import read_stored_worth
from solver.arena.performance import simulate
from solver.cli.solve import GOLDEN, find_largest_error
from solver.dp.arrays import Floats
from solver.dp.levels import solve_by_level
from solver.dp.packing import Packing, RowGroup, is_large
from solver.dp.space import Space, Unsolvable
from solver.dp.sweep import solve
from solver.players.values import ValuePlay
from solver.rules import RULESETS, SOLVED, YATZY, Ruleset, UnknownRuleset, find_ruleset
from solver.rules.rulesets import NO_LIMIT
from solver.tables import BadTable, Table, open_table, write_packed
from solver.tables.packed import Whole, open_packed
from solver.tables.parts import make_values
from tests.known import known
from tests.solver.made_up import FIVE_DICE, MADE_UP, SIX_DICE, THREE_DICE, TWO_DICE
from tests.solver.reference import Reference, SavedReference

YAHTZEE, MAXI = SOLVED["yahtzee"], SOLVED["maxi-yatzy"]
THREE_BOXES = replace(  # six dice, and one box of each kind of Maxi Yatzy
    MAXI,
    id="three-boxes",
    categories=tuple(c for c in MAXI.categories if c.id in {"fives", "tower", "three_pairs"}),
    bonus_threshold=16,
    throws=2,
)
SAVED = (
    replace(TWO_DICE, id="two-dice-saved", stock=NO_LIMIT),
    replace(THREE_DICE, id="three-dice-saved", stock=NO_LIMIT, throws=3),
    replace(THREE_DICE, id="three-dice-two-saved", stock=2),
    replace(TWO_DICE, id="two-dice-one-throw", stock=NO_LIMIT, throws=1),
    replace(FIVE_DICE, id="five-dice-saved", stock=NO_LIMIT),
)


QUICK = (FIVE_DICE, YAHTZEE)
REST = [one for one in (YATZY, *MADE_UP) if one not in QUICK]
EACH = (*QUICK, *(pytest.param(one, marks=pytest.mark.nightly) for one in REST))


@cache
def by_level(rules: Ruleset) -> tuple[list[list[Floats]], float]:
    packing = Packing(Space(rules))
    found: list[list[Floats]] = [[] for _ in range(packing.space.rows)]

    def write(group: RowGroup, values: Floats) -> None:
        assert values.shape == (len(group.rows), group.width)
        for row, numbers in zip(group.rows.tolist(), values, strict=True):
            places = packing.places[packing.space.upper_card[row]]
            planes = numbers.reshape(-1, len(group.columns))
            found[row] = [np.append(plane, np.nan)[places] for plane in planes]

    start = solve_by_level(rules, write, threads=3)
    return found, start


@pytest.mark.parametrize("rules", EACH, ids=lambda rules: rules.id)
def test_level_by_level_everything_is_worth_the_same(rules: Ruleset) -> None:
    values, (found, start) = solve(rules), by_level(rules)
    for row, planes in enumerate(found):
        if planes:
            assert np.array_equal(planes[0], values[row], equal_nan=True)
        else:
            assert not np.isfinite(values[row]).any()
    assert start == values[0, 0]


def test_six_dice_and_the_boxes_of_maxi_yatzy_follow_the_definition() -> None:
    reference, (found, _) = Reference(THREE_BOXES), by_level(THREE_BOXES)
    for filled in range(THREE_BOXES.full + 1):
        for upper in THREE_BOXES.list_upper_totals(filled):
            expected = reference.start(filled, upper, False)
            worth = found[filled][0][min(upper, THREE_BOXES.bonus_threshold)]
            assert worth == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize(
    "rules",
    [*SAVED[:-1], pytest.param(SAVED[-1], marks=pytest.mark.nightly)],
    ids=lambda rules: rules.id,
)
def test_every_stock_is_worth_what_the_definition_says(rules: Ruleset) -> None:
    reference, (found, start) = SavedReference(rules), by_level(rules)
    assert start == pytest.approx(reference.start(0, 0, 0), abs=1e-12)
    for filled in range(rules.full + 1):
        most = rules.throws + (rules.throws - 1) * filled.bit_count()
        most = 0 if filled == rules.full else most
        assert len(found[filled]) == min(most, rules.stock) + 1
        for saved, values in enumerate(found[filled]):
            for upper in rules.list_upper_totals(filled):
                expected = reference.start(filled, upper, saved)
                worth = values[min(upper, rules.bonus_threshold)]
                assert worth == pytest.approx(expected, abs=1e-12)


def test_saved_throws_are_not_left_out_by_who_knows_nothing_of_them() -> None:
    with pytest.raises(Unsolvable, match="throws are saved"):
        solve(SAVED[0])
    with pytest.raises(Unsolvable, match="jokers, and throws that are saved"):
        Space(replace(YAHTZEE, stock=1))


def test_tables_of_six_dice_and_of_saved_rolls_are_large_but_no_studied_one_is() -> None:
    assert is_large(MAXI)
    assert is_large(SOLVED["yatzy-saved"])
    assert not any(is_large(rules) for rules in RULESETS.values())


def written(rules: Ruleset, path: Path) -> Table:
    write_packed(path, rules, partial(solve_by_level, rules))
    return open_packed(path, rules)


@pytest.mark.parametrize("rules", [YAHTZEE, SAVED[2]], ids=lambda rules: rules.id)
def test_what_is_stored_is_what_was_worked_out_to_half_a_unit(
    rules: Ruleset, tmp_path: Path
) -> None:
    table, (found, start) = written(rules, tmp_path / "values"), by_level(rules)
    table.check()
    assert table.value_start == start
    assert 0 < table.precision == Whole(rules).step / 2 < 1e-6
    for row, planes in enumerate(found):
        for saved, values in enumerate(planes):
            stored = table.read_row(row | saved << len(rules.categories))
            assert np.array_equal(np.isnan(stored), np.isnan(values))
            assert np.nanmax(np.abs(stored - values)) <= table.precision
        if not planes:
            assert np.isnan(table.read_row(row)).all()


def test_a_unit_is_as_small_as_the_highest_score_allows() -> None:
    assert Whole(MAXI).step * 2**32 == 1024
    assert Whole(YATZY).step * 2**32 == 512


def test_all_rows_at_once_are_those_one_by_one(tmp_path: Path) -> None:
    table = written(SIX_DICE, tmp_path / "values")
    for row, values in enumerate(table.read_all()):
        assert np.array_equal(values, table.read_row(row), equal_nan=True)


def test_damage_to_any_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "values"
    sound, payload = written(SAVED[0], path).read_row(0), path.read_bytes()
    for at in range(0, len(payload), 7):
        damaged = bytearray(payload)
        damaged[at] ^= 0x10
        path.write_bytes(damaged)
        try:
            table = open_packed(path, SAVED[0])
            table.check()
        except BadTable:
            continue
        assert np.array_equal(table.read_row(0), sound, equal_nan=True)  # that was padding


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


# Maxi Yatzy and saved throws as a whole, solved afresh: minutes of work, so nightly.


Z999 = 3.29


def solved(rules: Ruleset, folder: Path) -> Advisor:
    path = folder / rules.id
    make_values(rules, path)
    return Advisor(open_table(rules, path=path), rules)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["maxi-yatzy", "yatzy-saved"])
def test_the_value_is_golden_and_one_step_back_gives_it_again(name: str, tmp_path: Path) -> None:
    advisor = solved(SOLVED[name], tmp_path)
    golden, tolerance = GOLDEN[name]
    assert advisor.value_start == pytest.approx(golden, abs=tolerance)
    assert find_largest_error(advisor, positions=10_000) < 1e-9 + 2 * advisor.values.precision


@pytest.mark.nightly
def test_games_of_maxi_yatzy_come_to_its_value(tmp_path: Path) -> None:
    rules, games = SOLVED["maxi-yatzy"], 100_000
    advisor = solved(rules, tmp_path)
    values: np.ndarray[tuple[int, int], np.dtype[np.float64]] = advisor.values.read_all()
    played = simulate(ValuePlay(values, rules), rules, "optimal", games, seed=7)
    scores = np.repeat(np.arange(len(played.counts)), played.counts)
    of, games = known(read_stored_worth(rules)).evaluation, len(scores)
    fourth, variance = float(((scores - of.mean) ** 4).mean()), of.deviation**2
    assert scores.mean() == pytest.approx(of.mean, abs=Z999 * of.deviation / sqrt(games))
    error = sqrt((fourth - variance**2) / games)
    assert scores.var() == pytest.approx(variance, abs=Z999 * error)
    error = sqrt(of.bonus_probability * (1 - of.bonus_probability) / games)
    assert played.bonus_share == pytest.approx(of.bonus_probability, abs=Z999 * error)
