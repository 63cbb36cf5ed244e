"""The published study as a page: every number it prints, exact ones beside them, and its slips."""

import csv
import io
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from django.test import Client
from django.utils import translation

from game.lab.study_turns import NARROW
from game.lab.study_words import meaning, slips
from solver.advice import Advisor
from solver.arena.results import Exact, keep
from solver.exact.distribution import Distribution
from solver.players import PLAYERS
from solver.rules import YATZY
from solver.study.disagreements import disagreements
from solver.study.histograms import HUMANS, published_of
from solver.study.people import people
from solver.study.published import PLAYERS as PROGRAMS
from solver.study.published import audit, real_dice_value, reported
from tests.game.conftest import Browser
from tests.game.lab import MISSING, rows
from tests.game.trials import into_trial

PAGE = "/lab/study/"
FILES = ("tens.csv", "study.json", "people.svg")
database = pytest.mark.django_db


def perfect() -> Distribution:
    """A bell with about the mean and the spread of perfect play."""
    scores = np.arange(400)
    heights = np.exp(-(((scores - 248.45) / 38.496) ** 2) / 2)
    return Distribution(heights / heights.sum(), 0.9, 1000)


@pytest.fixture
def empty_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("YATZY_VAR", str(tmp_path))
    return tmp_path


@pytest.fixture
def lab(empty_lab: Path) -> Path:
    for player in PLAYERS.values():
        keep(Exact(player.name, YATZY.id, perfect(), 0.1), player, YATZY)
    return empty_lab


def text(address: str = PAGE, **headers: str) -> str:
    response = Client().get(address, headers=headers)
    assert response.status_code == 200
    return unescape(response.content.decode())


@database
def test_every_strategy_has_its_published_figures_and_the_exact_ones(lab: Path) -> None:
    found = rows(text())
    for row in (
        ["Optimal program", "213", "219", "341", "88", "253"],
        ["Scorecard-based", "199", "203", "327", "65", "262"],
        ["Dice-based", "178", "172", "331", "79", "252"],
        ["Forced scoring", "104", "101", "263", "38", "225"],
    ):
        assert row in found
    exact = [row for row in found if row[0] in {"exact", "perfect play, exact"}]
    assert [row[1:3] for row in exact] == [["248.44", "248"]] * 4


@database
def test_people_have_the_figures_and_the_table_of_the_study(lab: Path) -> None:
    found = rows(text())
    for row in (
        ["Games", "300", "300"],
        ["Games in its table", "301", "–"],
        ["Mean", "253.82", "248.44"],
        ["Median", "253", "248"],
        ["Games of 320 or more", "24", "9.8"],
    ):
        assert row in found
    tens = {row[0]: row[1:4] for row in found if " to " in row[0]}
    assert len(tens) == 20
    assert tens["140 to 149"] == ["2", "0.66\u00a0%", "0.66\u00a0%"]
    assert tens["250 to 259"] == ["25", "8.31\u00a0%", "53.82\u00a0%"]
    assert tens["330 to 339"] == ["10", "3.32\u00a0%", "100.00\u00a0%"]


@database
def test_the_dice_have_the_shares_that_are_printed_and_those_that_are_right(lab: Path) -> None:
    html = text()
    assert ["1", "76", "15.2\u00a0%", "14.9\u00a0%"] in rows(html)
    assert ["6", "85", "17.0\u00a0%", "16.7\u00a0%"] in rows(html)
    assert "writes of 500 dice" in html
    assert "counts add up to 510" in html
    assert "at least as uneven in 89.0\u00a0%" in html
    assert "Of 3,000,000 virtual dice" in html
    assert "3.50011" in html
    assert "0.1 standard errors from 3.5" in html
    assert 'href="/dice-test/?of=study"' in html


@database
def test_the_same_dice_have_their_published_scores(lab: Path) -> None:
    html = text()
    assert ["4", "156", "218", "215"] in rows(html)
    assert html.count('class="chart"') == 3  # theirs, the people, and what decisions cost


def test_the_meaning_of_the_mean_is_luck_selection_or_slips() -> None:
    told = " ".join(meaning(people(perfect()), real_dice_value()))
    assert "2.4 standard errors above" in told
    p = people(perfect()).above.p
    assert 0.015 < p < 0.016
    assert f"so far off, above or below, with p = {p:.3f}." in told
    assert "Nobody can beat perfect play in the long run" in told
    assert "luck, a selection of games or slips of the pen" in told
    assert "cost 5 points a game, the mean lies 4.7 standard errors above" in told
    assert "24 of them are 320 or more" in told


@database
def test_every_slip_of_the_study_is_on_the_page(lab: Path) -> None:
    html = text()
    assert len(list(slips())) == len(list(disagreements())) == 13
    for slip in slips():
        assert slip.but in html
    for told in (
        "add up to 301",
        "add up to 99,995",
        "1 in 1,296",
        "no dice give round 7 of game 4",
        "102 %",
    ):
        assert told in html


@pytest.mark.parametrize("language", ["sv", "nb", "da", "fi"])
def test_slips_can_be_told_in_every_language(language: str) -> None:
    with translation.override(language):
        for slip in slips():
            assert "%(" not in f"{slip.where} {slip.says} {slip.but}"


@database
def test_the_data_can_be_downloaded(lab: Path) -> None:
    client = Client()
    for name in FILES:
        response = client.get(PAGE + name)
        told = response.headers["Content-Disposition"]
        assert told == f'attachment; filename="yatzy-study-{name}"'
    found = list(csv.DictReader(io.StringIO(client.get(PAGE + "tens.csv").content.decode())))
    games = {row["player"]: 0 for row in found}
    for row in found:
        games[row["player"]] += int(row["count"])
    assert games["people"] == 301
    assert games["forced-scoring"] == 99_995
    assert all(0 <= float(row["exact_share"]) < 0.2 for row in found)
    facts = client.get(PAGE + "study.json").json()
    assert facts["people"]["published_mean"] == 253.82
    assert facts["people"]["standard_errors_above"] == pytest.approx(2.42, abs=0.01)
    assert len(facts["disagreements"]) == 13
    assert facts["points_lost"]["dice-based"]["regret_by_box"]["sixes"] == pytest.approx(
        10.5, abs=0.05
    )
    assert "optimal" not in facts["points_lost"]
    assert ElementTree.fromstring(client.get(PAGE + "people.svg").content).tag.endswith("svg")
    assert client.get(PAGE + "other.csv").status_code == 404


@database
def test_without_exact_results_what_is_published_is_shown(empty_lab: Path) -> None:
    html = text()
    assert MISSING in html
    assert ["Optimal program", "213", "219", "341", "88", "253"] in rows(html)
    assert ["Mean", "253.82", "–"] in rows(html)
    assert html.count('class="chart"') == 2  # the people's needs perfect play
    assert "standard errors above" not in html
    client = Client()
    assert client.get(PAGE + "people.svg").status_code == 404
    assert client.get(PAGE + "study.json").json()["people"]["published_games_counted"] == 301
    first = client.get(PAGE + "tens.csv").content.decode().splitlines()[1]
    assert first == "optimal,80,89,2,0.0,0.0,"


@database
def test_during_a_trial_the_study_is_closed(lab: Path, browser: Browser) -> None:
    into_trial(browser.start())
    for name in ("", *FILES):
        assert browser.get(PAGE + name).status_code == 403


@database
def test_the_lab_leads_to_it_and_stays_marked_in_the_menu(lab: Path) -> None:
    assert f'href="{PAGE}"' in text("/lab/")
    assert 'href="/lab/" aria-current="page"' in text()


def test_the_page_loads_no_compiler() -> None:
    program = (
        "import os, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'yatzy_site.settings';"
        "django.setup(); from game.lab import dice_pages, study_pages as study;"
        "from game.lab.study_words import slips;"
        "list(slips()); study._dice(); study.study_effort.context();"
        "study.FILES['study.json'][1]();"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_table_of_people_is_that_of_the_data() -> None:
    theirs = published_of(HUMANS)
    assert sum(row.count for row in theirs.rows()) == theirs.games == 301


@database
def test_the_printed_turns_stand_on_the_page_with_what_they_cost(
    lab: Path, advisor: Advisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables 4.7 to 4.11; those that name no filled boxes have no cost."""
    monkeypatch.setattr("game.judgement.tables.advisor", lambda rules: advisor)
    html = text()
    turns = reported()["same_value_test"]["rounds"]
    titles = [f"Table {turn['table']}: game {turn['game']}" for turn in turns]
    assert len(titles) == 7
    assert all(title in html for title in titles)
    costs = [row[1:] for row in rows(html) if row and row[0].startswith("Cost of the decisions")]
    assert len(costs) == 7
    untold = [row == ["cannot be told"] * 3 for row in costs]
    assert untold == ["filled" not in turn for turn in turns]
    of_4_7 = [one for one in audit(advisor) if one.table == "4.7"]
    sums = [sum(one.cost[1] for one in of_4_7 if one.player == name) for name in PROGRAMS]
    assert costs[0] == [f"{cost:.2f}" for cost in sums]
    in_4_9 = costs[titles.index("Table 4.9: game 3")]
    assert in_4_9 == ["1.24 to 1.60", "none", "2.00 to 4.84"]


@database
def test_every_printed_turn_has_a_sentence_whose_figures_are_worked_out(
    lab: Path, advisor: Advisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.judgement.tables.advisor", lambda rules: advisor)
    html = text()
    for told in (
        "worth 9.78 points more than Sixes",
        "cost 0.42 to 1.74.",
        "cost 1.06 to 1.86.",
        "whole turn 2.00 to 4.84.",
        "Fours cost 5.68 points",
        "cost 0.00 to 2.54 points",
        "2 2 6 6 cost 1.44 to 5.39".replace(" ", NARROW, 3),
    ):
        assert told in html
    assert "kostade 9,78" not in html
    assert "var värt 9,78 poäng mer" in text(**{"accept-language": "sv"})


@database
def test_without_a_table_nothing_is_said_of_the_printed_turns(
    lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.judgement.tables.advisor", lambda rules: None)
    html = text()
    assert "Table 4.7: game 1" in html
    assert "Cost of the decisions" not in html
    assert "Section 5.4.1" not in html


@database
def test_the_rules_stand_with_the_printed_turns_that_no_dice_give(lab: Path) -> None:
    told = {row[0]: row[1] for row in rows(text()) if len(row) == 2}
    assert told["The number of the throw"] == "Table 4.11: game 4, round 7"
    assert told["Its next number"] == "Table 4.8: game 2, round 4"
    assert list(told.values()).count("–") >= 2


@database
def test_the_contents_lead_to_every_section(lab: Path) -> None:
    page = text().partition("</main>")[0]
    contents = page.partition('aria-label="On this page"')[2].partition("</nav>")[0]
    places = re.findall(r'href="#(.*?)"', contents)
    assert places == re.findall(r'<h2 id="(.*?)"', page)
