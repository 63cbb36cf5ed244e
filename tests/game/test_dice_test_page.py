"""Dice can be tested: typed, in a file or thrown now; nothing typed is ever lost."""

import re
from html import unescape
from xml.etree import ElementTree

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from game.lab.dice import MOST_NOW
from solver.statistics.fairness import DicePlaces, check_fairness, check_fairness_apart
from solver.study.html import Words
from solver.study.same_value import describe_each_die, describe_result

pytestmark = [pytest.mark.django_db, pytest.mark.needs("game.lab")]
PAGE = "/dice-test/"


def sent(status: int = 200, *, throws: str = "", file: bytes | None = None, order: str = "") -> str:
    data: dict[str, object] = {"throws": throws, "order": order}
    if file is not None:
        data["file"] = SimpleUploadedFile("table.csv", file)
    response = Client().post(PAGE, data)
    assert response.status_code == status
    return unescape(response.text)


def looked_at(query: str = "", status: int = 200) -> str:
    response = Client().get(PAGE + query)
    assert response.status_code == status
    return unescape(response.text)


def counts(html: str) -> list[int]:
    cells = re.findall(r'<th scope="row">\d</th>\s*<td class="number">([\d,]+)</td>', html)
    return [int(cell.replace(",", "")) for cell in cells]


@pytest.mark.parametrize("throws", ["13245\n66", "1 3 2 4 5, 6 6", "1;3;2\r\n4-5/66"])
def test_typed_throws_are_tested_and_stay_where_they_are(throws: str) -> None:
    html = sent(throws=throws)
    assert counts(html) == [1, 1, 1, 1, 1, 2]
    assert throws.splitlines()[0] in html
    assert "p, exact" in html
    assert "7 dice tell little" in html


def test_the_figures_are_those_of_the_test() -> None:
    html = sent(throws="1" * 30 + "6" * 10 + "2345" * 15)
    test = check_fairness("", [30, 15, 15, 15, 15, 10])
    for figure in (f"{test.mean:.3f}", f"{test.mean_error:.3f}", f"{test.fit.statistic:.2f}"):
        assert f"<dd>{figure}</dd>" in html
    assert f"<dd>{test.fit.p:.3f}</dd>" in html
    assert '<td class="number">16.7</td>' in html
    assert '<td class="number">+13.3</td>' in html
    chart = re.search(r"<svg[^>]*class=\"chart\".*?</svg>", html, re.DOTALL)
    assert chart
    assert ElementTree.fromstring(chart.group()).tag.endswith("svg")


def test_a_file_is_tested_under_its_name_and_its_heading_is_told() -> None:
    html = sent(file=b"first,second\n1,2\n3,4\n")
    assert counts(html) == [1, 1, 1, 1, 0, 0]
    assert "table.csv</h2>" in html
    assert "looked like a heading: first,second" in html


@pytest.mark.parametrize(
    ("typed", "text", "order", "fault"),
    [
        ("", "12345\n1 two 3\n", "", "Line 2: “two”"),
        ("666", "12345\n1 two 3\n", "", "Line 2: “two”"),
        ("", "12345\n1234\n", "each", "Line 2 has 4 dice."),
    ],
)
def test_a_file_with_a_mistake_can_be_mended_on_the_page(
    typed: str, text: str, order: str, fault: str
) -> None:
    html = sent(400, throws=typed, file=text.encode(), order=order)
    assert fault in html
    assert f"{typed or text}</textarea>" in html
    assert re.search(rf'value="{order}"[^>]*checked', html)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "contains no dice"),
        (b" , ;", "contains no dice"),
        (b"PK\x03\x04\xff\xfe", "not a text file"),
        (b"1" * 1_000_001, "up to 1 MB"),
    ],
)
def test_what_cannot_be_tested_says_why(data: bytes, told: str) -> None:
    assert told in sent(400, file=data)
    if b"\xff" not in data:
        assert told in sent(400, throws=data.decode())


AGAINST = "11\n12\n13\n64\n65\n66\n" * 20


def test_dice_with_places_are_tested_one_by_one() -> None:
    html = sent(throws=AGAINST, order="each")
    assert "Die 1: if all 2 tested dice are fair, some die is this uneven in at most" in html
    assert "Die 2:" not in html
    assert html.index("Dice one by one") < html.index("All dice together")
    row = re.search(r'<th scope="row">Die 1</th>(.*?)</tr>', html, re.DOTALL)
    assert row
    cells = re.findall(r'<td class="number">(.*?)</td>', row.group(1))
    assert cells == ["240.00", "< 0.001", "< 0.001", "120", "60", "0", "0", "0", "0", "60"]
    assert counts(html) == [80, 20, 20, 20, 20, 80]


@pytest.mark.parametrize(
    ("uneven", "told"),
    [
        ([10] * 6, ["No single die looks unfair"]),
        ([25, 15, 15, 15, 15, 15], ["No single die looks unfair"]),
        ([31, 15, 15, 15, 15, 15], ["up to 6.8\u00a0% of such tests"]),  # 3.4 % by itself
        (
            [32, 15, 15, 15, 15, 15],
            ["Die 2: ", "3.8\u00a0% of", "This result is a hint, not proof"],
        ),
        ([35, 15, 15, 15, 15, 15], ["Die 2: ", "at most 0.6\u00a0% of such tests."]),
        ([40, 15, 15, 15, 15, 15], ["Die 2: ", "at most 0.1\u00a0% of such tests."]),
    ],
)
def test_the_more_uneven_a_die_the_stronger_the_words_of_it(
    uneven: list[int], told: list[str]
) -> None:
    test = check_fairness_apart("", [[20] * 6, uneven], DicePlaces.EACH)
    found = " ".join(describe_each_die(test, Words()))
    assert [part for part in told if part not in found] == []
    assert found.count("Die") == ("Die 2: " in told)
    assert ("a hint" in found) == ("This result is a hint, not proof" in told)


def test_virtual_dice_are_thrown_by_the_function_of_the_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("game.lab.dice.roll_die", lambda seed, turn, roll, slot: 1 + roll)
    html = looked_at("?virtual=450")
    assert counts(html) == [150, 150, 150, 0, 0, 0]
    assert "hardly ever" in html


@pytest.mark.parametrize("number", ["0", "-1", "x", "", "1.5", str(MOST_NOW + 1), "9" * 400])
def test_a_number_of_virtual_dice_that_makes_no_sense_is_refused(number: str) -> None:
    html = looked_at(f"?virtual={number}", status=400)
    assert 'class="errors"' in html
    assert counts(html) == []


@pytest.mark.parametrize(
    ("uneven", "told"),
    [
        ([85] * 6, "is consistent with fair dice"),
        ([80, 80, 80, 80, 80, 116], "a hint, not proof"),
        ([80, 80, 80, 80, 80, 120], "probably not fair"),
        ([80, 80, 80, 80, 80, 150], "hardly ever"),
    ],
)
def test_the_more_uneven_the_counts_the_stronger_the_words(uneven: list[int], told: str) -> None:
    assert told in describe_result(check_fairness("", uneven), Words())
