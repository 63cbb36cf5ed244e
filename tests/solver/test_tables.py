"""Files of tables: how they are made, read and refused."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from solver.dp.arrays import Floats
from solver.dp.sweep import solve
from solver.rules import RULESETS, YATZY, Ruleset
from solver.tables import BadTable, MissingTable, file, find_table_path, open_table, write
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
from solver.tables.parts import PARTS, find_existing_parts

TINY = Ruleset("tiny", "Tiny", YATZY.categories[:2], 5, 10, throws=1)
OTHER = Ruleset("tiny", "Tiny", YATZY.categories[:2], 6, 10, throws=1)


@pytest.fixture
def values() -> Floats:
    return solve(TINY)


@pytest.fixture
def path(tmp_path: Path, values: Floats) -> Path:
    path = tmp_path / "tiny.values"
    write(path, TINY, "values", values, value_start=float(values[0, 0]))
    return path


def test_what_is_written_is_read(path: Path, values: Floats) -> None:
    table = file.read(path, TINY, "values")
    assert np.array_equal(table.read_all(), values, equal_nan=True)
    assert table.value_start == values[0, 0]
    assert table.rows(np.array([3, 0])).tolist()[1][0] == values[0, 0]
    assert not table.read_all().flags.writeable


def test_nothing_but_the_table_is_left_behind(path: Path) -> None:
    assert [entry.name for entry in path.parent.iterdir()] == ["tiny.values"]


def test_an_interrupted_write_leaves_the_old_table_and_nothing_else(
    path: Path, values: Floats, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()

    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(path, TINY, "values", values + 1, value_start=0.0)
    assert path.read_bytes() == before
    assert len(list(path.parent.iterdir())) == 1


def test_a_missing_table_is_named_with_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(MissingTable, match=r"no table .*nowhere.*solve tiny"):
        file.read(tmp_path / "nowhere", TINY, "values")


def later(content: bytes) -> bytes:
    return content[:8] + bytes([9]) + content[9:]


@pytest.mark.parametrize(
    ("change", "rules", "kind", "reason"),
    [
        *((lambda c, size=size: c[:size], TINY, "values", "") for size in (0, 5, 19, 60, -1)),
        (lambda content: content + b"\0", TINY, "values", "bytes instead of"),
        (later, TINY, "values", "format 9"),
        (bytes, OTHER, "values", "other rules"),
        (bytes, TINY, "outlook", "holds values, not outlook"),
    ],
)
def test_a_table_that_is_damaged_or_another_is_refused(
    path: Path, change: Callable[[bytes], bytes], rules: Ruleset, kind: str, reason: str
) -> None:
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(BadTable, match=rf"tiny\.values.*{reason}.*solve tiny --force"):
        file.read(path, rules, kind)


@pytest.mark.parametrize("change", [{"added": 1}, {"dtype": None}])
def test_a_header_with_other_facts_is_refused(path: Path, change: dict[str, object]) -> None:
    """A later version may say more of a table, or less, in the same format."""
    content = path.read_bytes()
    magic, version, length, _ = file.PREFIX.unpack(content[: file.PREFIX.size])
    facts = json.loads(content[file.PREFIX.size : file.PREFIX.size + length]) | change
    text = json.dumps({name: fact for name, fact in facts.items() if fact is not None}).encode()
    prefix = file.PREFIX.pack(magic, version, len(text), crc32(text))
    path.write_bytes(prefix + text + content[file.PREFIX.size + length :])
    with pytest.raises(BadTable, match="another version of this program"):
        file.read(path, TINY, "values")


def contents_or_refusal(path: Path) -> Floats | BadTable:
    try:
        return file.read(path, TINY, "values").read_all()
    except BadTable as refusal:
        return refusal


def test_no_damaged_byte_ever_becomes_a_number(path: Path, values: Floats) -> None:
    """Every byte of the file is damaged once; the table is refused, or says what it said."""
    sound, refused = path.read_bytes(), 0
    for at in range(len(sound)):
        content = bytearray(sound)
        content[at] ^= 0x40
        path.write_bytes(content)
        read = contents_or_refusal(path)
        if isinstance(read, BadTable):
            refused += 1
            assert "solve tiny --force" in str(read)
        else:
            assert np.array_equal(read, values, equal_nan=True)
    assert refused > len(sound) * 0.8  # the rest is padding


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadTable, match="cannot be read"):
        file.read(tmp_path, TINY, "values")


def test_a_table_that_is_cut_short_while_it_is_open_is_an_error_and_not_the_end(path: Path) -> None:
    """A memory map would raise SIGBUS here."""
    table = file.read(path, TINY, "values")
    os.truncate(path, 100)
    with pytest.raises(BadTable, match="cut short"):
        table.read_row(1)
    with pytest.raises(BadTable, match="cut short"):
        table.read_all()


def test_a_table_that_is_damaged_while_it_is_open_is_noticed(path: Path) -> None:
    table = file.read(path, TINY, "values")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(BadTable, match="damaged in row") as refusal:
        table.rows(np.array([table.header.shape[0] - 1]))
    assert refusal.value.path == path
    assert refusal.value.ruleset == "tiny"


def test_damage_is_noticed_among_many_rows_too(
    path: Path, values: Floats, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "AT_ONCE", 1)
    numbers = np.array([3, 0, 3, len(values) - 1])
    table = file.read(path, TINY, "values")
    assert np.array_equal(table.rows(numbers), values[numbers], equal_nan=True)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(BadTable, match=f"damaged in row {len(values) - 1}"):
        table.rows(numbers)
    with path.open("r+b") as cut:
        cut.truncate(len(content) - 1)
    with pytest.raises(BadTable, match="cut short"):
        table.rows(numbers)


def test_an_open_table_stays_as_it_was_when_another_takes_its_place(
    path: Path, values: Floats
) -> None:
    table = file.read(path, TINY, "values")
    new = path.with_name("new")
    new.write_bytes(b"something else")
    new.replace(path)
    assert np.array_equal(table.read_all(), values, equal_nan=True)


def test_rows_that_are_remembered_are_no_more_than_a_few(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "KEPT", 2)
    table = file.read(path, TINY, "values")
    for number in (0, 1, 2, 0):
        assert np.array_equal(table.read_row(number), table.read_all()[number], equal_nan=True)
    assert len(table._kept) == 2


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

    def is_made(self, rules: object, part: str) -> bool:
        return (self.folder / part).exists()

    def make(self, rules: object, part: str, report: Any) -> None:
        self.log.append(part)
        report(1, 2)
        self.instead.get(part, lambda: None)()
        (self.folder / part).touch()


@pytest.fixture
def workshop(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    workshop = Workshop(folder)
    monkeypatch.setattr("solver.tables.maker.is_made", workshop.is_made)
    monkeypatch.setattr("solver.tables.maker.make_part", workshop.make)
    return workshop


def test_the_real_parts_are_made_in_order_and_never_again(folder: Path) -> None:
    assert find_existing_parts(RULES) == dict.fromkeys(PARTS, False)
    assert prepare(RULES, PLAIN) == ["values", "outlook"]
    assert find_existing_parts(RULES) == {"values": True, "outlook": True, "explain": False}
    assert open_table(RULES).value_start == pytest.approx(245.870775, abs=1e-6)
    assert prepare(RULES, PLAIN) == []
    table = find_table_path(RULES, "outlook")
    damaged = bytearray(table.read_bytes())
    damaged[-1] ^= 1
    table.write_bytes(damaged)
    assert prepare(RULES, PLAIN) == ["outlook"]


def test_after_an_interruption_the_rest_is_made(workshop: Workshop) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    workshop.instead["explain"] = interrupt
    with pytest.raises(KeyboardInterrupt):
        prepare(RULES)
    assert read_status(RULES) is None
    workshop.instead.clear()
    assert prepare(RULES) == ["explain"]
    assert workshop.log == ["values", "outlook", "explain", "explain"]


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

    workshop.instead = dict.fromkeys(PARTS, look)
    prepare(RULES)
    assert seen == [(part, 0.5) for part in PARTS]


def test_nobody_makes_what_another_process_is_making(workshop: Workshop) -> None:
    with acquire_lock(lock_path(RULES), wait=False) as mine:
        assert mine
        assert is_under_way(RULES)
        with pytest.raises(Busy, match="yahtzee-plain"):
            prepare(RULES)
    assert workshop.log == []
    assert len(prepare(RULES)) == 3


def test_two_rulesets_never_make_a_part_at_the_same_time(workshop: Workshop) -> None:
    with acquire_lock(find_machine_lock(), wait=True):
        waiting = threading.Thread(target=prepare, args=(RULES,))
        waiting.start()
        waiting.join(0.3)
        assert waiting.is_alive()
        assert workshop.log == []
    waiting.join(20)
    assert workshop.log == ["values", "outlook", "explain"]


def test_a_failure_is_kept_with_its_reason_until_it_is_overcome(workshop: Workshop) -> None:
    def fail() -> None:
        raise OSError("the disk is full")

    workshop.instead["outlook"] = fail
    with pytest.raises(Failed, match="outlook of yahtzee-plain could not be made: the disk"):
        prepare(RULES)
    told = read_status(RULES)
    assert told is not None
    assert (told.part, "disk is full" in told.failed) == ("outlook", True)
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
