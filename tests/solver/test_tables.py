import json
import os
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from solver.dp.arrays import Floats
from solver.dp.sweep import solve
from solver.rules import YATZY, Ruleset
from solver.tables import BadTable, MissingTable, file, write

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
