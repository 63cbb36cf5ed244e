"""Throws as people write them down, and what so many dice can show."""

import json
import re
from math import exp
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.rules import MOST_DICE
from solver.statistics.chi_squared import chi_squared_tail
from solver.statistics.fairness import (
    NOTICED,
    BadFaces,
    DicePlaces,
    NoFaces,
    NotAFace,
    NotAThrow,
    check_fairness,
    count_needed_dice,
    decode_text,
    find_weight,
    find_z_score,
    parse_faces,
    read,
)
from tests.known import known
from tests.solver.conftest import Run

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
        assert dice == pytest.approx(NOTICED / find_weight() / (share - 1 / 6) ** 2, abs=1)
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
