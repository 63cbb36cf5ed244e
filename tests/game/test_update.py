"""A new version is one command, from whatever version the database is of."""

import os
import re
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from http.client import HTTPConnection
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from game.management import preparing
from game.management.commands import doctor, update
from game.models import Decision, Game, Player
from game.pages.requests import readiness
from solver.rules import RULESETS
from solver.tables import find_tables_dir
from tests.game.processes import ROOT
from tests.game.rulesets import finished_game
from tests.services import free_port

FIRST = ("game", "0001_initial")
OLD = tuple(import_module("game.migrations.0001_initial").Migration.replaces)


@pytest.fixture
def made(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The steps of an update, in their order."""
    done: list[str] = []
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr(preparing, "collect", lambda: None)
    monkeypatch.setattr(preparing, "ensure_tables", lambda _: done.append("tables"))
    monkeypatch.setattr(preparing, "call_command", lambda name, **_: done.append(name))

    def copied(path: Path) -> str:
        done.append(path.name.rstrip("0123456789-"))
        return "copied"

    monkeypatch.setattr(preparing, "copy_to", copied)
    monkeypatch.setattr(update, "call_command", lambda name, **_: done.append(name))
    return done


@pytest.mark.django_db
def test_what_is_to_be_migrated_is_copied_before(
    made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = StringIO()
    call_command("update", stdout=out)
    assert made == ["tables", "migrate", "doctor"]
    assert out.getvalue().endswith("systemctl restart yatzy\n")
    MigrationRecorder(connection).record_unapplied("sessions", "0001_initial")
    monkeypatch.setattr(update, "list_refusals", lambda _: [])  # nothing was really migrated
    monkeypatch.setattr(preparing, "is_served", lambda: False)
    made.clear()
    call_command("update", stdout=out)
    assert made == ["tables", "before-update", "migrate", "doctor"]
    assert "Games before: 0. Games now: 0." in out.getvalue()
    made.clear()
    call_command("update", "--no-copy", stdout=out)
    assert made == ["tables", "migrate", "doctor"]
    made.clear()
    monkeypatch.setattr(preparing, "has_tables", lambda: False)
    call_command("update", stdout=out)
    assert made == ["tables", "migrate", "doctor"]


@pytest.mark.django_db
def test_what_the_doctor_finds_is_told_and_only_what_cannot_serve_is_not_started(
    made: list[str], monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    def faulty(*_: Any, **__: Any) -> None:
        raise CommandError("to be put right: disk")

    monkeypatch.setattr(update, "call_command", faulty)
    out, err = StringIO(), StringIO()
    call_command("update", stdout=out, stderr=err)
    assert err.getvalue() == "to be put right: disk\n"
    assert "restart" in out.getvalue()
    settings.ALLOWED_HOSTS, out = ["yatzy.example"], StringIO()
    with pytest.raises(CommandError, match=r"The server cannot start:\n  before you serve"):
        call_command("update", stdout=out, stderr=err)
    assert "restart" not in out.getvalue()


def yatzy(folder: Path) -> tuple[list[str], dict[str, str]]:
    file = folder / "settings.env"
    file.write_text(f"YATZY_VAR={folder}/var\nYATZY_TABLES={find_tables_dir()}\nMAKE_TABLES=off\n")
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    command = "import sys; from yatzy_site.command import main; sys.exit(main())"
    return [sys.executable, "-c", command], {**kept, "YATZY_SETTINGS": str(file)}


def record(applied: Sequence[tuple[str, str]]) -> None:
    recorder = MigrationRecorder(connection)
    recorder.migration_qs.filter(app="game").delete()
    for key in applied:
        recorder.record_applied(*key)


def migrations_of_the_game() -> set[tuple[str, str]]:
    return {key for key in MigrationRecorder(connection).applied_migrations() if key[0] == "game"}


def state_of_the_schema() -> list[str]:
    with connection.cursor() as cursor:
        return [table.name for table in connection.introspection.get_table_list(cursor)]


@pytest.mark.django_db
def test_a_database_with_all_old_migrations_takes_the_one_as_applied() -> None:
    later = migrations_of_the_game() - {FIRST, *OLD}
    record([*OLD, *later])
    assert (readiness.explain_old_database(), readiness.list_startup_problems()) == ("", [])
    assert readiness.list_later_migrations() == []
    tables = state_of_the_schema()
    call_command("migrate", verbosity=0)
    assert migrations_of_the_game() == {FIRST, *OLD, *later}
    assert state_of_the_schema() == tables


@pytest.mark.django_db
@pytest.mark.parametrize("applied", [4, 16, 42])
def test_a_database_with_some_old_migrations_is_refused_and_left_alone(
    applied: int, made: list[str]
) -> None:
    record(OLD[:applied])
    too_old = readiness.explain_old_database()
    assert f"({len(OLD) - applied} migrations" in too_old
    assert "check out 3f1e58a" in too_old
    assert readiness.list_startup_problems() == [too_old]
    assert doctor.check_migrations() == ("error", too_old)
    for command, more in (("migrate", {}), ("update", {}), ("play", {"port": free_port()})):
        with pytest.raises(CommandError, match=re.escape(too_old)):
            call_command(command, **more)
        assert made == []
    assert migrations_of_the_game() == set(OLD[:applied])


@pytest.mark.django_db
def test_a_database_without_any_migration_is_new_and_not_old() -> None:
    record([])
    assert readiness.explain_old_database() == ""
    assert "game 0001_initial" in readiness.list_unapplied()


@pytest.mark.nightly
@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_a_site_with_the_old_migrations_is_brought_to_this_version_by_one_command(
    player: Player, tmp_path: Path, yatzy_tables: None
) -> None:
    for rules in RULESETS.values():
        finished_game(player, rules)
    before = list(Decision.objects.order_by("pk").values_list("game", "seq", "hold", "category"))
    command, told = yatzy(tmp_path)

    def ask(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*command, *arguments], cwd=ROOT, env=told, capture_output=True, text=True, check=False
        )

    assert ask("migrate", *FIRST, "-v0", "--skip-checks").stderr == ""
    database = tmp_path / "var" / "yatzy.sqlite3"
    with closing(sqlite3.connect(database)) as old, old:
        old.execute("DELETE FROM django_migrations WHERE app = ? AND name = ?", FIRST)
        for model in (Player, Game, Decision):
            table = model._meta.db_table
            columns = [name for _, name, *_ in old.execute(f"PRAGMA table_info({table})")]
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT * FROM {table}")
                names = [column[0] for column in cursor.description]
                rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
            marks = ", ".join("?" * len(columns))
            insert = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"
            old.executemany(insert, [[row.get(name, "") for name in columns] for row in rows])
    refused = ask("serve")
    assert refused.returncode == 1
    assert "the database lacks migrations" in refused.stderr
    done = ask("update")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"games: {len(RULESETS)}" in done.stdout
    assert "error" not in done.stdout
    (copy,) = (tmp_path / "var").glob("before-update-*")
    replayed = ask("restore", "--drill", str(copy))
    assert replayed.stdout == f"Games replayed: {len(RULESETS)}\n", replayed.stderr
    with closing(sqlite3.connect(database)) as site:
        asked = "SELECT game_id, seq, hold, category FROM game_decision ORDER BY id"
        assert site.execute(asked).fetchall() == before
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen([*command, "serve", "--port", str(port)], cwd=ROOT, env=told)
    try:
        assert answer(port, "/readyz") == answer(port, "/") == 200
        refused = ask("restore", "--yes", str(copy))
        assert refused.returncode == 1
        assert "The site is being served" in refused.stderr
    finally:
        server.kill()
        server.wait(60)
    assert f"Games now: {len(RULESETS)}." in ask("restore", "--yes", str(copy)).stdout


def answer(port: int, path: str) -> int:
    for _ in range(600):
        try:
            with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as asked:
                asked.request("GET", path)
                return asked.getresponse().status
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise AssertionError("no server")
