"""What one client may do at once, and that nobody is kept from playing by what counts it."""

import re
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache, caches
from django.db import connection
from django.test import Client
from django.utils import timezone

from game.core import disk
from game.core.refusals import Refused
from game.core.worth import tables
from game.management.commands import doctor
from game.models import Game, Player
from game.pages.requests import limits
from tests.play import COACH, Browser
from yatzy_site import shared

pytestmark = pytest.mark.django_db
PASSWORD = "five sixes at once"
DUEL = {"ruleset": "yatzy", "people": "2", "minutes": "0", "listed": "link"}
OPTIONAL: dict[str, dict[str, str]] = {
    "/games/": {"mode": "solo"},
    "/duels/": DUEL,
    "/account/signup/": {"username": "anna", "password1": PASSWORD, "password2": PASSWORD},
}


@pytest.fixture(autouse=True)
def nothing_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    for each in caches.all(initialized_only=True):
        each.clear()
    monkeypatch.setattr(limits, "time", lambda: 6000.0)


def test_one_client_begins_so_many_games_a_minute(settings: Any) -> None:
    settings.STARTS_A_MINUTE = 2
    browser = Browser()
    for _ in range(2):
        game = browser.start()
        browser.act(game, "abandon")
    refused = browser.post("/games/", {"mode": "solo", "nonce": browser.nonce()})
    assert refused.status_code == 429
    assert "There were too many requests at once" in refused.text
    assert Game.objects.count() == 2
    elsewhere = Browser(REMOTE_ADDR="192.0.2.7")
    assert elsewhere.start()


def test_a_program_cannot_make_players_without_end(settings: Any) -> None:
    settings.PLAYERS_A_MINUTE = 2
    made = [Browser().post("/games/", {"mode": "solo", "nonce": Browser().nonce()}) for _ in "123"]
    assert [answer.status_code for answer in made] == [302, 302, 429]
    assert Player.objects.count() == 2
    data = {"username": "anna", "password1": PASSWORD, "password2": PASSWORD}
    assert Client().post("/account/signup/", data).status_code == 429
    assert not User.objects.exists()


def test_a_disk_that_fills_up_keeps_its_last_room_for_games_that_were_begun(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Browser(raise_request_exception=False)
    game = browser.start()
    free = settings.DISK_RESERVE_MB * 1_000_000
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    assert disk.report_full_disk() == ""
    free -= 1
    assert browser.act(game, "hold", seq=0, slot=[]).status_code == 200
    nonce = Browser().nonce()
    for path, data in OPTIONAL.items():
        stranger = Browser(raise_request_exception=False)
        assert stranger.post(path, data | {"nonce": nonce}).status_code == 507, path
    assert browser.post("/games/", OPTIONAL["/games/"] | {"nonce": nonce}).status_code == 507
    assert Game.objects.count() == Player.objects.count() == 1
    assert Client().get("/readyz").status_code == 503
    assert doctor.check_disk()[0] == "error"
    settings.MAKE_TABLES = True
    monkeypatch.setattr(tables, "lacks_tables", lambda _rules: True)
    assert not tables.make_next()


@pytest.mark.parametrize("place", ["site", "tables", "database"])
def test_the_reserve_is_kept_in_every_folder_that_the_site_writes(
    place: str, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("site", "tables", "database"):
        (tmp_path / name).mkdir()
    settings.VAR_DIR = tmp_path / "site"
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path / "tables"))
    monkeypatch.setitem(connection.settings_dict, "NAME", tmp_path / "database" / "x.sqlite3")
    monkeypatch.setattr(connection, "vendor", "sqlite")
    full = tmp_path / place
    monkeypatch.setattr("shutil.disk_usage", lambda at: SimpleNamespace(free=1e12 * (at != full)))
    assert str(full) in disk.report_full_disk()


def sign_in(name: str, password: str, address: str = "192.0.2.1") -> int:
    data = {"username": name, "password": password}
    return Client(REMOTE_ADDR=address).post("/account/login/", data).status_code


def test_passwords_cannot_be_guessed_for_long(settings: Any) -> None:
    settings.LOGIN_FAILURES = 3
    User.objects.create_user("anna", password=PASSWORD)
    User.objects.create_user("bert", password=PASSWORD)
    assert [sign_in("anna", "wrong") for _ in range(4)] == [200, 200, 200, 429]
    assert sign_in("Anna", PASSWORD) == 429
    assert sign_in("bert", PASSWORD) == 302
    assert sign_in("anna", PASSWORD, address="192.0.2.2") == 302


def test_one_client_cannot_try_every_name(settings: Any) -> None:
    settings.LOGIN_FAILURES = 1
    assert [sign_in(f"name-{number}", "wrong") for number in range(6)] == [200] * 5 + [429]
    assert sign_in("somebody", "wrong", address="192.0.2.2") == 200


def test_many_clients_cannot_try_one_name(settings: Any) -> None:
    settings.LOGIN_FAILURES = 1
    tried = [sign_in("anna", "wrong", address=f"192.0.2.{number}") for number in range(11)]
    assert tried == [200] * 10 + [429]


def test_a_new_player_is_no_new_client_and_an_account_of_yesterday_is(
    player: Player, settings: Any
) -> None:
    settings.API_REQUESTS_A_MINUTE = 1
    statuses = []
    for _ in range(2):
        browser = Browser()
        browser.start()
        statuses.append(browser.post("/api/v1/advise", "x", content_type="application/json"))
    assert [answer.status_code for answer in statuses] == [400, 429]
    request: Any = type("Request", (), {"META": {"REMOTE_ADDR": "192.0.2.1"}})()
    user = User.objects.create_user("anna")
    player.user = user
    assert len(limits.list_clients(request, player)) == 2
    user.date_joined = timezone.now() - timedelta(days=2)
    assert limits.list_clients(request, player) == [f"player-{player.pk}"]


def test_a_cache_that_is_away_keeps_nobody_from_playing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away(*_: object, **__: object) -> None:
        raise ConnectionError("redis is away")

    for name in ("add", "incr", "get"):
        monkeypatch.setattr(cache, name, away)
    User.objects.create_user("anna", password=PASSWORD)
    assert Browser().start()
    assert sign_in("anna", "wrong") == 200
    assert sign_in("anna", PASSWORD) == 302
    assert "the cache is down" in caplog.text


def test_while_the_cache_is_away_a_process_counts_for_itself(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    def away(*_: object, **__: object) -> None:
        raise ConnectionError("redis is away")

    for name in ("add", "incr", "get"):
        monkeypatch.setattr(cache, name, away)
    settings.LOGIN_FAILURES = 3
    settings.STARTS_A_MINUTE = 2
    assert [sign_in("anna", "wrong") for _ in range(4)] == [200, 200, 200, 429]
    started = [Browser().post("/games/", {"mode": "solo", "nonce": ""}) for _ in range(3)]
    assert [one.status_code == 429 for one in started] == [False, False, True]


@pytest.mark.parametrize("name", ["\uff41\uff4e\uff4e\uff41", " anna ", "\u3000Anna\u00a0", "ANNA"])
def test_a_name_is_the_same_however_it_is_typed(name: str, settings: Any) -> None:
    settings.LOGIN_FAILURES = 1
    assert sign_in(name, "wrong") == 200
    assert sign_in("anna", "wrong") == 429


def test_a_network_of_ipv6_is_one_client(settings: Any) -> None:
    settings.LOGIN_FAILURES = 1
    assert sign_in("anna", "wrong", "2001:db8::1") == 200
    assert sign_in("anna", "wrong", "2001:db8::ffff") == 429
    assert sign_in("anna", "wrong", "2001:db8:0:1::1") == 200


class TestABrowserInWhichSomebodySignedIn:
    @pytest.fixture(autouse=True)
    def _locked_out(self, settings: Any) -> None:
        settings.LOGIN_FAILURES = 1
        for name in ("anna", "berit"):
            User.objects.create_user(name, password=PASSWORD)

    @pytest.fixture
    def known(self) -> Client:
        browser = Client(REMOTE_ADDR="192.0.2.1")
        assert self.signed_in(browser, "anna", PASSWORD) == 302
        browser.post("/account/logout/")
        return browser

    def signed_in(self, browser: Client, name: str, password: str) -> int:
        data = {"username": name, "password": password}
        return browser.post("/account/login/", data).status_code

    def test_is_not_locked_out_by_whoever_guesses_elsewhere(self, known: Client) -> None:
        for one in range(20):
            sign_in("anna", "wrong", f"198.51.100.{one}")
        assert sign_in("anna", PASSWORD, "203.0.113.1") == 429
        assert self.signed_in(known, "anna", PASSWORD) == 302

    def test_nor_by_whoever_guesses_at_the_same_address(self, known: Client) -> None:
        assert [sign_in("anna", "wrong") for _ in range(2)] == [200, 429]
        assert self.signed_in(known, "anna", PASSWORD) == 302

    def test_may_guess_no_more_than_anybody(self, known: Client) -> None:
        guesses = [self.signed_in(known, "anna", "wrong") for _ in range(2)]
        assert guesses == [200, 429]

    def test_is_anybody_to_another_account(self, known: Client) -> None:
        assert sign_in("berit", "wrong") == 200
        assert self.signed_in(known, "berit", PASSWORD) == 429

    def test_cannot_say_so_of_itself(self) -> None:
        stranger = Client(REMOTE_ADDR="192.0.2.1")
        stranger.cookies["known"] = "0123456789abcdef.anna:made-up"
        assert sign_in("anna", "wrong") == 200
        assert self.signed_in(stranger, "anna", PASSWORD) == 429

    def test_is_told_by_a_cookie_that_names_nobody(self, known: Client) -> None:
        cookie = known.cookies["known"]
        assert "anna" not in cookie.value
        assert cookie["httponly"]
        assert cookie["samesite"] == "Lax"


def test_a_redis_that_hangs_is_waited_for_a_moment_only() -> None:
    options = shared.configure_cache("redis://127.0.0.1:1/0")["OPTIONS"]
    assert options["socket_timeout"] < 1
    assert options["socket_connect_timeout"] < 1
    assert options["retry"].get_retries() == 0
    assert Refused in limits.TooMuch.__mro__


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("/settings/", {**COACH, "language": "", "theme": "auto"}),
        ("/nickname/", {"nickname": "Anna"}),
        ("/duels/", DUEL),
    ],
)
def test_no_page_makes_players_without_end(path: str, data: dict[str, str], settings: Any) -> None:
    settings.PLAYERS_A_MINUTE = 1
    answers = [Browser().post(path, data) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [302, 429]
    assert "There were too many requests at once" in answers[1].text
    assert Player.objects.count() == 1


@pytest.mark.usefixtures("yatzy_tables")
def test_practice_makes_no_players_without_end_either(settings: Any) -> None:
    settings.PLAYERS_A_MINUTE = 1
    statuses = []
    for _ in range(2):
        browser = Browser()
        page = browser.get("/drill/").text
        fields = dict(re.findall(r'name="(of|seq)" value="([^"]*)"', page))
        statuses.append(browser.post("/drill/", {**fields, "choice": "hold"}).status_code)
    assert statuses == [302, 429]
    assert Player.objects.count() == 1


def test_duels_are_starts_too(settings: Any) -> None:
    browser = Browser()
    settings.STARTS_A_MINUTE = 1
    duel = browser.post("/duels/", DUEL).headers["Location"]
    assert browser.post("/duels/", DUEL).status_code == 429
    assert Browser().post(f"{duel}join").status_code == 429
    assert browser.post(f"{duel}rematch").status_code == 429


def test_personal_links_are_not_tried_for_long(settings: Any) -> None:
    settings.PLAYERS_A_MINUTE = 2
    answers = [Browser().get("/take-part/made-up/") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [403, 403, 429]
    assert "Please wait" in answers[2].text


def test_dice_are_not_tested_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "UPLOADS_A_MINUTE", 2)
    browser = Browser()
    asked = [
        browser.post("/dice-test/", {"throws": "1 2 3 4 5 6" * 20}),
        browser.get("/dice-test/", {"virtual": "600"}),
        browser.post("/dice-test/", {"throws": "1 2 3"}),
        browser.get("/dice-test/", {"virtual": "600"}),
        browser.get("/dice-test/"),
    ]
    assert [answer.status_code for answer in asked] == [200, 200, 429, 429, 200]


def test_the_administration_has_no_sign_in_of_its_own() -> None:
    User.objects.create_user("anna", password=PASSWORD)
    browser = Browser()
    answer = browser.post("/admin/login/", {"username": "anna", "password": "wrong"})
    assert answer.headers["Location"].startswith("/account/login/?next=/admin/")
    browser.login(username="anna", password=PASSWORD)
    assert browser.get("/admin/login/").status_code == 403
    User.objects.update(is_staff=True)
    assert browser.get("/admin/login/").headers["Location"] == "/admin/"
