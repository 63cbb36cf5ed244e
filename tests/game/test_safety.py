"""What a server must be told before it is anybody's: `check`, and refusals at the start."""

from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.checks import run_checks
from django.core.management import CommandError, call_command

from game.management import checks
from game.management.checks import is_public, list_unsafe_settings
from game.management.commands import play
from tests.game.processes import python
from tests.loops import in_a_loop
from tests.selection import exhaustive
from yatzy_site.environment import count_processes, load_secret_key
from yatzy_site.requests import OnlyHere

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
    checked = python(
        tmp_path, "manage.py", "check", "--deploy", "--fail-level", "WARNING", **DOCUMENTED
    )
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "no issues" in checked.stdout
    if not exhaustive():  # what is refused without each of them is tried below, in this process
        return
    without = {name: value for name, value in DOCUMENTED.items() if name != "HTTPS"}
    checked = python(
        tmp_path, "manage.py", "check", "--deploy", "--fail-level", "WARNING", **without
    )
    assert checked.returncode == 1


@pytest.mark.usefixtures("yatzy_tables")
def test_check_warns_of_an_empty_key_and_of_processes_that_share_nothing(tmp_path: Path) -> None:
    checked = python(tmp_path, "manage.py", "check", SECRET_KEY=" ", WEB_CONCURRENCY="3")
    assert "game.W002) SECRET_KEY is set, but empty." in checked.stderr
    assert "game.W003) 3 processes serve the site without Redis." in checked.stderr
    fine = {"SECRET_KEY": KEY, "WEB_CONCURRENCY": "3", "REDIS_URL": "redis://127.0.0.1/0"}
    assert python(tmp_path, "manage.py", "check", **fine).stderr == ""


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
def test_whoever_serves_the_public_is_told_what_to_set(
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


def test_a_server_with_unsafe_settings_does_not_start(tmp_path: Path) -> None:
    load = ("-c", "import yatzy_site.asgi")
    refused = python(tmp_path, *load, ALLOWED_HOSTS="yatzy.example", DEBUG="1")
    assert refused.returncode == 1
    assert "DEBUG=0" in refused.stderr
    assert "HTTPS=1" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert python(tmp_path, *load, **DOCUMENTED, LOG_LEVEL="ERROR").returncode == 0


def test_a_server_says_that_its_processes_share_nothing(tmp_path: Path) -> None:
    told = python(tmp_path, "-c", "import yatzy_site.asgi", WEB_CONCURRENCY="2").stderr
    assert "2 processes serve the site without Redis" in told


def test_make_play_refuses_a_public_address_and_no_other(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[str] = []
    monkeypatch.setattr(play, "serve", lambda host, _port: served.append(host))
    monkeypatch.setattr(play, "make_ready", lambda *_, **__: None)
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


def test_a_server_with_debug_stands_behind_that(tmp_path: Path) -> None:
    served = "from yatzy_site import asgi; print(type(asgi.routes.app).__name__)"
    assert python(tmp_path, "-c", served, DEBUG="1").stdout.split() == ["OnlyHere"]
    assert python(tmp_path, "-c", served).stdout.split() == ["ProtocolTypeRouter"]
