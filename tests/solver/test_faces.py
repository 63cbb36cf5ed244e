"""Throws as people write them down, and what so many dice can show."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import exp, prod
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.cli.solve import GOLDEN
from solver.dp.sweep import evaluate_dice
from solver.exact.any_die import estimate_die_value
from solver.rules import MOST_DICE, RULESETS, YATZY, Ruleset
from solver.rules.dice import FACES, Dice, make_cup
from solver.statistics.chi_squared import calculate_uniform_p, chi_squared_tail
from solver.statistics.fairness import (
    NOTICED,
    WEIGHT,
    BadFaces,
    DicePlaces,
    DiceTest,
    NoFaces,
    NotAFace,
    NotAThrow,
    check_fairness,
    check_fairness_apart,
    count_needed_dice,
    decode_text,
    find_z_score,
    parse_faces,
    read,
)
from solver.study.published import read_real_dice_value
from tests.known import known
from tests.selection import examples
from tests.solver.conftest import Run
from tests.solver.reference import Reference
from tests.solver.test_solver import tiny_joker_rulesets, tiny_rulesets

FIVE = (1, 1, 1, 1, 1, 0)


@pytest.mark.parametrize(
    "text",
    [
        "13245",
        "1 3 2 4 5",
        "1,3;2/4\t5",
        "1\n3\r\n2\r4\n\n5\n",
        '"1","3","2"\n"4","5",""',
        "⚀ ⚂ ⚁ ⚃ ⚄",
        "\ufeff132_45",
        "first,second,third\n1,3,2\n4,5,",
    ],
)
def test_the_same_five_dice_may_be_written_in_many_ways(text: str) -> None:
    assert parse_faces(text).counts == FIVE


@given(st.lists(st.integers(1, 6), min_size=1), st.sampled_from(["", " ", ", ", "\n", "-"]))
def test_no_die_is_lost_whatever_stands_between_them(faces: list[int], between: str) -> None:
    counts = parse_faces(between.join(map(str, faces))).counts
    assert counts == tuple(faces.count(face) for face in range(1, 7))


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("12345\n12347\n", 2, "12347"),
        ("1 2 3\n\n4 10 5", 3, "10"),
        ("1 3 x 5\n1 2 3 4 5", 1, "x"),
        ("13x45", 1, "13x45"),
        ("throw,die\n1,3\ntwo,4", 3, "two"),
        ("a\nb\n1", 2, "b"),
        ("1 ٣ 5", 1, "٣"),
        ("²", 1, "²"),
        ("4.0,5.0", 1, "0"),
        ("x" * 300, 1, "x" * 20),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, line: int, word: str) -> None:
    with pytest.raises(NotAFace) as raised:
        parse_faces(text)
    assert (raised.value.line, raised.value.word) == (line, word)
    assert f"line {line}: " in str(raised.value)


def test_where_dice_have_places_each_has_counts_of_its_own() -> None:
    found = parse_faces("red blue\n1 2\n\n1,6\n⚁⚅\n", DicePlaces.EACH)
    assert found.dice == ((2, 1, 0, 0, 0, 0), (0, 1, 0, 0, 0, 2))
    assert found.counts == (2, 2, 0, 0, 0, 2)
    assert parse_faces("12\n16\n26").dice == ((2, 2, 0, 0, 0, 2),)
    assert len(parse_faces("1" * MOST_DICE, DicePlaces.EACH).dice) == MOST_DICE


@pytest.mark.parametrize(
    ("text", "line", "dice"),
    [
        ("12345\n\n1234", 3, 4),
        ("1\n2\n", 1, 1),
        ("12\n123456", 2, 6),
        ("1234561\n1234561", 1, 7),
        ("heading\n12\n1", 3, 1),
    ],
)
def test_what_is_no_throw_of_the_same_dice_has_no_places(text: str, line: int, dice: int) -> None:
    with pytest.raises(NotAThrow, match=f"line {line} holds {dice} dice") as raised:
        parse_faces(text, DicePlaces.FIRST)
    assert (raised.value.line, raised.value.dice) == (line, dice)
    assert sum(parse_faces(text).counts) > dice


@pytest.mark.parametrize("text", ["", " \n ", ",;,", "-"])
def test_nothing_is_not_tested(text: str) -> None:
    with pytest.raises(NoFaces):
        parse_faces(text)


def test_a_heading_is_told() -> None:
    assert parse_faces("first, second\n1, 2\n").heading == "first, second"
    assert parse_faces("1, 2\n").heading == ""


def test_text_of_a_spreadsheet_is_read_in_either_encoding(tmp_path: Path) -> None:
    for number, encoding in enumerate(("utf-8", "utf-8-sig", "utf-16")):
        path = tmp_path / f"{number}.csv"
        path.write_bytes("1;3;2\n4;5\n".encode(encoding))
        assert read(path).counts == FIVE
    with pytest.raises(BadFaces, match="no text file"):
        decode_text(b"PK\x03\x04\xff\xfe\x00")


def test_a_file_that_cannot_be_read_is_refused_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "throws.txt"
    with pytest.raises(BadFaces, match=r"throws\.txt cannot be read"):
        read(path)
    path.write_text("12345\n" * 10)
    monkeypatch.setattr("solver.statistics.fairness.MOST_BYTES", 50)
    with pytest.raises(BadFaces, match=re.escape(f"{path}: it is larger than 50 bytes")):
        read(path)


def test_the_bias_that_is_noticed_is_noticed_in_8_of_10_tests() -> None:
    """Chi-squared off its centre is a Poisson mixture of such with more degrees of freedom."""
    limit, chance, power = 11.070497693516351, exp(-NOTICED / 2), 0.0
    for n in range(100):
        power += chance * chi_squared_tail(limit, 5 + 2 * n)
        chance *= NOTICED / 2 / (n + 1)
    assert power == pytest.approx(0.8, abs=1e-6)


def test_more_dice_notice_less_and_how_many_it_takes_is_the_reverse() -> None:
    shares = [known(check_fairness("", [dice // 6] * 6).noticeable) for dice in (60, 600, 6000)]
    assert shares == sorted(shares, reverse=True)
    for share in shares:
        dice = count_needed_dice(share)
        assert dice == pytest.approx(NOTICED / WEIGHT / (share - 1 / 6) ** 2, abs=1)
    assert count_needed_dice(0.2) == 1604
    assert check_fairness("", [1, 0, 0, 0, 0, 0]).noticeable is None


def test_the_mean_is_measured_in_standard_errors_of_fair_dice() -> None:
    test = check_fairness("", [0, 0, 0, 0, 0, 35])
    assert test.mean_error == pytest.approx((35 / 12) ** 0.5 / 35**0.5)
    assert find_z_score(test.mean, test.dice) == pytest.approx(2.5 / (1 / 12) ** 0.5)
    assert test.exact
    assert test.fit.p == pytest.approx(6**-34, rel=1e-9)


def test_the_command_tests_the_dice_of_a_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "throws.csv"
    path.write_text("die\n" + "13245\n66\n" * 10)
    status, out, err = run("dice-test", "--file", str(path), "--json")
    facts = json.loads(out)[0]
    assert status == 0
    assert facts["dice"] == 70
    assert facts["counts"]["6"] == 20
    assert facts["p_is_exact"]
    assert "taken for a heading: die" in err
    path.write_text("13240\n")
    status, out, err = run("dice-test", "--file", str(path))
    assert (status, out) == (2, "")
    assert "line 1: '13240'" in err


CUP = make_cup(5)

OF_THE_STUDY = (76, 84, 84, 91, 90, 85)


class LoadedReference(Reference):
    def __init__(self, rules: Ruleset, chances: list[float]) -> None:
        super().__init__(rules)
        self.chances = chances

    def _hold(self, kept: Dice, left: int, filled: int, upper: int, chips_won: bool) -> float:
        total = 0.0
        for thrown in product(range(1, FACES + 1), repeat=CUP.dice - len(kept)):
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
    points = sum(category.score((6,) * CUP.dice) for category in YATZY.categories)
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
    samples = np.random.default_rng(4).multinomial(24, [1 / 6] * 6, size=(examples(2000), 5))
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
