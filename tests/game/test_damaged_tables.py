"""A table that is damaged in places stops no game: its coach is silent, and the judgement waits."""

import asyncio
import logging
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from game.core import judging
from game.core.judging import judge_in_background
from game.core.playing import fill_box, hold_dice
from game.core.worth import tables
from game.core.worth.tables import ask_advisor, load_advisor
from game.models import Coach, Decision, Game, Player
from solver.rules import YATZY
from solver.tables import OUTLOOK, VALUES, find_table_path, open_table
from tests.game.rulesets import begun, finished_game, played_out
from tests.known import known
from tests.play import BOXES, Browser
from yatzy_site import background
from yatzy_site.requests import serve_lifespan

pytestmark = pytest.mark.django_db


class Place:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sound = {kind: find_table_path(YATZY, kind) for kind in (VALUES, OUTLOOK)}

    def mend(self, *kinds: str) -> None:
        for kind in kinds:
            new = self.folder / "new"
            shutil.copyfile(self.sound[kind], new)
            new.replace(self.folder / f"yatzy.{kind}")

    def damage(self, kind: str) -> None:
        """Everything after the checksums, in place, as a disk would do it."""
        path = self.folder / f"yatzy.{kind}"
        start = open_table(YATZY, kind)._start
        with path.open("r+b") as file:
            file.seek(start)
            file.write(os.urandom(path.stat().st_size - start))


@pytest.fixture
def place(yatzy_tables: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(tmp_path)
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    monkeypatch.setattr(tables, "_known", {})
    monkeypatch.setattr(judging, "to_be_judged", {YATZY.id})
    place.mend(VALUES)
    return place


def unjudged(game: Game) -> int:
    return Decision.objects.filter(game=game, roll__gt=0, regret__isnull=True).count()


@pytest.mark.parametrize("coach", [Coach.OFF, Coach.AFTER, Coach.LIVE, Coach.BEFORE])
def test_a_game_is_played_to_its_end_whatever_its_coach(
    browser: Browser, place: Place, coach: str
) -> None:
    game = browser.start(coach=coach)
    place.damage(VALUES)
    for turn, box in enumerate(BOXES):
        if turn:
            assert browser.act(game, "hold", seq=2 * turn).status_code == 200
        assert browser.act(game, "score", seq=2 * turn + 1, category=box).status_code == 200
        assert browser.get(f"/games/{game.pk}/").status_code == 200
    game.refresh_from_db()
    assert game.finished_at is not None
    assert game.regret is None


def test_damage_is_named_once_with_what_to_do(
    player: Player, place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    place.damage(VALUES)
    with caplog.at_level(logging.WARNING):
        finished_game(player, YATZY)
    (told,) = [one.getMessage() for one in caplog.records if "is damaged" in one.getMessage()]
    assert "./yatzy solver solve yatzy --force" in told


@pytest.mark.parametrize("page", ["/explore/?dice=12345&left=1", "/games/{}/review"])
def test_a_page_of_the_coach_says_that_it_is_silent(
    browser: Browser, place: Place, page: str
) -> None:
    game = browser.start()
    played_out(hold_dice(game_id=game.pk, player=game.player, seq=1, slots=0))
    place.damage(VALUES)
    silent = browser.get(page.format(game.pk))
    assert silent.status_code == 503
    assert "The coach is not available" in silent.text


def test_the_api_says_that_it_has_no_values(browser: Browser, place: Place) -> None:
    place.damage(VALUES)
    position = {"dice": [1, 2, 3, 4, 5], "rolls_left": 1}
    for _ in range(2):
        refused = browser.post("/api/v1/advise", position, content_type="application/json")
        assert (refused.status_code, refused.headers["Content-Type"]) == (503, "application/json")
        assert refused.headers["Retry-After"] == "60"
    assert load_advisor(YATZY) is None


def test_the_coach_does_without_a_table_that_only_adds_to_what_it_says(place: Place) -> None:
    place.mend(OUTLOOK)
    place.damage(OUTLOOK)
    assert known(load_advisor(YATZY)).outlook is not None
    assert ask_advisor(YATZY, lambda coach: coach.outlook_start) is None
    coach = known(load_advisor(YATZY))
    assert coach.outlook is None
    assert coach.explain is None
    assert coach.value(0, 0) == coach.value_start


def test_what_was_not_judged_is_judged_in_the_background(player: Player, place: Place) -> None:
    place.damage(VALUES)
    game = finished_game(player, YATZY)
    assert unjudged(game) > 0
    assert judge_in_background() == 0
    assert unjudged(game) > 0
    place.mend(VALUES)
    assert judge_in_background() == 1
    assert unjudged(game) == 0
    assert judging.to_be_judged == set()


def test_a_table_that_breaks_during_a_game_leaves_it_to_the_background(
    player: Player, place: Place
) -> None:
    played = begun(player, YATZY)
    place.damage(VALUES)
    played = fill_box(game_id=played.game.pk, player=player, seq=1, category="chance")
    place.mend(VALUES)
    judge_in_background()
    assert judging.to_be_judged == set()
    place.damage(VALUES)
    game = played_out(played)
    assert unjudged(game) > 1
    assert judging.to_be_judged == {YATZY.id}
    place.mend(VALUES)
    judge_in_background()
    assert unjudged(game) == 0


def test_a_server_judges_while_it_runs_and_goes_on_after_a_failure(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked_for: list[str] = []

    def judge() -> int:
        asked_for.append("asked")
        if len(asked_for) == 1:
            raise OSError("the disk is away")
        return 0

    monkeypatch.setattr(background, "PAUSE", 0.001)
    monkeypatch.setattr(background, "judge_in_background", judge)

    async def test() -> None:
        sent: list[str] = []

        async def receive() -> dict[str, Any]:
            while sent and len(asked_for) < 3:
                await asyncio.sleep(0.001)
            return {}

        async def send(message: Any) -> None:
            sent.append(message["type"])

        await asyncio.wait_for(serve_lifespan(background.keep_judging, receive, send, list), 30)
        assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]

    async_to_sync(test)()
    assert "the disk is away" in caplog.text
