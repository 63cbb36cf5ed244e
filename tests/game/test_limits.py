"""Rate limits, passwords and safe requests."""

import re
from datetime import timedelta
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.hashers import identify_hasher, make_password
from django.contrib.auth.models import User
from django.core.cache import cache, caches
from django.core.checks import run_checks
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone

from game.core import disk
from game.core.refusals import Refused
from game.core.worth import tables
from game.management import checks
from game.management.checks import is_public, list_unsafe_settings
from game.management.commands import doctor, play
from game.models import Game, Player
from game.pages.requests import limits
from tests.game.processes import python
from tests.loops import in_a_loop
from tests.play import COACH, Browser
from tests.selection import exhaustive
from yatzy_site import shared
from yatzy_site.environment import count_processes, load_secret_key
from yatzy_site.passwords import HASHERS, SmallArgon2
from yatzy_site.requests import OnlyHere

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


@pytest.fixture
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object, **__: object) -> None:
        raise ConnectionError("redis is away")

    for name in ("add", "incr", "get"):
        monkeypatch.setattr(cache, name, away)


@pytest.mark.usefixtures("no_cache")
def test_a_cache_that_is_away_keeps_nobody_from_playing(caplog: pytest.LogCaptureFixture) -> None:
    User.objects.create_user("anna", password=PASSWORD)
    assert Browser().start()
    assert sign_in("anna", "wrong") == 200
    assert sign_in("anna", PASSWORD) == 302
    assert "the cache is down" in caplog.text


@pytest.mark.usefixtures("no_cache")
def test_while_the_cache_is_away_a_process_counts_for_itself(settings: Any) -> None:
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

    def test_is_not_locked_out_by_guesses_from_elsewhere(self, known: Client) -> None:
        for one in range(20):
            sign_in("anna", "wrong", f"198.51.100.{one}")
        assert sign_in("anna", PASSWORD, "203.0.113.1") == 429
        assert self.signed_in(known, "anna", PASSWORD) == 302

    def test_is_not_locked_out_by_guesses_from_the_same_address(self, known: Client) -> None:
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
        ("/drill/", {}),
    ],
)
@pytest.mark.usefixtures("yatzy_tables")
def test_no_page_makes_players_without_end(path: str, data: dict[str, str], settings: Any) -> None:
    settings.PLAYERS_A_MINUTE = 1
    if path == "/drill/":
        asked = re.findall(r'name="(of|seq)" value="([^"]*)"', Browser().get(path).text)
        data = {**dict(asked), "choice": "hold"}
    answers = [Browser().post(path, data) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [302, 429]
    assert "There were too many requests at once" in answers[1].text
    assert Player.objects.count() == 1


def test_duels_are_starts_too(settings: Any) -> None:
    browser = Browser()
    settings.STARTS_A_MINUTE = 1
    duel = browser.post("/duels/", DUEL).headers["Location"]
    assert browser.post("/duels/", DUEL).status_code == 429
    assert Browser().post(f"{duel}join").status_code == 429
    assert browser.post(f"{duel}rematch").status_code == 429


@pytest.mark.needs("game.trials")
def test_personal_links_are_not_tried_for_long(settings: Any) -> None:
    settings.PLAYERS_A_MINUTE = 2
    answers = [Browser().get("/take-part/made-up/") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [403, 403, 429]
    assert "Please wait" in answers[2].text


@pytest.mark.needs("game.lab")
def test_dice_are_not_tested_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.MOST_A_MINUTE, "upload", 2)
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


ARGON2 = "argon2$argon2id$v=19$m=19456,t=2,p=1$"


def test_a_new_password_is_kept_by_argon2_in_little_memory(settings: Any) -> None:
    settings.PASSWORD_HASHERS = HASHERS
    new = {"username": "anna", "password1": PASSWORD, "password2": PASSWORD}
    assert Browser().post("/account/signup/", new).status_code == 302
    assert User.objects.get().password.startswith(ARGON2)
    assert isinstance(identify_hasher(User.objects.get().password), SmallArgon2)


def test_an_old_hash_still_opens_the_account_and_becomes_a_new_one(settings: Any) -> None:
    settings.PASSWORD_HASHERS = HASHERS
    user = User.objects.create(username="anna")
    user.password = make_password(PASSWORD, hasher="pbkdf2_sha256")
    user.save()
    assert sign_in("anna", "wrong") == 200
    assert User.objects.get().password.startswith("pbkdf2_sha256$")
    assert sign_in("anna", PASSWORD) == 302
    assert User.objects.get().password.startswith(ARGON2)
    assert sign_in("anna", PASSWORD) == 302


KEY = "c2VjcmV0LWZvci10aGVzZS10ZXN0cy1hbG9uZS0wMTIzNDU2Nzg5LWFiY2RlZg"
DOCUMENTED = {
    "DATABASE_URL": "postgres://yatzy:secret@database/yatzy",
    "REDIS_URL": "redis://redis:6379/0",
    "SECRET_KEY": KEY,
    "ALLOWED_HOSTS": "yatzy.example",
    "HTTPS": "1",
}


@pytest.mark.usefixtures("yatzy_tables")
def test_with_the_documented_settings_the_deployment_check_finds_nothing(tmp_path: Path) -> None:
    deploy = "manage.py", "check", "--deploy", "--fail-level", "WARNING"
    checked = python(tmp_path, *deploy, **DOCUMENTED, WEB_CONCURRENCY="3")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "no issues" in checked.stdout
    if exhaustive():  # what is refused without each of them is tried below, in this process
        without = {name: value for name, value in DOCUMENTED.items() if name != "HTTPS"}
        assert python(tmp_path, *deploy, **without).returncode == 1


@pytest.mark.usefixtures("yatzy_tables")
def test_check_warns_of_an_empty_key_and_of_processes_that_share_nothing(tmp_path: Path) -> None:
    checked = python(tmp_path, "manage.py", "check", SECRET_KEY=" ", WEB_CONCURRENCY="3")
    assert "game.W002) SECRET_KEY is set, but empty." in checked.stderr
    assert "game.W003) 3 processes serve the site without Redis." in checked.stderr


@pytest.mark.parametrize(
    ("host", "public"),
    [
        *[(name, False) for name in ("localhost", "127.0.0.1", "[::1]", "0.0.0.0", "testserver")],
        *[(name, False) for name in ("192.168.1.7", "10.0.0.7", "[fe80::1]", "pi.local", "pi.lan")],
        *[(name, True) for name in ("yatzy.example", ".yatzy.example", "*", "8.8.8.8")],
        *[(name, True) for name in ("[2606:4700::1]", "local.yatzy.example")],
    ],
)
def test_a_name_is_public_where_it_means_something_elsewhere(host: str, public: bool) -> None:
    assert is_public(host) is public


@pytest.fixture
def public(settings: Any) -> Any:
    settings.ALLOWED_HOSTS = ["localhost", "yatzy.example"]
    settings.DEBUG, settings.HTTPS, settings.SECRET_KEY = False, True, KEY
    settings.KEY_IS_MADE = False
    return settings


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("DEBUG", True, "DEBUG=0"),
        ("HTTPS", False, "HTTPS=1"),
        ("SECRET_KEY", "short", "SECRET_KEY, with 50"),
        ("SECRET_KEY", "x" * 60, "SECRET_KEY, with 50"),
        ("SECRET_KEY", "django-insecure-" + KEY, "SECRET_KEY, with 50"),
    ],
)
def test_a_public_site_is_told_what_to_set(
    public: Any, name: str, value: object, said: str
) -> None:
    assert list_unsafe_settings(public.ALLOWED_HOSTS) == []
    setattr(public, name, value)
    (told,) = list_unsafe_settings(public.ALLOWED_HOSTS)
    assert told.startswith(said)
    assert "(yatzy.example is public)" in told
    assert list_unsafe_settings(["localhost", "192.168.1.7"]) == []
    assert [found.id for found in run_checks()].count("game.W004") == 1


def test_machines_that_share_a_database_are_given_their_key(
    public: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    public.KEY_IS_MADE = True
    monkeypatch.setattr(checks, "connection", SimpleNamespace(vendor="sqlite"))
    assert list_unsafe_settings(public.ALLOWED_HOSTS) == []
    monkeypatch.setattr(checks, "connection", SimpleNamespace(vendor="postgresql"))
    assert "same key on all machines" in list_unsafe_settings(public.ALLOWED_HOSTS)[0]


SERVED = "-c", "from yatzy_site import asgi; print(type(asgi.routes.app).__name__)"


def test_a_server_with_unsafe_settings_does_not_start(tmp_path: Path) -> None:
    refused = python(tmp_path, *SERVED, ALLOWED_HOSTS="yatzy.example", DEBUG="1")
    assert refused.returncode == 1
    assert "DEBUG=0" in refused.stderr
    assert "HTTPS=1" in refused.stderr
    assert "Traceback" not in refused.stderr
    safe = python(tmp_path, *SERVED, **DOCUMENTED, LOG_LEVEL="ERROR")
    assert (safe.returncode, safe.stdout.split()) == (0, ["ProtocolTypeRouter"])


def test_a_server_with_debug_is_for_this_machine_and_says_what_its_processes_lack(
    tmp_path: Path,
) -> None:
    debug = python(tmp_path, *SERVED, DEBUG="1", WEB_CONCURRENCY="2")
    assert debug.stdout.split() == ["OnlyHere"]
    assert "2 processes serve the site without Redis" in debug.stderr


def test_make_play_refuses_a_public_address_and_no_other(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[str] = []
    monkeypatch.setattr(play, "serve", lambda host, _port: served.append(host))
    monkeypatch.setattr(play, "prepare_site", lambda *_, **__: None)
    for host in ("127.0.0.1", "0.0.0.0"):
        call_command("play", "--host", host, "--port", "0", stdout=StringIO())
    assert served == ["127.0.0.1", "0.0.0.0"]
    with pytest.raises(CommandError, match="HTTPS=1"):
        call_command("play", "--host", "8.8.8.8", "--port", "0")
    settings.ALLOWED_HOSTS = ["*"]
    with pytest.raises(CommandError, match="HTTPS=1"):
        call_command("play", "--port", "0")


def test_make_play_does_not_serve_where_the_files_of_its_pages_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, yatzy_tables: None, db: None
) -> None:
    served: list[tuple[str, int]] = []
    monkeypatch.setattr(play, "serve", lambda host, port: served.append((host, port)))
    monkeypatch.setattr("game.management.preparing.collect", lambda: True)
    call_command("play", "--port", "0", stdout=StringIO())
    assert served == [("127.0.0.1", 0)]

    def full() -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("game.management.preparing.collect", full)
    with pytest.raises(OSError, match="no space left"):
        call_command("play", "--port", "0", stdout=StringIO())
    assert len(served) == 1


def test_workers_are_counted_however_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEB_CONCURRENCY", raising=False)
    assert count_processes(["uvicorn", "yatzy_site.asgi:application"]) == 1
    assert count_processes(["uvicorn", "--workers", "4", "--port", "80"]) == 4
    monkeypatch.setenv("WEB_CONCURRENCY", "3")
    assert count_processes(["uvicorn"]) == 3


def test_a_key_of_blanks_is_no_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SECRET_KEY", "  ")
    assert len(load_secret_key(tmp_path / "secret_key")) > 50


async def everything(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "served"})


@pytest.mark.parametrize(
    ("kind", "client", "answer"),
    [
        ("http", ["127.0.0.1", 1], "served"),
        ("http", ["::1", 1], "served"),
        ("http", None, "served"),
        ("http", ["192.168.1.7", 1], 403),
        ("http", ["a name", 1], 403),
        ("websocket", ["192.168.1.7", 1], "websocket.close"),
    ],
)
def test_with_debug_only_the_machine_itself_is_served(
    kind: str, client: object, answer: object
) -> None:
    sent: list[dict[str, object]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": f"{kind}.connect"}

    in_a_loop(OnlyHere(everything)({"type": kind, "client": client}, receive, send))
    assert answer in (sent[0]["type"], sent[0].get("status"))
