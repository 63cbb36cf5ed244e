"""The published study as a page: every number it prints, exact ones beside them, and its slips."""

import csv
import io
import json
import subprocess
import sys
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest
from django.test import Client

from game.lab.labels import SITE
from solver.exact.distribution import Distribution
from solver.study.chapter import NARROW
from solver.study.html import Heading, Paragraph, Part, Words, render_page, render_parts
from solver.study.published import HUMANS, read_reported, require_published
from solver.study.readings import Candidate, read_candidates
from solver.study.slips import SLIPS
from solver.study.study import read_stored_facts
from tests.game.lab import rows

pytestmark = pytest.mark.needs("game.lab")

PAGE = "/lab/study/"
FILES = ("tens.csv", "study.json", "people.svg")
database = pytest.mark.django_db


def perfect() -> Distribution:
    scores = np.arange(400)
    heights = np.exp(-(((scores - 248.45) / 38.496) ** 2) / 2)
    return Distribution(heights / heights.sum(), 0.9, 1000)


def text(address: str = PAGE, **headers: str) -> str:
    response = Client().get(address, headers=headers)
    assert response.status_code == 200
    return unescape(response.text)


# Cells of rows; a space in a cell is a no-break space of the page.
ROWS = """
Optimal program|213|219|341|88|253
perfect play, exact|248.44|249|350|97|253
Scorecard-based|199|203|327|65|262
exact|198.99|202|340|72|268
Forced scoring|132.3|37.9|24.1|70.3|Fours (10.2)|Small straight (23.7)
Games in the printed table|301|–
Mean|253.82|248.44
Games of 320 points or more|24|5.9
140 to 149|2|0.66 %|0.66 %|0.8 %
250 to 259|25|8.31 %|53.82 %|11.0 %
1|76|15.2 %|14.9 %
4|156|218|215
Cost of the decisions, in points|1.24 to 1.60|none|2.00 to 4.84
Cost of the decisions, in points|cannot be calculated|cannot be calculated|cannot be calculated
The number of the roll|Table 4.11: game 4, round 7
The die's next number|Table 4.8: game 2, round 4
Building the study's graph, or our value table (4.1.1)|2 h|1.41 s
Time compared with the slowest other program (5.3.1)|over 22,759|9.96
V3|968,884,224|660,874,368|452,268,432
V1–V3|1,499,463,680|–|–
V1–V6|3,525,312,512|2,404,610,048|1,645,591,416
"""


@database
def test_the_page_has_these_rows_every_slip_and_every_printed_turn() -> None:
    html = text()
    found = {"|".join(row).replace("\N{NO-BREAK SPACE}", " ") for row in rows(html)}
    assert [row for row in ROWS.strip().splitlines() if row not in found] == []
    for slip in SLIPS:
        assert slip.translate_texts(SITE) in rows(html)
    turns = len(read_reported()["same_value_test"]["rounds"])
    assert html.count("Cost of the decisions") == turns == 7
    assert html.count('class="chart"') == 3  # people, what decisions cost, the same dice


@database
def test_figures_in_sentences_are_those_of_the_facts() -> None:
    html, of = text(), read_stored_facts()["people"]
    for figure in (
        f"{of['standard_errors_above']:.1f} standard errors more",
        f"probability p = {of['p']:.3f}.",
        "510 dice showed 3.57",
        "252.70 points. The true average may be anything from 242.0 to 263.4",
        "0.50 standard errors of the 300 games, or 0.19 if",
        "9.78 points more than Sixes",
        "2 2 6 6, which cost 1.44 to 5.39 points".replace(" ", NARROW, 3),
        "one value for each state of V1, 2,097,152",
        "23\N{NO-BREAK SPACE}Nov\N{NO-BREAK SPACE}2026 with 2 cores",
    ):
        assert figure in html


@database
def test_the_data_can_be_downloaded() -> None:
    client = Client()
    for name in FILES:
        response = client.get(PAGE + name)
        told = response.headers["Content-Disposition"]
        assert told == f'attachment; filename="yatzy-study-{name}"'
    found = list(csv.DictReader(io.StringIO(client.get(PAGE + "tens.csv").text)))
    games = {row["player"]: 0 for row in found}
    for row in found:
        games[row["player"]] += int(row["count"])
    assert games["people"] == require_published(HUMANS).games == 301
    assert games["forced-scoring"] == 99_995
    assert all(0 <= float(row["exact_share"]) < 0.2 for row in found)
    assert client.get(PAGE + "study.json").json() == json.loads(json.dumps(read_stored_facts()))
    assert ElementTree.fromstring(client.get(PAGE + "people.svg").content).tag.endswith("svg")
    assert client.get(PAGE + "other.csv").status_code == 404


def test_the_study_and_a_playbook_of_ones_own_load_no_compiler() -> None:
    program = (
        "import os, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'yatzy_site.settings';"
        "django.setup(); from game.lab import dice, study, labels as words;"
        "parts = study.report_chapter(study.read_stored_facts(), words.SITE);"
        "study.render_parts(parts, on_page=True);"
        "[write() for _, write in study.FILES.values()];"
        "from game.lab.playbook import _calculate_worth;"
        "from solver.players.playbook import read_playbook; from solver.rules import YATZY;"
        "_calculate_worth('yatzy', read_playbook(YATZY, 10)); sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_markup_in_a_report_stays_text() -> None:
    parts: list[Part] = [Heading("<b>", "x"), Paragraph("<script>")]
    assert "<script>" not in render_page("<i>", parts) + render_parts(parts, on_page=True)
    assert "<b>" not in render_page("<i>", parts)
    assert Words().url("study") == ""


# Which program did the study run


READINGS = "/lab/study/readings/"


@pytest.fixture
def readings(client: Client) -> str:
    return unescape(client.get(READINGS).text)


def of(player: str) -> list[Candidate]:
    return [one for one in read_candidates() if one.player == player]


PUBLISHED = ["Published", "178.3", "172", "", "", "10", "5"]


@database
def test_the_closest_readings_stand_under_the_published_figures(
    readings: str, client: Client
) -> None:
    found = rows(readings)
    assert ["Published", "103.9", "101", "", ""] in found
    own = ["248.44", "249", "30.4\N{NO-BREAK SPACE}%", "158,132", "5", "4"]
    assert ["perfect play used by the lab's player", *own] in found
    best = found[found.index(PUBLISHED) + 1]
    assert best[1:] == ["179.12", "172", "4.8\N{NO-BREAK SPACE}%", "1,508", "9", "2"]
    first, *_others, last = of("optimal")
    assert (first.reading, last.reading) == ("no-bonus", "perfect")
    assert 0.15 < first.distance < 0.2
    assert readings.count("a held die may be rolled again /") == 2
    assert readings.count("play that aims for the bonus /") == 1
    file = list(csv.DictReader(io.StringIO(client.get("/lab/study/readings.csv").text)))
    assert (len(file), file[0]["mean"]) == (len(read_candidates()), "225.703014")


@database
def test_what_the_page_says_of_forced_scoring_is_so(readings: str) -> None:
    thrice = [one for one in of("forced-scoring") if thrown_thrice(one)]
    assert (len(of("forced-scoring")), len(thrice)) == (768, 192)
    for figures in (
        "768 readings; their exact means range from 85.36 to 120.62",
        "114.49 to 120.62",
    ):
        assert figures in readings
    assert min(one.mean for one in thrice) > 103.9 + 10
    assert of("forced-scoring")[0].distance < 0.01
    near = [one for one in of("forced-scoring") if abs(one.mean - 103.9) < 5]
    assert near
    assert not any(thrown_thrice(one) for one in near)


def thrown_thrice(one: Candidate) -> bool:
    return not any("two rolls" in option.says for option in one.options)
