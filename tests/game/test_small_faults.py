"""What went wrong once at the edges: too much, too long, or two at the same moment."""

import stat
import threading
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.test import Client

from game.trials.design.writing import close_trial, delete_trial
from game.trials.models import Trial
from tests.play import Browser
from tests.trials import new_trial
from yatzy_site.environment import load_secret_key
from yatzy_site.sockets import is_own

pytestmark = pytest.mark.django_db


def test_a_fault_of_the_api_is_told_in_json(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ConnectionError("the cache is away")

    monkeypatch.setattr("game.api.api_views.count_request", broken)
    answer = Client().post("/api/v1/advise", {}, content_type="application/json")
    assert (answer.status_code, answer.headers["Content-Type"]) == (500, "application/json")
    assert answer.json()["status"] == 500
    assert "the cache is away" not in answer.text
    assert "the cache is away" in caplog.text


def test_of_two_who_sign_up_with_one_name_at_once_the_second_is_asked_for_another(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first comes between the second's check and its saving."""

    def taken(**_: object) -> None:
        raise IntegrityError("UNIQUE constraint failed: auth_user.username")

    monkeypatch.setattr("game.pages.account_views.merge_guest", taken)
    password = "five sixes at once"
    data = {"username": "anna", "password1": password, "password2": password}
    answer = browser.post("/account/signup/", data)
    assert answer.status_code == 200
    assert "already exists" in answer.text
    assert not User.objects.exists()


def test_a_trial_that_somebody_else_has_just_deleted_is_deleted() -> None:
    trial = new_trial()
    close_trial(trial=trial)
    stale = Trial.objects.get(pk=trial.pk)
    delete_trial(trial=trial)
    delete_trial(trial=stale)
    assert not Trial.objects.exists()


def test_an_empty_key_is_made_anew_and_a_kept_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SECRET_KEY", raising=False)
    path = tmp_path / "var" / "secret_key"
    path.parent.mkdir()
    path.touch()
    key = load_secret_key(path)
    assert len(key) > 50
    assert load_secret_key(path) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {one.name for one in path.parent.iterdir()} == {"secret_key", ".secret_key.lock"}


def test_servers_that_start_at_once_use_one_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SECRET_KEY", raising=False)
    keys: list[str] = []
    threads = [
        threading.Thread(target=lambda: keys.append(load_secret_key(tmp_path / "key")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 8
    assert len(set(keys)) == 1
    assert keys[0]


@pytest.mark.usefixtures("yatzy_tables")
def test_a_hint_is_shown_only_where_it_was_counted(browser: Browser) -> None:
    game = browser.start(coach="after")
    for address in ("?hint=1", "?hint="):
        page = browser.get(f"/games/{game.pk}/{address}")
        assert page.context["board"].coach.hint is None
    counted = browser.post(f"/games/{game.pk}/hint").headers["Location"]
    assert browser.get(counted).context["board"].coach.hint is not None
    browser.act(game, "hold", seq=1)
    assert browser.get(counted).context["board"].coach.hint is None
    game.refresh_from_db()
    assert game.hints == 1


def test_the_cookie_of_the_language_is_as_safe_as_the_others(
    browser: Browser, settings: Any
) -> None:
    for secure in (False, True):
        settings.LANGUAGE_COOKIE_SECURE = secure
        data = {"language": "sv", "theme": "auto", "ruleset": "yatzy", "coach": "off"}
        browser.post("/settings/", {**data, "coach_threshold": "1"})
        assert bool(browser.cookies["django_language"]["secure"]) is secure


@pytest.mark.parametrize(
    ("origin", "host", "scheme", "own"),
    [
        ("http://localhost:8000", "localhost:8000", "ws", True),
        ("http://localhost", "localhost:80", "ws", True),
        ("https://localhost", "localhost", "wss", True),
        ("https://localhost:443", "localhost", "wss", True),
        ("http://localhost:8001", "localhost:8000", "ws", False),
        ("http://localhost", "localhost:8000", "ws", False),
        ("https://localhost", "localhost", "ws", False),
        ("http://localhost", "localhost", "wss", False),
        ("http://evil.example", "localhost", "ws", False),
        ("http://evil.example", "evil.example", "ws", False),
        ("", "localhost", "ws", False),
        ("null", "localhost", "ws", False),
        ("https://yatzy.example", "localhost:8000", "ws", True),
    ],
)
def test_a_socket_belongs_to_a_page_of_this_very_site(
    origin: str, host: str, scheme: str, own: bool, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]
    settings.CSRF_TRUSTED_ORIGINS = ["https://yatzy.example"]
    assert is_own(origin, host, {"scheme": scheme}) is own


def test_behind_a_proxy_that_speaks_https_a_page_of_http_is_another(settings: Any) -> None:
    """The proxy hands on plain HTTP, so the setting says what people's addresses begin with."""
    settings.ALLOWED_HOSTS, settings.HTTPS = ["localhost"], True
    assert is_own("https://localhost", "localhost", {"scheme": "ws"})
    assert not is_own("http://localhost", "localhost", {"scheme": "ws"})
