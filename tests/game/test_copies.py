"""A copy of the database, and the way back, with every game replayed."""

import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections

from game.management.copies import RESTORED, mark_of
from game.models import Decision, Game, Player
from game.selectors.replaying import games_that_do_not_replay
from solver.rules import RULESETS
from tests.game.rulesets import begun, finished_game

pytestmark = pytest.mark.django_db(transaction=True)


def stored() -> list[tuple[object, ...]]:
    facts = Decision.objects.order_by("game", "seq")
    return list(facts.values_list("game", "seq", "hold", "category"))


def test_a_round_trip_brings_every_game_back(
    player: Player, tmp_path: Path, capsys: pytest.CaptureFixture[str]
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
    assert [one.name for one in tmp_path.iterdir()] == ["copy"]
    Game.objects.order_by("pk").first().decisions.all().delete()  # type: ignore[union-attr]
    begun(player, RULESETS["yatzy"])
    assert stored() != before
    call_command("restore", str(copy))
    assert stored() == before
    assert f"Games replayed: {2 * len(RULESETS)}" in capsys.readouterr().out


def test_a_copy_made_while_somebody_plays_is_a_moment_of_the_game(
    player: Player, tmp_path: Path
) -> None:
    over = threading.Event()

    def play() -> None:
        while not over.is_set():
            finished_game(player, RULESETS["yatzy"])
        connections.close_all()

    thread = threading.Thread(target=play)
    thread.start()
    try:
        while Game.objects.filter(finished_at__isnull=False).count() < 2:
            thread.join(0.01)
        copies = [tmp_path / str(number) for number in range(3)]
        for copy in copies:
            call_command("backup", str(copy))
    finally:
        over.set()
        thread.join()
    for copy in copies:
        call_command("restore", str(copy))
        assert Game.objects.filter(finished_at__isnull=False).count() >= 2


def test_a_game_that_does_not_replay_is_named(player: Player, tmp_path: Path) -> None:
    game = finished_game(player, RULESETS["yatzy"])
    assert list(games_that_do_not_replay()) == []
    Game.objects.update(final_score=999)
    call_command("backup", str(tmp_path / "copy"))
    with pytest.raises(CommandError, match=game.pk):
        call_command("restore", str(tmp_path / "copy"))


def test_a_database_without_tables_is_not_copied(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(connection.introspection, "table_names", lambda: ["auth_user"])
    with pytest.raises(CommandError, match="has no tables of the site"):
        call_command("backup", str(tmp_path / "copy"))
    assert list(tmp_path.iterdir()) == []


def test_a_drill_goes_the_whole_way_back_beside_the_site_and_leaves_a_mark(
    player: Player, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.VAR_DIR = tmp_path
    monkeypatch.setenv("YATZY_VAR", str(tmp_path))
    monkeypatch.delenv("SECRET_KEY")
    game, copy = finished_game(player, RULESETS["yatzy"]), tmp_path / "copy"
    call_command("backup", str(copy))
    begun(player, RULESETS["yatzy"])
    call_command("restore", "--drill", str(copy))
    assert Game.objects.count() == 2
    mark = mark_of(RESTORED)
    assert mark is not None
    assert (mark.file, mark.games) == (str(copy), 1)
    left = {one.name for one in tmp_path.iterdir()} - {"compiled", "tables"}
    assert left == {"copy", "copied.json", "restored.json", "secret_key", ".secret_key.lock"}
    Game.objects.filter(pk=game.pk).update(final_score=999)
    call_command("backup", str(copy))
    with pytest.raises(CommandError, match="cannot be restored"):
        call_command("restore", "--drill", str(copy))
    assert mark_of(RESTORED) == mark


@pytest.mark.sqlite  # pg_restore reads a format of its own
def test_a_damaged_copy_is_not_put_back(player: Player, tmp_path: Path) -> None:
    """It opens, and its tables can be read: an index of one says something else."""
    game, copy = finished_game(player, RULESETS["yatzy"]), tmp_path / "copy"
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
        call_command("restore", str(copy))
    assert not Game.objects.exists()


def test_what_is_no_copy_changes_nothing(player: Player, tmp_path: Path) -> None:
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(tmp_path / "other")) as other:
            other.execute("CREATE TABLE t (x)")
    (tmp_path / "text").write_text("not a database, but long enough to be one" * 50)
    for name in ("other", "text", "nothing"):
        with pytest.raises(CommandError):
            call_command("restore", str(tmp_path / name))
    assert Player.objects.get() == player
