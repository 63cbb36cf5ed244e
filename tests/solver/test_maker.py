"""What is worked out once is made part after part, by one process at a time, and told to others."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from solver.rules import RULESETS
from solver.tables import find_table_path, open_table
from solver.tables.maker import (
    Busy,
    Failed,
    acquire_lock,
    find_machine_lock,
    find_notes_path,
    is_under_way,
    lock_path,
    prepare,
    read_status,
)
from solver.tables.parts import PARTS, Piece, find_existing_parts

RULES = RULESETS["yahtzee-plain"]
PLAIN = ("values", "outlook")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    return tmp_path


class Workshop:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log: list[str] = []
        self.instead: dict[str, Callable[[], None]] = {}

    def pieces(self, rules: object, parts: tuple[str, ...]) -> list[Piece]:
        names = {"values": ["values"], "explain": ["one", "other"]}
        return [self._piece(part, name) for part in parts for name in names.get(part, [])]

    def _piece(self, part: str, name: str) -> Piece:
        def make(report: Any) -> None:
            self.log.append(name)
            report(1, 2)
            self.instead.get(name, lambda: None)()
            (self.folder / name).touch()

        return Piece(part, name, (self.folder / name).exists, make)


@pytest.fixture
def workshop(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    workshop = Workshop(folder)
    monkeypatch.setattr("solver.tables.maker.list_pieces", workshop.pieces)
    return workshop


def test_the_real_pieces_are_made_in_order_and_never_again(folder: Path) -> None:
    assert find_existing_parts(RULES) == dict.fromkeys(PARTS, False)
    assert [piece.name for piece in prepare(RULES, PLAIN)] == ["values", "outlook"]
    assert find_existing_parts(RULES) == {"values": True, "outlook": True, "explain": False}
    assert open_table(RULES).value_start == pytest.approx(245.870775, abs=1e-6)
    assert prepare(RULES, PLAIN) == []
    table = find_table_path(RULES, "outlook")
    damaged = bytearray(table.read_bytes())
    damaged[-1] ^= 1
    table.write_bytes(damaged)
    assert [piece.name for piece in prepare(RULES, PLAIN)] == ["outlook"]


def test_after_an_interruption_the_rest_is_made(workshop: Workshop) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    workshop.instead["other"] = interrupt
    with pytest.raises(KeyboardInterrupt):
        prepare(RULES)
    assert read_status(RULES) is None
    workshop.instead.clear()
    assert [piece.name for piece in prepare(RULES)] == ["other"]
    assert workshop.log == ["values", "one", "other", "other"]


def test_others_read_what_is_being_made_and_how_far_it_is(workshop: Workshop) -> None:
    seen = []
    workshop.instead["values"] = lambda: seen.append((is_under_way(RULES), read_status(RULES)))
    prepare(RULES)
    (busy, told) = seen[0]
    assert busy
    assert told is not None
    assert (told.part, told.failed) == ("values", "")
    assert not is_under_way(RULES)
    assert read_status(RULES) is None


def test_the_progress_of_a_part_only_grows_and_ends_below_one(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solver.tables.maker.SELDOM", 0.0)
    seen = []

    def look() -> None:
        told = read_status(RULES)
        assert told is not None
        seen.append((told.part, told.done))

    workshop.instead = dict.fromkeys(("values", "one", "other"), look)
    prepare(RULES)
    assert seen == [("values", 0.5), ("explain", 0.25), ("explain", 0.75)]


def test_nobody_makes_what_another_process_is_making(workshop: Workshop) -> None:
    with acquire_lock(lock_path(RULES), wait=False) as mine:
        assert mine
        assert is_under_way(RULES)
        with pytest.raises(Busy, match="yahtzee-plain"):
            prepare(RULES)
    assert workshop.log == []
    assert len(prepare(RULES)) == 3


def test_two_rulesets_never_make_a_piece_at_the_same_time(workshop: Workshop) -> None:
    with acquire_lock(find_machine_lock(), wait=True):
        waiting = threading.Thread(target=prepare, args=(RULES,))
        waiting.start()
        waiting.join(0.3)
        assert waiting.is_alive()
        assert workshop.log == []
    waiting.join(20)
    assert workshop.log == ["values", "one", "other"]


def test_a_failure_is_kept_with_its_reason_until_it_is_overcome(workshop: Workshop) -> None:
    def fail() -> None:
        raise OSError("the disk is full")

    workshop.instead["one"] = fail
    with pytest.raises(
        Failed, match="explain of yahtzee-plain could not be made: the disk is full"
    ):
        prepare(RULES)
    told = read_status(RULES)
    assert told is not None
    assert (told.part, "disk is full" in told.failed) == ("explain", True)
    assert not is_under_way(RULES)
    workshop.instead.clear()
    prepare(RULES)
    assert read_status(RULES) is None


KILLED = """
import sys
from solver.tables.maker import Notes, acquire_lock, lock_path
from solver.rules import RULESETS
rules = RULESETS["yahtzee-plain"]
with acquire_lock(lock_path(rules), wait=False):
    Notes(rules).begin("values")
    print("at it", flush=True)
    sys.stdin.read()
"""


def test_a_killed_process_holds_nothing_up_and_leaves_what_it_was_at() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KILLED], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"at it\n"
        assert is_under_way(RULES)
        process.send_signal(signal.SIGKILL)
    assert not is_under_way(RULES)
    told = read_status(RULES)
    assert told is not None
    assert told.part == "values"


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"part": 1, "other": 2}', "no json"])
def test_notes_that_cannot_be_read_are_none(content: str) -> None:
    find_notes_path(RULES).write_text(content)
    assert read_status(RULES) is None


def test_how_long_it_takes_is_told_from_how_long_it_took(workshop: Workshop) -> None:
    from solver.tables.maker import Status

    assert Status("values", 0.25, began=100.0, told_at=110.0).left == pytest.approx(30.0)
    assert Status("values", 0.0, began=100.0, told_at=110.0).left is None


# The command


def test_the_command_makes_what_is_missing_and_says_what_there_is(run: Any) -> None:
    status, out, _ = run("prepare", "yahtzee-plain", "--parts", "values", "--json")
    facts = json.loads(out)["rulesets"]["yahtzee-plain"]
    assert status == 0
    assert facts["made"] == ["values"]
    assert facts["there"] == {"values": True, "outlook": False, "explain": False}
    _, out, _ = run("prepare", "yahtzee-plain", "--parts", "values", "--json")
    assert json.loads(out)["rulesets"]["yahtzee-plain"]["made"] == []


def test_the_command_says_that_somebody_else_is_at_it(run: Any) -> None:
    with acquire_lock(lock_path(RULES), wait=False):
        status, _, err = run("prepare", "yahtzee-plain", "--json")
    assert status == 2
    assert "another process is making the parts of yahtzee-plain" in err
