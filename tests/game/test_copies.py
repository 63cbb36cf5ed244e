"""Copies of the database, and the way back: every game replays, and nothing is lost on the way."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, connections, migrations, models

from game.core.game_queries import games_that_do_not_replay
from game.management import copies, preparing
from game.management.commands import doctor
from game.management.copies import RESTORED, mark_of
from game.models import Decision, Game, Player
from solver.rules import RULESETS
from tests.game.processes import ROOT
from tests.game.rulesets import begun, finished_game
from tests.loops import in_a_loop
from yatzy_site.asgi import application

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
    """The folder for what restores and updates keep."""
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


def test_a_round_trip_brings_every_game_back_and_keeps_what_was_there(
    player: Player, tmp_path: Path, var: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for rules in RULESETS.values():
        finished_game(player, rules)
        begun(player, rules)
    before, copy = stored(), tmp_path / "copy"
    call_command("backup", str(copy))
    told = capsys.readouterr().out
    assert f"{copy.stat().st_size:,} bytes of {connection.display_name} " in told
    assert f"{connection.settings_dict['NAME']}" in told
    assert f", games: {2 * len(RULESETS)}\n" in told
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert {one.name for one in tmp_path.iterdir()} == {"copy", "var"}
    Game.objects.order_by("pk").first().decisions.all().delete()  # type: ignore[union-attr]
    begun(player, YATZY)
    after = stored()
    assert after != before
    restore(copy)
    assert stored() == before
    told = capsys.readouterr().out
    assert f"Games in the site now: {2 * len(RULESETS) + 1}." in told
    assert f"Games before: {2 * len(RULESETS) + 1}. Games now: {2 * len(RULESETS)}." in told
    (present,) = kept(var, "before-restore")
    assert str(present) in told
    restore(present, accept_faults=True)
    assert stored() == after


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
        made.add(path := copies.dated("before-update"))
        path.touch()
    assert len(made) == 5


def test_a_game_that_does_not_replay_is_named_and_nothing_changes_unless_accepted(
    player: Player, tmp_path: Path
) -> None:
    game = finished_game(player, YATZY)
    assert list(games_that_do_not_replay()) == []
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


def test_a_drill_goes_the_whole_way_back_beside_the_site_and_leaves_a_mark(
    player: Player, tmp_path: Path, var: Path
) -> None:
    game, copy = finished_game(player, YATZY), tmp_path / "copy"
    call_command("backup", str(copy))
    begun(player, YATZY)
    with served():
        call_command("restore", "--drill", str(copy))
    assert Game.objects.count() == 2
    mark = mark_of(RESTORED)
    assert mark is not None
    assert (mark.file, mark.games) == (str(copy), 1)
    assert {one.name for one in var.iterdir()} == {"copied.json", "restored.json"}
    Game.objects.filter(pk=game.pk).update(final_score=999)
    call_command("backup", str(copy))
    with pytest.raises(CommandError, match="cannot be restored"):
        call_command("restore", "--drill", str(copy))
    assert mark_of(RESTORED) == mark


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


@contextmanager
def served() -> Iterator[None]:
    """While another process serves the site, which with PostgreSQL is connected to it."""
    sqlite = "import fcntl, sys; file = open(sys.argv[1], 'ab'); fcntl.flock(file, fcntl.LOCK_SH)"
    postgresql = "import psycopg, sys; connected = psycopg.connect(sys.argv[1])"
    hold = sqlite if connection.vendor == "sqlite" else postgresql
    process = subprocess.Popen(
        [sys.executable, "-c", f"{hold}; print('serves', flush=True); sys.stdin.read()", held()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        assert process.stdout.readline() == b"serves\n"
        yield
    finally:
        process.send_signal(signal.SIGKILL)  # after which no lock is left
        process.wait()
        process.stdin.close()
        process.stdout.close()


def held() -> str:
    """Return the lock of the site, or the address of its database."""
    where = connection.settings_dict
    if connection.vendor == "sqlite":
        database = Path(where["NAME"])
        return str(database.with_name(f".{database.name}.lock"))
    return (
        f"host={where['HOST']} port={where['PORT']} user={where['USER']} "
        f"password='{where['PASSWORD']}' dbname={where['NAME']}"
    )


def test_a_site_that_serves_is_not_restored_and_one_that_was_killed_is(
    player: Player, tmp_path: Path, var: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "SECONDS_TO_LEAVE", 1.0)
    call_command("backup", str(tmp_path / "copy"))
    begun(player, YATZY)
    with served():
        with pytest.raises(CommandError, match=REFUSED):
            restore(tmp_path / "copy")
        assert Game.objects.count() == 1
        assert kept(var, "before-restore") == []
    restore(tmp_path / "copy")
    assert Game.objects.count() == 0


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
        with copies.site_lock(alone=True) as stopped:
            return "" if stopped else "it serves"

    refusals: list[str] = []
    in_a_loop(application({"type": "lifespan"}, receive, send))
    assert [one["type"] for one in sent] == [
        "lifespan.startup.complete",
        "lifespan.shutdown.complete",
    ]
    assert (refusals, refusal()) == (["it serves"], "")
    messages[:], sent[:] = ["lifespan.startup"], []
    with copies.site_lock(alone=True):
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


def test_a_restore_that_fails_at_the_exchange_changes_nothing(
    player: Player, tmp_path: Path, var: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call_command("backup", str(tmp_path / "copy"))
    begun(player, YATZY)

    def fails(_: str) -> None:
        raise DatabaseError("no room")

    monkeypatch.setattr("game.management.commands.restore.exchange", fails)
    with pytest.raises(CommandError, match=r"no room.*unchanged"):
        restore(tmp_path / "copy")
    assert Game.objects.count() == 1
    assert not list(var.glob(".restore*"))
    assert len(kept(var, "before-restore")) == 1


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
    """The migrations of a version that drops a column and adds a table, and then fails."""
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


@pytest.mark.usefixtures("next_version")
def test_an_update_that_fails_half_way_names_the_way_back_which_works(
    player: Player, settings: Any, var: Path
) -> None:
    for _ in range(2):
        begun(player, YATZY)
    settings.MIGRATION_MODULES = {"game": "next_version"}
    for _ in range(2):  # whoever tries again overwrites nothing
        with pytest.raises(CommandError, match="a row that cannot be") as failed:
            call_command("update")
    told = str(failed.value)
    assert "Games before: 2. Games now: 2." in told
    made = kept(var, "before-update")
    assert len(made) == 2
    assert f"`.venv/bin/yatzy restore {made[0]}`" in told
    settings.MIGRATION_MODULES = {}  # the former program
    with pytest.raises(DatabaseError):
        begun(player, YATZY)
    with pytest.raises(CommandError, match="of a later version of the program"):
        restore(made[1])
    restore(made[0])
    assert Game.objects.count() == 2
    begun(player, YATZY)
    assert not (var / preparing.UPDATING).exists()
    (present,) = kept(var, "before-restore")
    assert present.stat().st_size > 10_000


def test_a_copy_from_before_an_update_is_restored_into_the_updated_database(
    next_version: Path, player: Player, settings: Any, var: Path, tmp_path: Path
) -> None:
    (next_version / "9999_fails.py").unlink()
    drops = next_version / "9998_drops.py"  # of this program the models name the column
    drops.write_text(drops.read_text().replace(DROPPED, ""))
    begun(player, YATZY)
    settings.MIGRATION_MODULES = {"game": "next_version"}
    call_command("update")
    assert not (var / preparing.UPDATING).exists()
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


@pytest.mark.usefixtures("next_version")
def test_an_update_that_a_server_would_not_survive_waits_until_it_is_stopped(
    settings: Any, var: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "SECONDS_TO_LEAVE", 1.0)
    settings.MIGRATION_MODULES = {"game": "next_version"}
    with served(), pytest.raises(CommandError, match=r"game 9998_drops.*stop it.*Games: 0"):
        call_command("update")
    assert kept(var, "before-update") == []
    assert not (var / preparing.UPDATING).exists()


NULL = models.IntegerField(null=True)


def test_a_pg_dump_that_is_older_than_its_server_is_refused_before_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian 12 has 15, and so cannot copy a server of 17."""
    (tmp_path / "pg_dump").write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6 (Debian)'\n")
    (tmp_path / "pg_dump").chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    if connection.vendor == "sqlite":
        assert copies.old_pg_dump() == ""
        return
    with pytest.raises(CommandError, match=r"of version 9 .* install postgresql-client-\d"):
        call_command("backup", str(tmp_path / "copy"))
    assert doctor.of_copies() == ("error", copies.old_pg_dump())


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
