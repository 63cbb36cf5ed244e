"""The lab shows what is stored, works without it, and never loads the compiler."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from game.lab_labels import PLAYERS as LABELS
from game.lab_labels import READINGS
from game.models import Game
from solver.distribution import Distribution
from solver.lab.results import Exact, path_of, stored, write_whole
from solver.players import PLAYERS
from tests.game.conftest import Browser, play_through

FILES = ("distribution.csv", "distribution.json", "scores.svg", "tens.svg")
ONE = {"random": PLAYERS["random"]}
CHART = 'class="chart"'
LINE = '<path class="chart-line'
database = pytest.mark.django_db


def bell(middle: int) -> Distribution:
    scores = np.arange(375)
    heights = np.exp(-((scores - middle) ** 2) / 800.0)
    return Distribution(heights / heights.sum(), 0.25, 1000)


@pytest.fixture
def empty_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("YATZY_VAR", str(tmp_path))
    return tmp_path


@pytest.fixture
def lab(empty_lab: Path) -> Iterator[Path]:
    """A result of every player, 20 points apart, the first with a mean of 250."""
    for number, player in enumerate(PLAYERS.values()):
        kept = Exact(player.name, bell(250 - 20 * number), 0.1)
        write_whole(path_of(player), json.dumps(kept.facts()))
    return empty_lab


def text(address: str, **headers: str) -> str:
    response = Client().get(address, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def cell(number: int) -> str:
    return f'<td class="number">{number}</td>'


def test_every_player_and_reading_has_its_words() -> None:
    assert list(LABELS) == list(PLAYERS)
    read = {
        (player.id, next(iter(player.readings))) for player in PLAYERS.values() if player.readings
    }
    assert set(READINGS) == read


@database
def test_the_lab_has_all_players_with_their_figures(lab: Path) -> None:
    html = text("/lab/")
    for player_id in PLAYERS:
        assert f'href="/lab/players/{player_id}/"' in html
    assert "250.00" in html
    assert "25.0 %" in html
    assert cell(199) in html  # published
    assert html.count(LINE) == len(PLAYERS)
    assert "lab_prepare" not in html


@database
@pytest.mark.parametrize("player_id", PLAYERS)
def test_a_player_has_a_page(lab: Path, player_id: str) -> None:
    html = text(f"/lab/players/{player_id}/")
    published = player_id not in {"greedy", "random"}
    assert str(LABELS[player_id].summary) in html
    assert ("published histogram" in html) == published
    assert html.count(LINE) == (1 if player_id == "optimal" else 2)
    assert "240 to 249" in html


@database
def test_results_can_be_downloaded(lab: Path) -> None:
    client = Client()
    files = {name: client.get(f"/lab/players/dice-based/{name}") for name in FILES}
    for name, response in files.items():
        assert response.status_code == 200
        told = response.headers["Content-Disposition"]
        assert told == f'attachment; filename="yatzy-dice-based-{name}"'
    rows = files["distribution.csv"].content.decode().splitlines()
    assert rows[0] == "score,probability"
    assert sum(float(row.split(",")[1]) for row in rows[1:]) == pytest.approx(1)
    assert files["distribution.json"].json()["mean"] == pytest.approx(210)
    for response in (files["scores.svg"], files["tens.svg"], client.get("/lab/players.svg")):
        assert response.headers["Content-Type"] == "image/svg+xml"
        assert ElementTree.fromstring(response.content).tag.endswith("svg")


@database
def test_what_is_not_there_is_not_found(lab: Path) -> None:
    for address in ("nobody/", "nobody/scores.svg", "optimal/other.svg", "random/tens.svg"):
        assert Client().get(f"/lab/players/{address}").status_code == 404


@database
def test_without_results_the_lab_says_what_makes_them(empty_lab: Path) -> None:
    for address in ("/lab/", "/lab/players/optimal/", "/lab/players/dice-based/"):
        html = text(address)
        assert "python manage.py lab_prepare" in html
        assert 'class="chart"' not in html
    assert cell(178) in text("/lab/")
    assert Client().get("/lab/players.svg").status_code == 404
    for name in FILES:
        assert Client().get(f"/lab/players/optimal/{name}").status_code == 404


@database
def test_a_player_is_shown_though_perfect_play_is_missing(lab: Path) -> None:
    path_of(PLAYERS["optimal"]).unlink()
    html = text("/lab/players/greedy/")
    assert html.count(LINE) == 1
    assert "lab_prepare" in text("/lab/")


@database
@pytest.mark.parametrize("language", ["sv", "nb", "da", "fi"])
def test_charts_speak_the_language_of_the_page(lab: Path, language: str) -> None:
    html = text("/lab/players/scorecard-based/", **{"Accept-Language": language})
    assert "final score" not in html
    assert ">published<" not in html


@database
def test_during_a_trial_the_lab_is_closed(lab: Path, browser: Browser) -> None:
    Game.objects.filter(pk=browser.start().pk).update(mode=Game.Mode.TRIAL)
    for address in ("", "players.svg", "players/optimal/", "players/optimal/scores.svg"):
        response = browser.get(f"/lab/{address}")
        assert response.status_code == 403
        assert "taking part in a trial" in response.content.decode()


@database
def test_the_history_shows_ones_scores_over_perfect_play(lab: Path, browser: Browser) -> None:
    assert CHART not in browser.get("/history/").content.decode()
    first = browser.start()
    assert CHART not in browser.get("/history/").content.decode()
    play_through(browser, first)
    html = browser.get("/history/").content.decode()
    first.refresh_from_db()
    assert CHART in html
    assert f"Your mean is {first.final_score}.0, that of perfect play 250.0." in html


@database
def test_rematches_alone_make_no_chart(lab: Path, browser: Browser) -> None:
    game = play_through(browser, browser.start())
    Game.objects.filter(pk=game.pk).update(mode=Game.Mode.REMATCH)
    assert CHART not in browser.get("/history/").content.decode()


@database
def test_without_results_the_history_has_no_chart(empty_lab: Path, browser: Browser) -> None:
    play_through(browser, browser.start())
    assert CHART not in browser.get("/history/").content.decode()


@database
def test_during_a_trial_the_history_has_no_chart(lab: Path, browser: Browser) -> None:
    play_through(browser, browser.start())
    Game.objects.filter(pk=browser.start().pk).update(mode=Game.Mode.TRIAL)
    html = browser.get("/history/").content.decode()
    assert CHART not in html
    assert "perfect play" not in html.lower()


def test_what_is_prepared_is_stored(empty_lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("game.management.commands.lab_prepare.PLAYERS", ONE)
    monkeypatch.setattr("solver.lab.results.distribution", lambda play, progress: bell(150))
    call_command("lab_prepare", verbosity=0)
    found = stored(PLAYERS["random"])
    assert found is not None
    assert found.distribution.mean == pytest.approx(150)


def test_a_folder_that_cannot_be_written_is_said(
    empty_lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty_lab / "lab").write_text("a file where the folder should be")
    monkeypatch.setattr("game.management.commands.lab_prepare.PLAYERS", ONE)
    monkeypatch.setattr("solver.lab.results.distribution", lambda play, progress: bell(150))
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("lab_prepare")


def test_without_a_table_the_command_says_what_makes_it(empty_lab: Path) -> None:
    with pytest.raises(CommandError, match="python -m solver solve"):
        call_command("lab_prepare")


def test_the_pages_load_no_compiler() -> None:
    program = (
        "import os, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'yatzy_site.settings';"
        "django.setup(); import game.urls; from game.lab_pages import everybody, tens;"
        "everybody(); sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
