"""Which program did the study run? What its page says is what the figures kept with it say."""

import csv
import io
from html import unescape

import pytest
from django.test import Client

from solver.study.readings import Candidate, read_candidates
from tests.game.lab import rows

PAGE = "/lab/study/readings/"

pytestmark = [pytest.mark.django_db, pytest.mark.needs("game.lab")]


@pytest.fixture
def page(client: Client) -> str:
    return unescape(client.get(PAGE).text)


def of(player: str) -> list[Candidate]:
    return [one for one in read_candidates() if one.player == player]


def test_the_closest_readings_stand_under_the_published_figures(page: str) -> None:
    found = rows(page)
    assert ["Published", "178.3", "172", "", "", "10", "5"] in found
    assert ["Published", "103.9", "101", "", ""] in found
    assert [row[1:] for row in found if row[0] == "perfect play used by the lab's player"] == [
        ["248.44", "249", "30.4\N{NO-BREAK SPACE}%", "158,132", "5", "4"]
    ]
    best = found.index(["Published", "178.3", "172", "", "", "10", "5"]) + 1
    assert found[best][0].endswith("the lower box is filled; the bonus starts above 63 points")
    assert found[best][1:] == ["179.12", "172", "4.8\N{NO-BREAK SPACE}%", "1,508", "9", "2"]


def test_what_the_page_says_of_forced_scoring_is_so(page: str) -> None:
    thrice = [one for one in of("forced-scoring") if thrown_thrice(one)]
    assert (len(of("forced-scoring")), len(thrice)) == (768, 192)
    assert "There are 768 readings; their exact means range from 85.36 to 120.62 points." in page
    assert (
        "192 of these readings give every box three rolls. Their means range from 114.49 to 120.62"
        in page
    )
    assert min(one.mean for one in thrice) > 103.9 + 10
    assert of("forced-scoring")[0].distance < 0.01
    near = [one for one in of("forced-scoring") if abs(one.mean - 103.9) < 5]
    assert near
    assert not any(thrown_thrice(one) for one in near)


def thrown_thrice(one: Candidate) -> bool:
    return not any("two rolls" in option.says for option in one.options)


def test_what_the_page_says_of_the_optimal_program_is_so(page: str) -> None:
    first, *_rest, last = of("optimal")
    assert (first.reading, last.reading) == ("no-bonus", "perfect")
    assert 0.15 < first.distance < 0.2
    assert "The reading that ignores the bonus comes closest" in page


def test_every_choice_is_told(page: str) -> None:
    for both in (
        "the bonus starts at 63 points / the bonus starts above 63 points",
        "a held die may be rolled again / a held die stays",
        "every turn has three rolls / every turn has only two rolls / "
        "a lower box gets only two rolls",
    ):
        assert both in page
    assert page.count("a held die may be rolled again /") == 2
    assert page.count("play that aims for the bonus /") == 1


def test_all_of_them_are_there_as_a_file(client: Client) -> None:
    text = client.get("/lab/study/readings.csv").text
    found = list(csv.DictReader(io.StringIO(text)))
    assert len(found) == len(read_candidates())
    assert found[0]["mean"] == "225.703014"
