"""The lab shows the results that come with the program, and games on the same dice."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from game.lab.labels import PLAYERS as LABELS
from game.lab.pages import SHOWN
from game.lab.same_value import read_stored_test
from solver.arena.facts import GAMES, SEED, find_test_path, make_same_value_facts
from solver.arena.match import make_random_blocks
from solver.arena.same_value import JudgedDecision, JudgedGame, JudgedTurn, SameValue
from solver.charts import OWN, REFERENCE
from solver.exact.distribution import Distribution
from solver.players import PLAYERS
from solver.rules import YATZY
from solver.study.published import KEYS, require_published
from solver.tables import write_whole
from tests.game.lab import MISSING, bring_only, rows
from tests.known import known
from tests.play import BOXES, Browser, play_through

pytestmark = pytest.mark.needs("game.lab")

FILES = ("distribution.csv", "distribution.json", "scores.svg", "tens.svg")
# On the short addresses: who is another one when alone has a page, and stands in no list.
HERE = [one.id for one in PLAYERS.values() if one.plays(YATZY) and not one.alone]
CHART = 'class="chart"'
LINE = '<path class="chart-line'
DRAWN = 2  # a chart of a page is drawn for a phone as well
database = pytest.mark.django_db


def played(player: str, *, well: bool) -> JudgedGame:
    """Return a game with one hold before every box; it costs half a point if not played well."""
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
    return SameValue(names, make_random_blocks(games, 7, YATZY), (row,) * games)


@pytest.fixture
def dice_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YATZY_VAR", str(tmp_path))
    write_whole(
        find_test_path(7, YATZY), json.dumps({"seed": 7, **make_same_value_facts(same_dice())})
    )


def text(address: str, **headers: str) -> str:
    response = Client().get(address, headers=headers)
    assert response.status_code == 200
    return response.text


def cell(number: object) -> str:
    return f'<td class="number">{number}</td>'


@database
def test_the_lab_has_all_players_with_their_figures() -> None:
    assert list(LABELS) == list(PLAYERS)
    read = {player.id for player in PLAYERS.values() if player.readings}
    assert {name for name, words in LABELS.items() if words.reading} == read
    html, answers = text("/lab/"), text("/lab/answers/")
    links = re.findall(r'href="#([\w-]+)"', answers)
    assert len({link for link in links if f'<h2 id="{link}">' in answers}) >= 7
    for player_id in HERE:
        assert f'href="/lab/players/{player_id}/"' in html
    assert "248.44" in html
    assert cell(199) in html  # published
    assert html.count(LINE) == DRAWN * len(SHOWN.intersection(HERE))


@database
@pytest.mark.parametrize("player_id", HERE)
def test_a_player_has_a_page(player_id: str) -> None:
    html = text(f"/lab/players/{player_id}/")
    published = player_id in {"optimal", "scorecard-based", "dice-based", "forced-scoring"}
    assert str(LABELS[player_id].summary) in html
    assert ("published histogram" in html) == published
    assert html.count(LINE) == DRAWN * (1 if player_id == "optimal" else 2)
    assert "240 to 249" in html


@database
@pytest.mark.parametrize("player_id", KEYS)
def test_every_published_ten_has_its_count(player_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tens too that neither the player nor perfect play reaches in one of 20,000 games."""
    always = {
        name: Distribution(np.arange(375) == score, 0.25, 1000)
        for name, score in (("optimal", 250), (player_id, 200))
    }
    bring_only(monkeypatch, {YATZY.id: always})
    counts = require_published(player_id).counts
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
def test_results_can_be_downloaded() -> None:
    client = Client()
    files = {name: client.get(f"/lab/players/dice-based/{name}") for name in FILES}
    for name, response in files.items():
        assert response.status_code == 200
        told = response.headers["Content-Disposition"]
        assert told == f'attachment; filename="yatzy-dice-based-{name}"'
    rows = files["distribution.csv"].text.splitlines()
    assert rows[0] == "score,probability"
    assert sum(float(row.split(",")[1]) for row in rows[1:]) == pytest.approx(1)
    assert files["distribution.json"].json()["mean"] == pytest.approx(179.85, abs=0.01)
    for response in (files["scores.svg"], files["tens.svg"], client.get("/lab/players.svg")):
        assert response.headers["Content-Type"] == "image/svg+xml"
        assert ElementTree.fromstring(response.content).tag.endswith("svg")


@database
def test_perfect_play_has_the_same_colour_in_every_chart() -> None:
    """Its colour is that of the figure to compare with; the first of the others is ink."""
    for address in ("/lab/players.svg", "/lab/players/dice-based/scores.svg"):
        named = r'class="chart-rule-label series-(\d)"[^>]*>([^<]+)<'
        labels = re.findall(named, Client().get(address).text)
        series = {name: int(number) for number, name in labels}
        assert series.pop("Perfect play") == REFERENCE
        assert min(series.values()) == OWN
    alone = Client().get("/lab/players/optimal/scores.svg").text
    assert f"chart-line series-{REFERENCE}" in alone


@database
def test_the_history_shows_ones_scores_over_perfect_play(browser: Browser) -> None:
    assert CHART not in browser.get("/you/").text
    first = browser.start()
    assert CHART not in browser.get("/you/").text
    play_through(browser, first)
    html = browser.get("/you/").text
    first.refresh_from_db()
    assert CHART in html
    assert f"Your mean is {first.final_score}.0; the mean of perfect play is 248.4." in html


@database
def test_players_stand_side_by_side_on_the_same_dice(dice_lab: None) -> None:
    html = text("/lab/same-value/?seed=7&game=2")
    assert "Dice-based first differs from Perfect play in turn 1." in html
    assert "In this game, Scorecard-based decides exactly as Perfect play does." in html
    assert html.count("costs 0.50\u00a0points") == html.count('class="lab__differs"') == len(BOXES)
    assert html.count("Reroll all five") == len(BOXES)
    assert html.count("7\u00a0points in Small straight") == 3
    assert cell("7.5") in html
    assert "?seed=7&amp;game=1#game" in html
    assert len(known(read_stored_test(SEED, YATZY)).games) == GAMES  # they come with the program
    pages = [html, text("/lab/same-value/"), text("/lab/same-value/?seed=8")]
    assert [MISSING in each for each in pages] == [False, False, True]


@database
def test_the_same_dice_can_be_downloaded(dice_lab: None) -> None:
    client = Client()
    facts = client.get("/lab/same-value/7/test.json").json()
    assert facts["seed"] == 7
    assert len(facts["games"]) == 2
    rows = client.get("/lab/same-value/7/test.csv").text.splitlines()
    assert rows[:2] == [
        "game,player,turn,throws_left,dice,choice,regret,best",
        "1,dice-based,1,2,1 2 3 4 5,,0.5,5",  # dice are text, not the number 12345
    ]
    assert len(rows) == 1 + 2 * 3 * len(BOXES) * 2
    seeds = ("x", "-1", "²", str(2**63), "", "7&game=0", "7&game=3", "7&game=one")
    files = ("7/test.pdf", "8/test.json", f"{10**30}/test.csv")
    for address in (*files, *(f"?seed={n}" for n in seeds)):
        assert client.get(f"/lab/same-value/{address}").status_code == 404


@pytest.fixture
def one_game(dice_lab: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Played without a compiler."""
    monkeypatch.setattr("solver.arena.facts.Advisor.open", lambda rules: None)
    monkeypatch.setattr("solver.arena.facts.play_all_blocks", lambda *args, **options: same_dice(1))


def test_the_same_dice_are_prepared_when_asked_for(one_game: None) -> None:
    call_command("lab_prepare", same_value=1, seed=3)
    assert json.loads(find_test_path(3, YATZY).read_text())["seed"] == 3
    call_command("lab_prepare", same_value=1)
    assert len(known(read_stored_test(SEED, YATZY)).games) == 1  # not those of the program


@pytest.mark.parametrize("wrong", [{"same_value": 0}, {"same_value": 101}, {"seed": -1}, {}])
def test_impossible_wishes_and_a_folder_that_cannot_be_written_are_refused(
    one_game: None, wrong: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not wrong:
        (tmp_path / "file").write_text("a file where the folder should be")
        monkeypatch.setenv("YATZY_VAR", str(tmp_path / "file"))
    with pytest.raises(CommandError, match="must be from 1 to" if wrong else "cannot be written"):
        call_command("lab_prepare", **wrong)
