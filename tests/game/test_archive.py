"""A player's games as one file, and back."""

import json
from functools import reduce
from operator import getitem

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from game.core.counting import is_counted
from game.core.game_queries import replay_game
from game.models import Game, Player
from game.trials.design.writing import close_trial
from solver.rules import PLAYED, YATZY
from tests.play import Answer, Browser, stored
from tests.trials import into_trial

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(browser: Browser) -> Game:
    game = browser.start(coach="after")
    browser.act(game, "hold", seq=1, slot=[0])  # of equal dice the first
    browser.act(game, "score", seq=2, category="yatzy")
    played = replay_game(game)
    for box in (one.id for one in YATZY.categories[:-1]):
        browser.act(game, "hold", seq=len(played.actions))
        browser.act(game, "score", seq=len(played.actions) + 1, category=box)
        played = replay_game(game)
    game.refresh_from_db()
    assert game.finished_at is not None
    return game


def uploaded(browser: Browser, text: str) -> Answer:
    file = SimpleUploadedFile("games.json", text.encode(), "application/json")
    return browser.post("/history/archive", {"file": file})


def downloaded(browser: Browser, address: str = "/history/archive?file") -> str:
    return browser.get(address).content.decode()


@pytest.mark.parametrize("address", ["/history/archive?file", "/history/export"])
def test_games_come_back_move_by_move_after_a_deletion(
    browser: Browser, game: Game, address: str
) -> None:
    text, before, state = downloaded(browser, address), stored(game), replay_game(game).state
    browser.post("/account/delete/", {"confirm": "on"})
    assert not Player.objects.exists()
    answer = uploaded(browser, text)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/history/archive")
    back = Game.objects.get(pk=game.pk)
    assert (stored(back), replay_game(back).state) == (before, state)
    assert (back.final_score, back.bonus) == (game.final_score, game.bonus)
    assert (back.started_at, back.finished_at) == (game.started_at, game.finished_at)
    assert (back.mode, is_counted(back)) == ("import", False)
    assert f"/games/{back.pk}/" in browser.get("/you/").text


def test_what_is_here_already_is_left_as_it_is(browser: Browser, game: Game) -> None:
    text = downloaded(browser)
    answer = uploaded(browser, text)
    assert answer.status_code == 302
    assert list(Game.objects.values_list("pk", "mode")) == [(game.pk, "solo")]
    assert "1 game was already stored" in browser.get("/history/archive").text
    uploaded(other := Browser(), text)
    assert Game.objects.get().player_id == game.player_id
    assert "/games/" not in other.get("/you/").text


@pytest.mark.parametrize(
    ("keys", "wrong"),
    [
        (["final_score"], 1),
        (["turns", 2, "thrown", 0], [1, 2, 3, 4, 7]),
        (["turns", 0, "held"], [[7]]),
        (["turns"], []),
        (["game"], "../../../etc"),
        (["started_at"], "yesterday"),
        (["started_at"], "2026-01-01T12:00:00"),  # without a time zone
        (["started_at"], "0001-01-01T00:00:00+14:00"),  # which has no date in UTC
    ],
)
def test_a_wrong_game_is_named_and_nothing_is_stored(
    browser: Browser, game: Game, keys: list[str | int], wrong: object
) -> None:
    data = json.loads(downloaded(browser))
    data["games"].append(json.loads(downloaded(browser))["games"][0] | {"game": "abcdefghjkmn"})
    data["games"][0]["game"] = "bcdefghjkmnp"
    *outer, last = keys
    reduce(getitem, outer, data["games"][1])[last] = wrong
    answer = uploaded(browser, json.dumps(data))
    assert answer.status_code == 400
    assert "Game 2 of the file" in answer.text
    assert list(Game.objects.values_list("pk", flat=True)) == [game.pk]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{\n"games": [\n}', "Line 3 of the file"),
        ("[" * 100_000, "Line 1 of the file"),
        ("[1]", "no games in this file"),
        ('{"games": 3}', "no games in this file"),
        ('{"games": [3]}', "Game 1 of the file"),
        ('{"games": [{"finished_at": 1}]}', "Game 1 of the file"),
    ],
)
def test_what_is_no_archive_is_said_to_be_none(browser: Browser, text: str, told: str) -> None:
    answer = uploaded(browser, text)
    assert (answer.status_code, told in answer.text) == (400, True)
    assert not Player.objects.exists()


def test_a_trials_game_is_not_in_the_archive(browser: Browser, game: Game) -> None:
    close_trial(trial=into_trial(game).trial_game.participant.trial)
    assert json.loads(downloaded(browser))["games"] == []


def test_a_download_has_finished_games_of_every_ruleset_and_no_secret(browser: Browser) -> None:
    game = browser.start(ruleset="maxi-yatzy")
    assert json.loads(downloaded(browser))["games"] == []
    for box in PLAYED["maxi-yatzy"].categories:
        seq = game.decisions.count()
        if seq % 2 == 0:
            browser.act(game, "hold", seq=seq)
            seq += 1
        browser.act(game, "score", seq=seq, category=box.id)
    game.refresh_from_db()
    text = downloaded(browser)
    assert game.seed not in text
    browser.post("/account/delete/", {"confirm": "on"})
    uploaded(browser, text)
    assert Game.objects.get().final_score == game.final_score
