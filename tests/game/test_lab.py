"""The lab shows what is stored, works without it, and never loads the compiler."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from game.lab.labels import PLAYERS as LABELS
from game.models import Game
from solver.arena.facts import same_value_facts
from solver.arena.match import random_blocks
from solver.arena.results import Exact, keep, path_of, stored
from solver.arena.same_value import JudgedDecision, JudgedGame, JudgedTurn, SameValue
from solver.charts import MOST_LINES, OWN, REFERENCE
from solver.exact.distribution import Distribution
from solver.making.same_dice import path_of_test
from solver.players import PLAYERS
from solver.rules import YATZY
from solver.study.published import KEYS, published_of
from solver.tables import write_whole
from tests.game.lab import MISSING, rows, without_what_comes
from tests.play import BOXES, Browser, into_trial, play_through

FILES = ("distribution.csv", "distribution.json", "scores.svg", "tens.svg")
# On the short addresses: who is another one when alone has a page, and stands in no list.
HERE = [one.id for one in PLAYERS.values() if one.plays(YATZY) and not one.alone]
ONE = {"random": PLAYERS["random"]}
CHART = 'class="chart"'
LINE = '<path class="chart-line'
DRAWN = 2  # a chart of a page is drawn for a phone as well
database = pytest.mark.django_db


def bell(middle: int) -> Distribution:
    scores = np.arange(375)
    heights = np.exp(-((scores - middle) ** 2) / 800.0)
    return Distribution(heights / heights.sum(), 0.25, 1000)


PAGES = """
    . tournament/ learners/ same-value/ players/greedy/ yahtzee/ sources/ workbench/
    study/ study/readings/
"""


@database
@pytest.mark.parametrize("page", PAGES.split())
def test_the_menu_marks_the_lab_on_every_page_of_it(page: str) -> None:
    html = Client().get(f"/lab/{page.strip('.')}").text
    assert 'href="/lab/" aria-current="page"' in html


@pytest.fixture
def empty_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Without even the results that come with players."""
    monkeypatch.setenv("YATZY_VAR", str(tmp_path))
    without_what_comes(monkeypatch)
    return tmp_path


@pytest.fixture
def lab(empty_lab: Path) -> Path:
    """A result of every player, 20 points apart, the first with a mean of 250."""
    for number, player in enumerate(PLAYERS[name] for name in HERE):
        kept = Exact(player.name, YATZY.id, bell(250 - 20 * number), 0.1)
        keep(kept, player, YATZY)
    return empty_lab


def played(player: str, *, well: bool) -> JudgedGame:
    """One decision before every box; whoever does not play well loses half a point by it."""
    dice = (1, 2, 3, 4, 5)
    hold = JudgedDecision(
        dice, 2, (5,) if well else (), 0.0 if well else 0.5, None if well else (5,)
    )
    turns = tuple(
        JudgedTurn((hold, JudgedDecision(dice, 0, box, 0.0, None)), box, 7, 7 * number)
        for number, box in enumerate(BOXES, start=1)
    )
    return JudgedGame(player, turns, 105, 0, 1.5)


def same_dice(games: int = 2) -> SameValue:
    names = ("dice-based", "scorecard-based", "optimal")
    row = tuple(played(name, well=name != "dice-based") for name in names)
    return SameValue(names, random_blocks(games, 7, YATZY), (row,) * games)


@pytest.fixture
def dice_lab(lab: Path) -> Path:
    """The lab with a same-value test of seed 7."""
    write_whole(path_of_test(7, YATZY), json.dumps({"seed": 7, **same_value_facts(same_dice())}))
    return lab


def text(address: str, **headers: str) -> str:
    response = Client().get(address, headers=headers)
    assert response.status_code == 200
    return response.text


def cell(number: object) -> str:
    return f'<td class="number">{number}</td>'


def test_every_player_and_reading_has_its_words() -> None:
    assert list(LABELS) == list(PLAYERS)
    read = {player.id for player in PLAYERS.values() if player.readings}
    assert {name for name, words in LABELS.items() if words.reading} == read


@database
def test_the_lab_has_all_players_with_their_figures(lab: Path) -> None:
    html = text("/lab/")
    for player_id in HERE:
        assert f'href="/lab/players/{player_id}/"' in html
    assert "250.00" in html
    assert "25.0\u00a0%" in html
    assert cell(199) in html  # published
    assert html.count(LINE) == DRAWN * min(len(HERE), MOST_LINES)
    assert MISSING not in html


@database
@pytest.mark.parametrize("player_id", HERE)
def test_a_player_has_a_page(lab: Path, player_id: str) -> None:
    html = text(f"/lab/players/{player_id}/")
    published = player_id in {"optimal", "scorecard-based", "dice-based", "forced-scoring"}
    assert str(LABELS[player_id].summary) in html
    assert ("published histogram" in html) == published
    assert html.count(LINE) == DRAWN * (1 if player_id == "optimal" else 2)
    assert "240 to 249" in html


@database
@pytest.mark.parametrize("player_id", KEYS)
def test_every_published_ten_has_its_count(lab: Path, player_id: str) -> None:
    """Those too that neither the player nor perfect play reaches in one of 20,000 games."""
    for name, score in (("optimal", 250), (player_id, 200)):
        always = Distribution(np.arange(375) == score, 0.25, 1000)
        keep(Exact(name, YATZY.id, always, 0.1), PLAYERS[name], YATZY)
    counts = published_of(player_id).counts
    tens = [row for row in rows(text(f"/lab/players/{player_id}/")) if " to " in row[0]]
    found = {row[0]: row[-2:] for row in tens}
    for ten in np.flatnonzero(counts).tolist():
        share, games = found[f"{10 * ten} to {10 * ten + 9}"]
        assert float(share.partition("\u00a0")[0]) == pytest.approx(
            100 * counts[ten] / counts.sum(), abs=0.0501
        )
        assert games == f"{counts[ten]:,}"
    assert len(found) == len(np.flatnonzero(counts))


@database
def test_results_can_be_downloaded(lab: Path) -> None:
    client = Client()
    files = {name: client.get(f"/lab/players/dice-based/{name}") for name in FILES}
    for name, response in files.items():
        assert response.status_code == 200
        told = response.headers["Content-Disposition"]
        assert told == f'attachment; filename="yatzy-dice-based-{name}"'
    rows = files["distribution.csv"].text.splitlines()
    assert rows[0] == "score,probability"
    assert sum(float(row.split(",")[1]) for row in rows[1:]) == pytest.approx(1)
    assert files["distribution.json"].json()["mean"] == pytest.approx(210)
    for response in (files["scores.svg"], files["tens.svg"], client.get("/lab/players.svg")):
        assert response.headers["Content-Type"] == "image/svg+xml"
        assert ElementTree.fromstring(response.content).tag.endswith("svg")


@database
def test_perfect_play_has_the_same_colour_in_every_chart(lab: Path) -> None:
    """That of what one is held against; the first of the others is ink."""
    for address in ("/lab/players.svg", "/lab/players/dice-based/scores.svg"):
        lines = re.findall(r'<line class="chart-line series-(\d)"', Client().get(address).text)
        names = re.findall(r'class="chart-key">([^<]+)<', Client().get(address).text)
        series = dict(zip(names, map(int, lines), strict=True))
        assert series.pop("Perfect play") == REFERENCE
        assert min(series.values()) == OWN
    alone = Client().get("/lab/players/optimal/scores.svg").text
    assert f"chart-line series-{REFERENCE}" in alone


@database
def test_what_is_not_there_is_not_found(lab: Path) -> None:
    for address in ("nobody/", "nobody/scores.svg", "optimal/other.svg", "random/tens.svg"):
        assert Client().get(f"/lab/players/{address}").status_code == 404


@database
def test_without_results_the_lab_says_what_makes_them(empty_lab: Path) -> None:
    for address in ("/lab/", "/lab/players/optimal/", "/lab/players/dice-based/"):
        html = text(address)
        assert MISSING in html
        assert "lab_prepare" not in html
        costs = address == "/lab/players/dice-based/"  # they come with the program
        assert html.count('class="chart"') == costs
    assert cell(178) in text("/lab/")
    assert Client().get("/lab/players.svg").status_code == 404
    for name in FILES:
        assert Client().get(f"/lab/players/optimal/{name}").status_code == 404


@database
def test_a_player_is_shown_though_perfect_play_is_missing(lab: Path) -> None:
    path_of(PLAYERS["optimal"], YATZY).unlink()
    html = text("/lab/players/greedy/")
    assert html.count(LINE) == DRAWN
    assert MISSING in text("/lab/")


@database
@pytest.mark.parametrize("language", ["sv", "nb", "da", "fi"])
def test_charts_speak_the_language_of_the_page(lab: Path, language: str) -> None:
    html = text("/lab/players/scorecard-based/", **{"Accept-Language": language})
    assert "final score" not in html
    assert ">published<" not in html


@database
def test_during_a_trial_the_lab_is_closed(lab: Path, browser: Browser) -> None:
    into_trial(browser.start())
    for address in (
        "",
        "players.svg",
        "players/optimal/",
        "players/optimal/scores.svg",
        "learners/",
        "same-value/",
        "same-value/7/test.json",
    ):
        response = browser.get(f"/lab/{address}")
        assert response.status_code == 403
        assert "taking part in a trial" in response.text


@database
def test_the_history_shows_ones_scores_over_perfect_play(lab: Path, browser: Browser) -> None:
    assert CHART not in browser.get("/history/").text
    first = browser.start()
    assert CHART not in browser.get("/history/").text
    play_through(browser, first)
    html = browser.get("/history/").text
    first.refresh_from_db()
    assert CHART in html
    assert f"Your mean is {first.final_score}.0, that of perfect play 250.0." in html


@database
def test_rematches_alone_make_no_chart(lab: Path, browser: Browser) -> None:
    game = play_through(browser, browser.start())
    Game.objects.filter(pk=game.pk).update(mode=Game.Mode.REMATCH)
    assert CHART not in browser.get("/history/").text


@database
def test_without_results_the_history_has_no_chart(empty_lab: Path, browser: Browser) -> None:
    play_through(browser, browser.start())
    assert CHART not in browser.get("/history/").text


@database
def test_during_a_trial_the_history_has_no_chart(lab: Path, browser: Browser) -> None:
    play_through(browser, browser.start())
    into_trial(browser.start())
    html = browser.get("/history/").text
    assert CHART not in html
    assert "perfect play" not in html.lower()


@database
def test_players_stand_side_by_side_on_the_same_dice(dice_lab: Path) -> None:
    html = text("/lab/same-value/?seed=7&game=2")
    assert "Dice-based first differs from Perfect play in turn 1." in html
    assert "Scorecard-based decides here exactly as Perfect play does." in html
    assert html.count("costs 0.50\u00a0points") == html.count('class="lab__differs"') == len(BOXES)
    assert html.count("Reroll all five") == len(BOXES)
    assert html.count("7\u00a0points in Small straight") == 3
    assert cell("7.5") in html
    assert "?seed=7&amp;game=1#game" in html
    assert MISSING not in html


@database
def test_the_same_dice_can_be_downloaded(dice_lab: Path) -> None:
    client = Client()
    facts = client.get("/lab/same-value/7/test.json").json()
    assert facts["seed"] == 7
    assert len(facts["games"]) == 2
    rows = client.get("/lab/same-value/7/test.csv").text.splitlines()
    assert rows[:2] == [
        "game,player,turn,throws_left,dice,choice,regret,best",
        "1,dice-based,1,2,12345,,0.5,5",
    ]
    assert len(rows) == 1 + 2 * 3 * len(BOXES) * 2
    for address in ("7/test.pdf", "8/test.json", f"{10**30}/test.csv"):
        assert client.get(f"/lab/same-value/{address}").status_code == 404


@database
def test_without_a_test_of_this_seed_the_page_says_so(dice_lab: Path) -> None:
    for address in ("/lab/same-value/?seed=8", "/lab/same-value/"):
        html = text(address)
        assert MISSING in html
        assert "lab_prepare" not in html


@database
def test_what_is_being_worked_out_is_waited_for(empty_lab: Path, settings: Any) -> None:
    settings.MAKE_TABLES = True
    for address in ("/lab/", "/lab/same-value/"):
        html = text(address)
        assert "this page fills in by itself" in html
        assert 'hx-get="/tables/yatzy/lab/"' in html
        assert MISSING not in html
    assert MISSING in text("/lab/same-value/?seed=8")


@database
@pytest.mark.parametrize("query", ["seed=x", "seed=-1", "seed=²", f"seed={2**63}", "seed="])
def test_a_seed_is_a_whole_number(dice_lab: Path, query: str) -> None:
    assert Client().get(f"/lab/same-value/?{query}").status_code == 404


@database
@pytest.mark.parametrize("game", ["0", "3", "one"])
def test_a_game_that_was_not_played_is_not_found(dice_lab: Path, game: str) -> None:
    assert Client().get(f"/lab/same-value/?seed=7&game={game}").status_code == 404


@database
@pytest.mark.parametrize("kept", ["", "[]", "{}", '{"players": ["nobody"], "games": [{}]}'])
def test_a_file_that_is_damaged_counts_as_missing(dice_lab: Path, kept: str) -> None:
    path_of_test(7, YATZY).write_text(kept)
    assert MISSING in text("/lab/same-value/?seed=7")


def test_the_same_dice_are_prepared_when_asked_for(
    empty_lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = "game.management.commands.lab_prepare"
    monkeypatch.setattr("solver.making.same_dice.Advisor.open", lambda rules: None)
    monkeypatch.setattr(f"{command}.Command.prepare", lambda self, player, rules: None)
    monkeypatch.setattr("solver.making.same_dice.same_value", lambda *args, **options: same_dice(1))
    call_command("lab_prepare", same_value=1, seed=3)
    assert json.loads(path_of_test(3, YATZY).read_text())["seed"] == 3


@pytest.mark.parametrize("wrong", [{"same_value": -1}, {"same_value": 101}, {"seed": -1}])
def test_impossible_wishes_are_refused(empty_lab: Path, wrong: dict[str, int]) -> None:
    with pytest.raises(CommandError, match="is from 0 to"):
        call_command("lab_prepare", **wrong)


def test_what_is_prepared_is_stored(empty_lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("game.management.commands.lab_prepare.PLAYERS", ONE)
    monkeypatch.setattr("solver.arena.results.distribution", lambda play, progress: bell(150))
    call_command("lab_prepare", verbosity=0)
    found = stored(PLAYERS["random"], YATZY)
    assert found is not None
    assert found.distribution.mean == pytest.approx(150)


def test_a_folder_that_cannot_be_written_is_said(
    empty_lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty_lab / "lab").write_text("a file where the folder should be")
    monkeypatch.setattr("game.management.commands.lab_prepare.PLAYERS", ONE)
    monkeypatch.setattr("solver.arena.results.distribution", lambda play, progress: bell(150))
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("lab_prepare")


def test_the_pages_load_no_compiler() -> None:
    program = (
        "import os, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'yatzy_site.settings';"
        "django.setup(); import game.urls; from game.lab.players import everybody, tens;"
        "from solver.rules import YATZY; everybody(YATZY);"
        "sys.exit('numba' in sys.modules or 'pyarrow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
