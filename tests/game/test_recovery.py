"""Back into an account with a code that was shown once; the password is changed."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache

from game.core.accounts import get_or_create_player
from game.core.recovery import NO_CODE, NotRecovered, make_recovery_code, recover_account
from game.models import Player
from tests.play import Browser
from yatzy_site.passwords import HASHERS, SmallArgon2

NEW = "correct horse battery"


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    cache.clear()


@pytest.fixture
def ada(browser: Browser) -> Player:
    user = User.objects.create_user("ada", password="old password 1")
    browser.force_login(user)
    return get_or_create_player(user=user)


def made(browser: Browser) -> str:
    page = browser.post("/account/recovery-code/", {"password": "old password 1"})
    found = re.search(r'id="code">([A-Z0-9-]+)<', page.content.decode())
    assert found
    return found[1]


def recover(browser: Browser, code: str, name: str = "ada", new: str = NEW) -> int:
    data = {"username": name, "code": code, "password1": new, "password2": new}
    return browser.post("/account/recover/", data).status_code


def test_a_code_is_shown_once_and_kept_as_a_password_is(browser: Browser, ada: Player) -> None:
    code = made(browser)
    ada.refresh_from_db()
    assert code.replace("-", "") not in ada.recovery
    assert ada.recovery.count("$") >= 2
    for address in ("/account/", "/account/recovery-code/"):
        page = browser.get(address)
        assert code not in page.content.decode()
        assert "no-store" in page.headers["Cache-Control"]


def test_a_code_gives_a_new_password_once(browser: Browser, ada: Player) -> None:
    code, elsewhere = made(browser), Browser()
    assert recover(elsewhere, f" {code.lower().replace('-', ' ')}") == 302
    assert elsewhere.get("/account/").status_code == 200
    assert browser.get("/account/").status_code == 302, "signed out everywhere else"
    assert Browser().login(username="ada", password=NEW)
    assert recover(Browser(), code) == 400


@pytest.mark.parametrize(("name", "code"), [("eve", ""), ("ada", "x"), ("ada", "")])
def test_a_wrong_name_or_code_recovers_nothing(ada: Player, name: str, code: str) -> None:
    with pytest.raises(NotRecovered):
        recover_account(name=name, code=code, password=NEW)


@pytest.mark.parametrize("has_code", [True, False])
@pytest.mark.parametrize("name", ["ada", "eve", "bob"])
def test_an_unknown_name_costs_one_hash_as_a_wrong_code_does(
    ada: Player, monkeypatch: pytest.MonkeyPatch, settings: Any, name: str, has_code: bool
) -> None:
    settings.PASSWORD_HASHERS = HASHERS
    User.objects.create_user("bob", is_active=False)
    if has_code:
        make_recovery_code(player=ada)
    hashed: list[str] = []
    verify, encode = SmallArgon2.verify, SmallArgon2.encode

    def counted(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def count_and_call(*given: Any) -> Any:
            hashed.append(name)
            return method(*given)

        return count_and_call

    monkeypatch.setattr(SmallArgon2, "verify", counted("verify", verify))
    monkeypatch.setattr(SmallArgon2, "encode", counted("encode", encode))
    with pytest.raises(NotRecovered):
        recover_account(name=name, code="x", password=NEW)
    assert hashed == ["verify"]
    assert not SmallArgon2().must_update(NO_CODE), "it costs what a new code costs"


def test_a_deactivated_account_is_not_recovered(browser: Browser, ada: Player) -> None:
    code = made(browser)
    User.objects.update(is_active=False)
    assert recover(Browser(), code) == 400
    assert User.objects.get().check_password("old password 1")


def test_a_weak_password_spends_no_code(browser: Browser, ada: Player) -> None:
    code = made(browser)
    assert recover(Browser(), code, new="12345678") == 400
    assert recover(Browser(), code, new=NEW) == 302


def test_codes_are_not_tried_out(browser: Browser, ada: Player, settings: Any) -> None:
    settings.LOGIN_FAILURES = 3
    code, guesser = made(browser), Browser()
    found = [recover(guesser, "WRONG") for _ in range(4)]
    assert (found[0], found[-1]) == (400, 429)
    assert recover(guesser, code) == 429, "the right one is not looked at either"
    assert User.objects.get().check_password("old password 1")


def test_only_who_knows_the_password_makes_a_code_or_changes_it(
    browser: Browser, ada: Player
) -> None:
    assert browser.post("/account/recovery-code/", {"password": "guess"}).status_code == 400
    data = {"old_password": "guess", "new_password1": NEW, "new_password2": NEW}
    assert browser.post("/account/password/", data).status_code == 400
    ada.refresh_from_db()
    assert ada.recovery == ""
    data["old_password"] = "old password 1"
    assert browser.post("/account/password/", data).status_code == 302
    assert browser.get("/account/").status_code == 200, "still signed in here"
    assert User.objects.get().check_password(NEW)


def test_a_new_password_signs_out_other_browsers(
    browser: Browser, ada: Player, new_browser: type[Browser]
) -> None:
    other, old = new_browser(), "old password 1"
    name = User.objects.get().get_username()
    other.post("/account/login/", {"username": name, "password": old})
    assert other.get("/account/").status_code == 200
    data = {"old_password": old, "new_password1": NEW, "new_password2": NEW}
    browser.post("/account/password/", data)
    assert browser.get("/account/").status_code == 200
    assert other.get("/account/").headers["Location"].startswith("/account/login/")
