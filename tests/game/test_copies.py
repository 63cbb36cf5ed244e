"""Copies of the database, and the way back: every game replays, and nothing is lost on the way."""

import os
import re
import resource
import sqlite3
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, connections, migrations, models

from game.core.game_queries import find_broken_games
from game.management import copies, preparing
from game.management.commands import doctor
from game.management.copies import RESTORED, read_mark
from game.models import Decision, Game, Player
from solver.rules import RULESETS
from tests.game.processes import ROOT, served
from tests.game.rulesets import begun, finished_game
from tests.loops import in_a_loop
from yatzy_site.asgi import application
from yatzy_site.background import delete_what_is_over

pytestmark = pytest.mark.django_db(transaction=True)
YATZY = RULESETS["yatzy"]
REFUSED = r"is being served.*then restore again.*unchanged"


@pytest.fixture(autouse=True)
def alone(transactional_db: None) -> None:
    """End the sessions of PostgreSQL that threads of earlier tests left: no server is there."""
    if connection.vendor == "postgresql":
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


@pytest.fixture(autouse=True)
def var(settings: Any, tmp_path: Path) -> Path:
    settings.VAR_DIR = tmp_path / "var"
    settings.VAR_DIR.mkdir()
    return tmp_path / "var"


def kept(var: Path, name: str) -> list[Path]:
    return sorted(var.glob(f"{name}-*"))


def restore(path: Path, **options: Any) -> None:
    call_command("restore", str(path), yes=True, **options)


def stored() -> list[tuple[object, ...]]:
    facts = Decision.objects.order_by("game", "seq")
    return list(facts.values_list("game", "seq", "hold", "category"))


def test_a_copy_made_while_somebody_plays_is_a_moment_of_the_game(
    player: Player, tmp_path: Path, var: Path
) -> None:
    over = threading.Event()

    def play() -> None:
        while not over.is_set():
            finished_game(player, YATZY)
        connections.close_all()

    thread = threading.Thread(target=play)
    thread.start()
    try:
        while Game.objects.filter(finished_at__isnull=False).count() < 2:
            thread.join(0.01)
        made = [tmp_path / str(number) for number in range(3)]
        for copy in made:
            call_command("backup", str(copy))
    finally:
        over.set()
        thread.join()
    for copy in made:
        restore(copy)
        assert Game.objects.filter(finished_at__isnull=False).count() >= 2
    assert len(kept(var, "before-restore")) == 3  # in one second, or in three


def test_copies_of_one_second_have_names_of_their_own(var: Path) -> None:
    made = set()
    for _ in range(5):
        made.add(path := copies.make_dated_path("before-update"))
        path.touch()
    assert len(made) == 5


def test_a_running_site_deletes_old_dated_copies_and_keeps_the_last(
    var: Path, settings: Any
) -> None:
    settings.COPIES_DAYS = 30
    old = time.time() - 31 * 86_400
    last = "before-update-2026-03-01-000000"
    names = [
        *("before-update-2026-01-01-000000", "before-update-2026-01-01-000000.2"),
        *(last, f"{last}-shm", f"{last}-wal"),
        *("before-restore-2026-02-01-000000", "before-restore-2026-02-02-000000"),
        "before-exams",
    ]
    for name in names:
        (var / name).touch()
        os.utime(var / name, (old, old))
    (var / names[5]).touch()  # of today
    (var / copies.UPDATING).touch()  # an older copy may be the only way back
    delete_what_is_over()
    assert {path.name for path in var.iterdir()} >= set(names)
    (var / copies.UPDATING).unlink()
    delete_what_is_over()
    assert {path.name for path in var.iterdir()} == set(names[2:])


def test_a_game_that_does_not_replay_is_named_and_nothing_changes_unless_accepted(
    player: Player, tmp_path: Path
) -> None:
    game = finished_game(player, YATZY)
    assert list(find_broken_games()) == []
    Game.objects.update(final_score=999)
    call_command("backup", str(tmp_path / "copy"))
    Game.objects.update(final_score=1)
    with pytest.raises(CommandError, match=game.pk):
        restore(tmp_path / "copy")
    assert Game.objects.get().final_score == 1
    restore(tmp_path / "copy", accept_faults=True)
    assert Game.objects.get().final_score == 999


def test_a_database_without_tables_is_not_copied(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(connection.introspection, "table_names", lambda: ["auth_user"])
    with pytest.raises(CommandError, match="has no tables of the site"):
        call_command("backup", str(tmp_path / "copy"))
    assert not (tmp_path / "copy").exists()


@pytest.mark.sqlite  # pg_restore reads a format of its own
def test_a_damaged_copy_is_not_put_back(player: Player, tmp_path: Path) -> None:
    """It opens, and its tables can be read: an index of one says something else."""
    game, copy = finished_game(player, YATZY), tmp_path / "copy"
    call_command("backup", str(copy))
    Game.objects.all().delete()
    with closing(sqlite3.connect(copy)) as whole:
        (size,) = whole.execute("PRAGMA page_size").fetchone()
        index = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_game_game_1'"
        (page,) = whole.execute(index).fetchone()
    content = bytearray(copy.read_bytes())
    start, other = (page - 1) * size, b"?" * len(game.pk)
    content[start : start + size] = content[start : start + size].replace(game.pk.encode(), other)
    copy.write_bytes(content)
    with pytest.raises(CommandError, match="is damaged: row"):
        restore(copy)
    assert not Game.objects.exists()


def test_what_is_no_copy_changes_nothing(player: Player, tmp_path: Path, var: Path) -> None:
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(tmp_path / "other")) as other:
            other.execute("CREATE TABLE t (x)")
    (tmp_path / "text").write_text("not a database, but long enough to be one" * 50)
    for name in ("other", "text", "nothing"):
        with pytest.raises(CommandError, match="unchanged"):
            restore(tmp_path / name)
    assert Player.objects.get() == player
    assert list(var.iterdir()) == []


# What a restore asks before, and who must not be there


@pytest.mark.sqlite  # a server of PostgreSQL is known by its connections, which are ours here
@pytest.mark.usefixtures("yatzy_tables")
def test_a_server_is_not_restored_and_does_not_start_during_a_restore(tmp_path: Path) -> None:
    call_command("backup", str(tmp_path / "copy"))
    sent: list[Any] = []
    messages = ["lifespan.startup", "lifespan.shutdown"]

    async def receive() -> dict[str, str]:
        if sent:
            refusals.append(refusal())
        return {"type": messages.pop(0)}

    async def send(message: Any) -> None:
        sent.append(message)

    def refusal() -> str:
        with copies.lock_site(alone=True) as stopped:
            return "" if stopped else "it serves"

    refusals: list[str] = []
    in_a_loop(application({"type": "lifespan"}, receive, send))
    assert [one["type"] for one in sent] == [
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
    ]
    assert (refusals, refusal()) == (["it serves"], "")
    messages[:], sent[:] = ["lifespan.startup"], []
    with copies.lock_site(alone=True):
        in_a_loop(application({"type": "lifespan"}, receive, send))
    (failed,) = sent
    assert failed["type"] == "lifespan.startup.failed"
    assert "a restore is under way" in failed["message"]


@pytest.mark.parametrize(("answer", "games"), [("", 1), ("no", 1), ("y", 0), ("YES ", 0)])
def test_a_restore_asks_before_it_changes_anything(
    answer: str,
    games: int,
    player: Player,
    tmp_path: Path,
    var: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    call_command("backup", str(tmp_path / "copy"))
    begun(player, YATZY)
    monkeypatch.setattr("builtins.input", lambda _: answer)
    if games:
        with pytest.raises(CommandError, match=r"Not restored.*--yes.*unchanged"):
            call_command("restore", str(tmp_path / "copy"))
    else:
        call_command("restore", str(tmp_path / "copy"))
    assert Game.objects.count() == games
    assert len(kept(var, "before-restore")) == 1 - games


@pytest.mark.sqlite
def test_a_database_that_cannot_be_read_is_moved_aside(
    player: Player, tmp_path: Path, var: Path
) -> None:
    begun(player, YATZY)
    call_command("backup", str(tmp_path / "copy"))
    name = connection.settings_dict["NAME"]
    damaged = tmp_path / "damaged.sqlite3"
    damaged.write_bytes(b"not a database" * 1000)
    connection.close()
    connection.settings_dict["NAME"] = str(damaged)
    try:
        restore(tmp_path / "copy")
        assert Game.objects.count() == 1
        (former,) = kept(var, "before-restore")
        assert former.read_bytes().startswith(b"not a database")
    finally:
        connection.close()
        connection.settings_dict["NAME"] = name


# An update that fails half way, and the way back with the former program


DROPPED = "migrations.RemoveField('game', 'hints'),"


@pytest.fixture
def next_version(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch, player: Player
) -> Iterator[Path]:
    folder = tmp_path / "next_version"
    folder.mkdir()
    of_today = ROOT / "game" / "migrations"
    (folder / "__init__.py").write_text(f"__path__.append({str(of_today)!r})\n")
    last = max(path.stem for path in of_today.glob("0*.py"))
    (folder / "9998_drops.py").write_text(
        "from django.db import migrations, models\n\n"
        "class Migration(migrations.Migration):\n"
        f"    dependencies = [('game', {last!r})]\n"
        "    operations = [\n"
        f"        {DROPPED}\n"
        "        migrations.CreateModel('Later', [\n"
        "            ('id', models.BigAutoField(primary_key=True)),\n"
        "            ('game', models.ForeignKey('game.Game', on_delete=models.CASCADE)),\n"
        "        ]),\n"
        "    ]\n"
    )
    (folder / "9999_fails.py").write_text(
        "from django.db import migrations\n\n"
        "def fail(*_):\n    raise ValueError('a row that cannot be')\n\n"
        "class Migration(migrations.Migration):\n"
        "    dependencies = [('game', '9998_drops')]\n"
        "    operations = [migrations.RunPython(fail)]\n"
    )
    for name in ("collect", "ensure_tables"):
        monkeypatch.setattr(preparing, name, lambda *_: None)
    monkeypatch.syspath_prepend(tmp_path)
    call_command("backup", str(tmp_path / "for the tests that come next"))
    yield folder
    settings.MIGRATION_MODULES = {}
    restore(tmp_path / "for the tests that come next")
    for name in [one for one in sys.modules if one.startswith("next_version")]:
        del sys.modules[name]


# The story of a site, from its first copy to the way back of an update


def on_a_full_disk(room: int, act: Callable[[], object]) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        act()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


class Story:
    def __init__(self, var: Path, copy: Path) -> None:
        self.var, self.copy = var, copy
        sys.stdout.write(f"\n{'step':<44} {'database':<10} {'stored':>6} {'after':>6}  end\n")

    def copies(self) -> dict[Path, bytes]:
        found = [*kept(self.var, "before-*"), self.copy]
        return {path: path.read_bytes() for path in found if path.is_file()}

    def step(self, name: str, act: Callable[[], object], ends: str = "", brings: int = 0) -> str:
        """Act; ``ends`` is of the sentence of a refusal, ``brings`` how many games are more."""
        games, rows, before = Game.objects.count(), stored(), self.copies()
        try:
            with redirect_stdout(StringIO()):
                act()
            end = ""
        except CommandError as refused:
            end = str(refused)
        after = Game.objects.count()
        shown = " ".join(end.split())[:90] or "done"
        sys.stdout.write(f"{name:<44} {connection.vendor:<10} {games:>6} {after:>6}  {shown}\n")
        assert bool(end) == bool(ends), end
        assert re.search(ends, end, re.DOTALL), end
        assert after == games + brings
        assert brings or stored() == rows
        assert before.items() <= self.copies().items()
        return end


@pytest.mark.usefixtures("yatzy_tables")
def test_no_step_from_the_first_copy_to_the_way_back_of_an_update_loses_a_game(
    next_version: Path,
    player: Player,
    tmp_path: Path,
    var: Path,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for rules in RULESETS.values():
        finished_game(player, rules)
        begun(player, rules)
    copy, other = tmp_path / "copy", tmp_path / "other"
    story = Story(var, copy)
    backup = partial(call_command, "backup")
    drill = partial(call_command, "restore", "--drill", str(copy))
    update = partial(call_command, "update")
    story.step("copy", lambda: backup(str(copy)))
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    at_first = stored()
    begun(player, YATZY)
    begun(player, YATZY)
    with served(var):
        story.step("drill while the site is served", drill)
        mark = read_mark(RESTORED)
        assert mark is not None
        assert (mark.file, mark.games) == (str(copy), 2 * len(RULESETS))
        with monkeypatch.context() as patched:
            patched.setattr(copies, "SECONDS_TO_LEAVE", 1.0)
            story.step("restore while it is served", lambda: restore(copy), REFUSED)
            settings.MIGRATION_MODULES = {"game": "next_version"}
            story.step(
                "update while it is served", update, r"game 9998_drops.*Stop the site.*Games: "
            )
            settings.MIGRATION_MODULES = {}
    with monkeypatch.context() as patched:
        patched.setattr(connection.introspection, "table_names", lambda: ["auth_user"])
        story.step("copy of a database without tables", lambda: backup(str(other)), "no tables")
    if connection.vendor == "postgresql":
        with monkeypatch.context() as patched:
            (tmp_path / "pg_dump").write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6'\n")
            (tmp_path / "pg_dump").chmod(0o700)
            patched.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
            install = r"pg_dump 9 .* install postgresql-client-\d"
            story.step("copy by a client that is too old", lambda: backup(str(copy)), install)
            assert doctor.check_backups() == ("error", copies.explain_old_pg_dump())
    monkeypatch.setattr("builtins.input", lambda _: "no")
    asked = partial(call_command, "restore", str(copy))
    story.step("restore that is answered with no", asked, r"Not restored.*--yes.*unchanged")
    with monkeypatch.context() as patched:

        def fails(_: str) -> None:
            raise DatabaseError("no room")

        patched.setattr("game.management.commands.restore.exchange", fails)
        story.step("restore that fails at its last step", lambda: restore(copy), "no room.*unchang")
    size, full = copy.stat().st_size, "unchanged|No game is lost"
    for part in (0, 0.3, 0.9):
        for name, act in (
            ("copy", lambda: backup(str(copy))),
            ("restore", lambda: restore(copy)),
            ("update", update),
        ):
            settings.MIGRATION_MODULES = {"game": "next_version"} if act is update else {}
            acting = partial(on_a_full_disk, int(part * size), act)
            story.step(f"{name}, disk full at {part:.0%} of a copy", acting, full)
    settings.MIGRATION_MODULES = {}
    assert [*var.glob(".restore*"), *tmp_path.glob(".copy*")] == []
    story.step("restore", lambda: restore(copy), brings=-2)
    assert stored() == at_first
    (*_, present) = kept(var, "before-restore")
    story.step("restore of what was there before", lambda: restore(present), brings=2)
    settings.MIGRATION_MODULES = {"game": "next_version"}
    story.step("update that fails half way", update, "a row that cannot be")
    end = story.step("the same again", update, "a row that cannot be.*Games before: .*Games now: ")
    first, second = kept(var, "before-update")
    assert f"`.venv/bin/yatzy restore {first}`" in end
    settings.MIGRATION_MODULES = {}
    with pytest.raises(DatabaseError):
        begun(player, YATZY)
    story.step("former program, second copy", lambda: restore(second), "of a later version of the")
    story.step("former program, first copy", lambda: restore(first))
    begun(player, YATZY)
    assert not (var / copies.UPDATING).exists()


def test_a_copy_from_before_an_update_is_restored_into_the_updated_database(
    next_version: Path, player: Player, settings: Any, var: Path, tmp_path: Path
) -> None:
    (next_version / "9999_fails.py").unlink()
    drops = next_version / "9998_drops.py"  # of this program the models name the column
    drops.write_text(drops.read_text().replace(DROPPED, ""))
    begun(player, YATZY)
    settings.MIGRATION_MODULES = {"game": "next_version"}
    call_command("update")
    assert not (var / copies.UPDATING).exists()
    begun(player, YATZY)
    (copy,) = kept(var, "before-update")
    call_command("restore", "--drill", str(copy))
    assert Game.objects.count() == 2
    restore(copy)  # which migrates it, with the new program
    assert Game.objects.count() == 1
    assert "game_later" in connection.introspection.table_names()
    settings.MIGRATION_MODULES = {}
    restore(copy)
    assert Game.objects.count() == 1
    assert "game_later" not in connection.introspection.table_names()


NULL = models.IntegerField(null=True)


@pytest.mark.parametrize(
    ("operations", "stops"),
    [
        ([], False),
        ([migrations.CreateModel("New", [])], False),
        ([migrations.AddField("game", "new", NULL)], False),
        ([migrations.AddField("game", "new", models.IntegerField(db_default=3))], False),
        ([migrations.AddField("game", "new", models.IntegerField(default=3))], True),
        ([migrations.CreateModel("New", []), migrations.RemoveField("game", "hints")], True),
        ([migrations.RunSQL("UPDATE game_game SET hints = 0")], True),
        ([migrations.DeleteModel("OwnRules")], True),
        ([migrations.SeparateDatabaseAndState([], [migrations.DeleteModel("OwnRules")])], False),
        ([migrations.SeparateDatabaseAndState([migrations.DeleteModel("OwnRules")])], True),
    ],
)
def test_what_a_server_of_the_former_version_names_must_stay(
    operations: list[Any], stops: bool
) -> None:
    assert preparing.needs_stop(operations) is stops
