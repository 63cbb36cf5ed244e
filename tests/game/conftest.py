"""Players and their browsers, and a clock."""

import importlib.util
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from game.core.accounts import create_player
from game.models import Player
from game.pages import play_views
from tests.play import NOON, Browser, Clock
from tests.trials import researcher_user


@pytest.fixture(autouse=True)
def drawn_anew() -> None:
    """A first page is drawn for the first who asks: what it was drawn of is there to be seen."""
    play_views._render_board.cache_clear()


@pytest.fixture
def new_browser() -> Callable[[], Browser]:
    return Browser


@pytest.fixture
def browser(new_browser: Callable[[], Browser], db: None) -> Browser:
    return new_browser()


@pytest.fixture
def player(db: None) -> Player:
    return create_player()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    def set_to(moment: datetime) -> None:
        monkeypatch.setattr("django.utils.timezone.now", lambda: moment)

    set_to(NOON)
    return set_to


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(researcher_user())
    return client


@pytest.fixture
def researcher(new_browser: Callable[[], Browser]) -> Browser:
    browser = new_browser()
    browser.force_login(researcher_user())
    return browser


@pytest.fixture
def anna() -> Player:
    return create_player()


@pytest.fixture
def bert() -> Player:
    return create_player()


@pytest.fixture
def carl() -> Player:
    return create_player()


@pytest.fixture
def host() -> Browser:
    return Browser()


@pytest.fixture
def guest() -> Browser:
    return Browser()


@pytest.fixture
def third() -> Browser:
    return Browser()


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


@pytest.fixture(scope="module")
def module_db(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Keep rows that the tests of a module share. Each test takes back its own changes."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def no_script(monkeypatch: pytest.MonkeyPatch) -> None:
    """Export without the second that the script of the bundle takes; test_rebuild.py runs it."""

    def pretend(folder: Path) -> None:
        for name in ("rebuild.py", "rebuild.txt"):
            (folder / name).write_text("")

    monkeypatch.setattr("game.trials.exports.files.rebuild", pretend)
