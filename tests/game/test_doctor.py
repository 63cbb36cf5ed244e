"""The doctor, the checks before a server starts, and /readyz."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from game.management import copies
from game.management.commands import doctor, serve
from game.management.preparing import collect
from game.models import Decision, Game, Player
from game.pages.requests import readiness
from solver.rules import YATZY
from solver.tables import BadTable, MissingTable
from solver.tables.parts import PARTS
from tests.game.rulesets import begun
from tests.loops import in_a_loop
from yatzy_site.requests import serve_lifespan

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def site(settings: Any, tmp_path: Path, yatzy_tables: None) -> Path:
    settings.VAR_DIR = tmp_path / "var"
    settings.VAR_DIR.mkdir()
    settings.STATIC_ROOT = settings.VAR_DIR / "static"
    return tmp_path


@pytest.fixture
def sheet(settings: Any, site: Path) -> Path:
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATICFILES_DIRS = [site / "source"]
    (site / "source").mkdir()
    path = site / "source" / "site.css"
    path.write_text("a { color: red }")
    collect()
    return path


@pytest.fixture
def later_migration() -> Iterator[None]:
    MigrationRecorder(connection).record_unapplied("sessions", "0001_initial")
    yield
    MigrationRecorder(connection).record_applied("sessions", "0001_initial")


def run_doctor(*options: str) -> str:
    out = StringIO()
    try:
        call_command("doctor", *options, stdout=out, no_color=True)
    except CommandError as error:
        out.write(f"{error} ({error.returncode})")
    return out.getvalue()


def pieces() -> dict[str, tuple[str, str]]:
    return {one.name: (one.state, one.text) for one in doctor.examine()}


def test_every_piece_is_told_and_an_error_is_the_status(later_migration: None) -> None:
    lines = run_doctor().splitlines()
    named = [line[9:29].strip() for line in lines[: len(doctor.PIECES)]]
    assert named == list(doctor.PIECES)
    assert lines[-1] == "errors to fix: migrations (1)"
    line = "error    migrations           migrations to apply: sessions 0001_initial; run `."
    assert line in run_doctor()
    found = json.loads(run_doctor("--json").removesuffix("errors to fix: migrations (1)"))
    assert found["ok"] is False
    assert [one["name"] for one in found["pieces"]] == named


def test_warnings_are_no_errors() -> None:
    found = json.loads(run_doctor("--json"))
    assert found["ok"] is True
    assert "warning" in {one["state"] for one in found["pieces"]}


def test_what_cannot_be_looked_at_is_an_error_of_that_piece(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away() -> None:
        raise DatabaseError("nobody\n answers")

    monkeypatch.setattr(connection, "cursor", away)
    found = pieces()
    assert found["database"] == found["clock"] == ("error", "nobody answers")
    assert found["disk"][0] == "ok"


def test_settings_with_which_no_server_starts_are_an_error(settings: Any, site: Path) -> None:
    assert doctor.check_settings() == ("ok", "no file, and the environment")
    settings.SETTINGS_FILE, settings.OTHERWISE = site / "env", ("DATABASE_URL",)
    assert doctor.check_settings()[0] == "warning"
    assert doctor.check_settings()[1].endswith("which has other values for DATABASE_URL")
    settings.PROCESSES, settings.REDIS_URL = 2, ""
    assert doctor.check_settings()[1].startswith("2 processes serve the site without Redis.")
    settings.ALLOWED_HOSTS = ["yatzy.example"]
    state, text = doctor.check_settings()
    assert state == "error"
    assert "HTTPS=1" in text


def test_another_version_of_a_package_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor.check_packages()[0] == "ok"
    monkeypatch.setattr(
        doctor, "list_differing_packages", lambda: ["a 1, not 2", "b", "c", "d", "e"]
    )
    assert doctor.check_packages() == ("warning", "a 1, not 2, b, c, 2 more; run `./yatzy update`")


def test_a_database_of_a_later_version_is_seen() -> None:
    MigrationRecorder(connection).record_applied("game", "9999_later")
    MigrationRecorder(connection).record_applied("gone", "0001_removed")
    state, text = doctor.check_migrations()
    assert (state, text) == ("warning", "the database is newer than this version: game 9999_later")


def change(sheet: Path) -> None:
    sheet.write_text("a { color: tan }")


def add(sheet: Path) -> None:
    sheet.with_name("new.css").touch()


def lose_a_copy(sheet: Path) -> None:
    (sheet.parents[1] / "var" / "static" / "site.css").unlink()


def cut_the_manifest(sheet: Path) -> None:
    (sheet.parents[1] / "var" / "static" / readiness.MANIFEST).write_text("{")


@pytest.mark.parametrize("what", [change, add, lose_a_copy, cut_the_manifest])
def test_files_of_another_version_are_seen(sheet: Path, what: Callable[[Path], None]) -> None:
    assert doctor.check_static_files() == ("ok", "as in the checkout")
    assert readiness.list_startup_problems() == []
    what(sheet)
    assert doctor.check_static_files()[0] == "error"
    (wrong,) = readiness.list_startup_problems()
    assert wrong.startswith("the collected static files are of another version")


def test_what_is_not_collected_is_served_as_it_lies_there() -> None:
    assert doctor.check_static_files()[0] == "warning"
    assert readiness.list_startup_problems() == []


def test_an_old_translation_is_seen(monkeypatch: pytest.MonkeyPatch, site: Path) -> None:
    assert doctor.check_translations() == ("ok", "compiled")
    source = site / "sv" / "LC_MESSAGES" / "django.po"
    monkeypatch.setattr(doctor, "find_outdated", lambda: [source])
    assert doctor.check_translations() == ("warning", "not compiled: sv; run `./yatzy update`")


def test_a_missing_table_is_somebodys_and_a_damaged_one_is_an_error(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    faults: dict[str, type[MissingTable] | type[BadTable]] = {}

    class Whole:
        def check(self) -> None:
            pass

    def opened(rules: Any, kind: str) -> Whole:
        assert kind in PARTS
        if rules.id in faults:
            raise faults[rules.id](f"{rules.id} it is")
        return Whole()

    monkeypatch.setattr(doctor, "open_table", opened)
    assert doctor.check_tables()[0] == "ok"
    faults["yahtzee"] = MissingTable
    assert doctor.check_tables() == ("ok", "missing for yahtzee: run `./yatzy prepare`")
    faults["yatzy"] = MissingTable
    assert doctor.check_tables()[0] == "warning"
    settings.MAKE_TABLES = True
    assert doctor.check_tables() == ("ok", "missing for yatzy, yahtzee: the server makes them")
    faults["yahtzee"] = BadTable
    assert doctor.check_tables() == ("error", "; ".join(["yahtzee it is"] * len(PARTS)))


def test_every_row_of_a_table_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Damaged:
        def check(self) -> None:
            raise BadTable("a row")

    monkeypatch.setattr(doctor, "open_table", lambda *_: Damaged())
    assert doctor.check_tables()[0] == "error"


def test_a_clock_that_went_back_is_seen(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = SimpleNamespace(adjtimex=lambda _: 0)
    monkeypatch.setattr("ctypes.CDLL", lambda _: kernel)
    assert doctor.check_clock()[0] == "ok"
    kernel.adjtimex = lambda _: 5
    assert doctor.check_clock()[0] == "warning"
    begun(player, YATZY)
    assert doctor.check_clock()[0] == "warning"
    assert Decision.objects.update(created_at=datetime.now(UTC) + timedelta(hours=1)) == 1
    state, text = doctor.check_clock()
    assert state == "error"
    assert "before the newest decision at" in text


@pytest.mark.parametrize(("free", "state"), [(2e9, "ok"), (9e8, "warning"), (2e8, "warning")])
def test_little_room_is_seen(free: float, state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    assert doctor.check_disk() == (state, f"{free / 1e9:,.1f} GB are free")


def test_what_cannot_be_written_is_seen(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert doctor.check_disk() == ("error", f"{settings.VAR_DIR} cannot be written")


def test_a_redis_that_is_away_is_a_warning(settings: Any) -> None:
    settings.REDIS_URL = ""
    assert doctor.check_redis() == ("ok", "not used")
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    backend = "django.core.cache.backends.redis.RedisCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": settings.REDIS_URL}}
    assert doctor.check_redis()[0] == "warning"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("2.6.2\n", ("ok", "Caddy 2.6.2")),
        ("v2.10.0 h1:abc=\n", ("ok", "Caddy 2.10.0")),
        ("v2.5.9\n", ("warning", "Caddy 2.5.9")),
        ("what?\n", None),
    ],
)
def test_the_version_of_a_proxy_on_this_machine_is_known(
    answer: str, said: tuple[str, str] | None, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = site / "caddy"
    program.write_text(f"#!/bin/sh\n[ $1 = version ] && echo '{answer.strip()}'\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{site}:/bin:/usr/bin")
    assert doctor.check_proxy() == (said or ("warning", f"{program} does not report its version"))
    monkeypatch.setenv("PATH", str(site / "nowhere"))
    assert doctor.check_proxy()[0] == "ok"


def test_a_copy_and_the_way_back_leave_marks_that_grow_old(settings: Any, site: Path) -> None:
    assert doctor.check_backups()[0] == doctor.check_restores()[0] == "warning"
    path = site / "copy"
    path.touch()
    for what in (copies.COPIED, copies.RESTORED):
        copies.leave_mark(what, path, 0)
    assert doctor.check_backups() == ("ok", f"{path}, 0 hours old, games: 0")
    assert doctor.check_restores() == ("ok", f"replayed: {path}, 0 hours old, games: 0")
    for days, states in (
        (1.9, "ok ok"),
        (2.1, "error ok"),
        (39.9, "error ok"),
        (40.1, "error error"),
    ):
        then = (datetime.now(UTC) - timedelta(days=days)).timestamp()
        os.utime(path, (then, then))
        for what in (copies.COPIED, copies.RESTORED):
            copies.leave_mark(what, path, 0)
        assert f"{doctor.check_backups()[0]} {doctor.check_restores()[0]}" == states
    assert doctor.check_backups()[1] == f"{path}, 40 days old, games: 0"
    (settings.VAR_DIR / "copied.json").write_text("{")
    assert pieces()["last backup"][0] == "error"


# A server that cannot serve does not start


def test_readiness_names_what_is_to_be_migrated(later_migration: None) -> None:
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    wrong = ["the database lacks migrations (sessions 0001_initial): run `./yatzy update`"]
    assert answer.json()["unready"] == wrong


def test_readiness_has_nothing_to_say_of_a_server_that_serves() -> None:
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["unready"]) == (200, [])


@pytest.fixture
def probed(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The site is ready; its database, as far as the probe knows, is a file of this test."""
    path = tmp_path / "yatzy.sqlite3"
    with closing(sqlite3.connect(path)) as made:
        made.execute("PRAGMA journal_mode=WAL")
    settings.VAR_DIR = tmp_path
    monkeypatch.setitem(connection.settings_dict, "NAME", path)
    monkeypatch.setattr(connection, "vendor", "sqlite")
    assert readiness.list_running_problems() == []
    return path


def test_readiness_notices_that_nothing_can_be_stored(probed: Path, settings: Any) -> None:
    settings.VAR_DIR = probed.parent / "gone"
    (wrong,) = readiness.list_running_problems()
    assert str(settings.VAR_DIR) in wrong
    assert Client().get("/readyz").status_code == 503


def test_readiness_notices_a_database_that_cannot_be_written(probed: Path) -> None:
    with closing(sqlite3.connect(probed)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert readiness.list_running_problems() == []
    probed.unlink()
    probed.mkdir()
    assert len(readiness.list_running_problems()) == 1


def test_readiness_notices_that_the_usual_coach_is_missing(
    probed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YATZY_TABLES", str(probed.parent))
    (wrong,) = readiness.list_running_problems()
    assert "prepare yatzy" in wrong


def test_a_database_that_is_away_keeps_no_server_from_starting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away() -> None:
        raise DatabaseError("nobody answers")

    monkeypatch.setattr(connection, "cursor", away)
    assert readiness.list_startup_problems() == []


def test_a_service_that_cannot_serve_is_refused_once_with_all_reasons(
    settings: Any, later_migration: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, command: called.append(command))
    settings.ALLOWED_HOSTS = ["yatzy.example"]
    with pytest.raises(CommandError) as refused:
        call_command("serve")
    lines = str(refused.value).splitlines()
    assert lines[0] == "The server cannot start:"
    assert "before you serve the public, set HTTPS=1" in str(refused.value)
    assert "the database lacks migrations" in lines[-1]
    with pytest.raises(CommandError):
        call_command("serve", "--host", "8.8.8.8")
    assert called == []


def test_a_service_that_can_serve_is_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _, command: called.append(command))
    call_command("serve", "--host", "0.0.0.0", "--port", "81")
    (command,) = called
    assert command[1:] == [*serve.UVICORN, "--host", "0.0.0.0", "--port", "81"]


def test_a_server_that_finds_itself_unready_ends_its_start() -> None:
    sent: list[Any] = []

    async def receive() -> dict[str, str]:
        return {"type": "lifespan.startup"}

    async def send(message: Any) -> None:
        sent.append(message)

    async def never() -> None:
        raise AssertionError

    in_a_loop(serve_lifespan(never, receive, send, lambda: ["this", "that"]))
    failed = {
        "type": "lifespan.startup.failed",
        "message": "The server cannot start:\n  this\n  that",
    }
    assert sent == [failed]
    assert Game.objects.count() == 0
