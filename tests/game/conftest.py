"""Players at a table: each has a browser of its own."""

import importlib.util
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from django.contrib.auth.models import User
from django.test import Client

from game.coach.hints import box_costs
from game.core.accounts import player_create
from game.core.fair import tickets
from game.core.game_queries import Played, game_played
from game.core.playing import game_hold, game_score
from game.core.starting import game_start
from game.core.worth.tables import advisor
from game.models import Game, Player
from game.pages import play_views
from game.trials.exports import files
from solver.advice import position_of
from solver.charts.png import png
from solver.rules import YATZY
from tests.known import known

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse

# What a test client gets; the class has a name in the stubs alone.
Answer: TypeAlias = "_MonkeyPatchedWSGIResponse"
HTMX = {"HX-Request": "true"}
COACH = {
    "coach": "off",
    "coach_threshold": "1",
    "ruleset": "yatzy",
}  # what the settings page sends beside the rest
BOXES = tuple(category.id for category in YATZY.categories)


class Browser(Client):
    """What a person does, by way of the pages."""

    def nonce(self, url: str = "/") -> str:
        found = re.search(r'name="nonce" value="([^"]+)"', self.get(url).content.decode())
        assert found
        return found.group(1)

    def start(self, **data: Any) -> Game:
        if "of" not in data and "nonce" not in data:
            rules = data.get("ruleset", "yatzy")
            data["nonce"] = self.nonce(f"/daily/{rules}/" if data.get("mode") == "daily" else "/")
        data = {"mode": "solo", **data}
        response = self.post("/games/", data)
        assert response.status_code == 302, response.content
        return Game.objects.get(pk=response.headers["Location"].split("/")[2])

    def act(self, game: Game, what: str, *, htmx: bool = True, **data: Any) -> Answer:
        headers = HTMX if htmx else None
        return self.post(f"/games/{game.pk}/{what}", data, headers=headers)


def costly_box(game: Game) -> str:
    """The box that costs most: whatever was thrown, the coach has something to say of it."""
    state = game_played(game).state
    costs = box_costs(known(advisor(YATZY)).evaluate(position_of(state)))
    return max(costs, key=lambda box: costs[box])


def settled(browser: Browser, name: str = "settled") -> User:
    """Whoever has had an account for long is among the players of a day, and no guest."""
    joined = datetime(2020, 1, 1, tzinfo=UTC)
    user = User.objects.create_user(name, date_joined=joined)
    browser.force_login(user)
    return user


@pytest.fixture(autouse=True)
def drawn_anew() -> None:
    """A first page is drawn for the first who asks: what it was drawn of is there to be seen."""
    play_views._drawn.cache_clear()


@pytest.fixture(scope="session", autouse=True)
def small_charts() -> Iterator[None]:
    """A chart as large as print needs it costs sixty times as much as one that is there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "png", partial(png, scale=0.25))
        yield


@pytest.fixture
def new_browser() -> Callable[[], Browser]:
    return Browser


@pytest.fixture
def browser(new_browser: Callable[[], Browser], db: None) -> Browser:
    return new_browser()


@pytest.fixture
def player(db: None) -> Player:
    return player_create()


Clock: TypeAlias = Callable[[datetime], None]
NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Set the time of the site; at first it is noon."""

    def set_to(moment: datetime) -> None:
        monkeypatch.setattr("django.utils.timezone.now", lambda: moment)

    set_to(NOON)
    return set_to


@pytest.fixture
def anna() -> Player:
    return player_create()


@pytest.fixture
def bert() -> Player:
    return player_create()


@pytest.fixture
def carl() -> Player:
    return player_create()


@pytest.fixture
def host() -> Browser:
    return Browser()


@pytest.fixture
def guest() -> Browser:
    return Browser()


@pytest.fixture
def third() -> Browser:
    return Browser()


def start_solo(player: Player | None) -> Played:
    return game_start(player=player, mode="solo", nonce=tickets.issue().signed)


def score_all(played: Played, player: Player | None) -> Played:
    """Play a game to its end: every first throw into the next box."""
    for box in BOXES:
        played = score_next(played, player, box)
    return played


def score_next(played: Played, player: Player | None, box: str) -> Played:
    """Some games are opened without a throw."""
    game, seq = played.game.pk, len(played.actions)
    if seq % 2 == 0:
        game_hold(game_id=game, player=player, seq=seq, slots=0)
        seq += 1
    return game_score(game_id=game, player=player, seq=seq, category=box)


def play_through(browser: Browser, game: Game) -> Game:
    """The same, and its last turn by way of the pages: what comes with the end, comes."""
    played = game_played(Game.objects.get(pk=game.pk))
    *boxes, last = BOXES
    for box in boxes:
        played = score_next(played, played.game.player, box)
    seq = len(played.actions)
    assert browser.act(game, "hold", seq=seq).status_code == 200
    assert browser.act(game, "score", seq=seq + 1, category=last).status_code == 200
    game.refresh_from_db()
    assert game.finished_at is not None
    return game


def stored(game: Game) -> list[tuple[int, int | None, str]]:
    """The decisions as the database has them."""
    return list(game.decisions.order_by("seq").values_list("seq", "hold", "category"))


@pytest.fixture(scope="session")
def outsider() -> ModuleType:
    """docs/verify_dice.py, which shares no code with the game."""
    path = Path(__file__).parents[2] / "docs" / "verify_dice.py"
    spec = importlib.util.spec_from_file_location("verify_dice", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
