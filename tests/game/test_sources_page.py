"""The page of sources: whose every published number is, and nothing that a source does not say."""

import re
from html import unescape

import pytest
from django.test import Client

from solver.study.sources import read_cited_works

pytestmark = pytest.mark.django_db
PAGE = "/lab/sources/"


def text(address: str, language: str = "en") -> str:
    answer = Client().get(address, headers={"accept-language": language})
    assert answer.status_code == 200
    return unescape(answer.text)


def rows(html: str) -> list[list[str]]:
    cells = [
        re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)
        for row in re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    ]
    broken = [[cell.replace("<br>", "|") for cell in row] for row in cells]
    return [[" ".join(re.sub("<[^>]+>", "", cell).split()) for cell in row] for row in broken]


def test_every_work_is_there_with_every_number_of_it() -> None:
    html = text(PAGE)
    told = [row[0] for row in rows(html) if row[0] != "Number"]
    assert told == [number.value for work in read_cited_works() for number in work.numbers]
    for work in read_cited_works():
        assert f'<h2 id="{work.id}" lang="en">{work.title}</h2>' in html
        if work.address:
            assert f'<a href="{work.address}" rel="noreferrer">{work.where}</a>' in html
    for row in (
        ["213", "Mean: Optimal program|Yatzy, 100,000 games", "Section 4.1.1"],
        [
            "241.78",
            "Mean: A2C|Yahtzee; joker rule not stated, 100,000 games, learned from 1,000,000 games",
            "Section 5|The source's table calls this number the mean; its abstract calls it the "
            "median.",
        ],
        ["510", "Dice rolled", "Table 4.5|The counts in the source add up to this number."],
        ["0.33", "Setting: epsilon|A smaller game", "Its text"],
    ):
        assert row in rows(html)


def test_what_a_source_does_not_say_is_said_of_it() -> None:
    plain = " ".join(re.sub("<[^>]+>", "", text(PAGE)).split())
    for sentence in (
        "Daniel Jendeberg, Louise Wikstén, 2015. KTH, Stockholm. Number",
        "Author not stated, year not stated. Tel Aviv University. This source states no licence",
        "precisit, year not stated. PyPI. Licence of the code: MIT.",
        "Nick Pape, year not stated. University of Texas. We use no number from this source.",
    ):
        assert sentence in plain
