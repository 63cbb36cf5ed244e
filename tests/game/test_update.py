"""A new version is one command, from whatever version the database is of."""

import os
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from http.client import HTTPConnection
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, models

from game.management import preparing
from game.management.commands import update
from game.models import Decision, Game, Player
from solver.rules import RULESETS
from solver.tables import tables_dir
from tests.game.processes import ROOT
from tests.game.rulesets import finished_game

FIRST = "0001_players_games_decisions"


@pytest.fixture
def made(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What an update does, in its order."""
    done: list[str] = []
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr(preparing, "collect", lambda: None)
    monkeypatch.setattr(preparing, "ensure_tables", lambda _: done.append("tables"))
    monkeypatch.setattr(preparing, "call_command", lambda name, **_: done.append(name))

    def copied(path: Path) -> str:
        done.append(path.name)
        return "copied"

    monkeypatch.setattr(update, "copy_to", copied)
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
    monkeypatch.setattr(update, "to_migrate", lambda: ["game 0002_coach"])
    made.clear()
    call_command("update", stdout=out)
    assert made == ["tables", "before-update", "migrate", "doctor"]
    made.clear()
    call_command("update", "--no-copy", stdout=out)
    assert made == ["tables", "migrate", "doctor"]
    made.clear()
    monkeypatch.setattr(update, "has_tables", lambda: False)
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
    with pytest.raises(CommandError, match=r"It cannot serve:\n  before the public"):
        call_command("update", stdout=out, stderr=err)
    assert "restart" not in out.getvalue()


def yatzy(folder: Path) -> tuple[list[str], dict[str, str]]:
    """As a service has it: all settings in one file."""
    file = folder / "settings.env"
    file.write_text(f"YATZY_VAR={folder}/var\nYATZY_TABLES={tables_dir()}\nMAKE_TABLES=off\n")
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    command = "import sys; from yatzy_site.command import main; sys.exit(main())"
    return [sys.executable, "-c", command], {**kept, "YATZY_SETTINGS": str(file)}


def columns(old: sqlite3.Connection, table: str) -> list[str]:
    return [name for _, name, *_ in old.execute(f"PRAGMA table_info({table})")]


def put(old: sqlite3.Connection, model: type[models.Model]) -> None:
    """What there was of it then, of what there is now."""
    table = model._meta.db_table
    names = columns(old, table)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table}")
        of_today = [column[0] for column in cursor.description]
        rows = cursor.fetchall()
    kept = [name for name in names if name in of_today]
    lacking = {name: "" for name in names if name not in of_today}
    for row in rows:
        facts = {**dict(zip(of_today, row, strict=True)), **lacking}
        marks = ", ".join("?" * (len(kept) + len(lacking)))
        put_in = f"INSERT INTO {table} ({', '.join((*kept, *lacking))}) VALUES ({marks})"
        old.execute(put_in, [facts[name] for name in (*kept, *lacking)])


@pytest.mark.nightly
@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_a_site_of_the_first_version_is_brought_to_this_one_by_one_command(
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

    assert ask("migrate", "game", FIRST, "-v0", "--skip-checks").stderr == ""
    database = tmp_path / "var" / "yatzy.sqlite3"
    with closing(sqlite3.connect(database)) as old, old:
        for model in (Player, Game, Decision):
            put(old, model)
    refused = ask("serve")
    assert refused.returncode == 1
    assert "the database is to be migrated" in refused.stderr
    done = ask("update")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"games: {len(RULESETS)}" in done.stdout
    assert "error" not in done.stdout
    replayed = ask("restore", "--drill", str(tmp_path / "var" / "before-update"))
    assert replayed.stdout == f"Games replayed: {len(RULESETS)}\n", replayed.stderr
    with closing(sqlite3.connect(database)) as site:
        asked = "SELECT game_id, seq, hold, category FROM game_decision ORDER BY id"
        assert site.execute(asked).fetchall() == before
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen([*command, "serve", "--port", str(port)], cwd=ROOT, env=told)
    try:
        assert answer(port, "/readyz") == answer(port, "/") == 200
    finally:
        server.terminate()
        server.wait(60)


def answer(port: int, path: str) -> int:
    for _ in range(600):
        try:
            with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as asked:
                asked.request("GET", path)
                return asked.getresponse().status
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise AssertionError("no server")
