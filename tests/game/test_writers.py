"""Tables come back from every format as they were written, or not at all."""

import re
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from game.trials.files import export_table
from game.trials.files.export_table import (
    FORMATS,
    Column,
    ExportTable,
    Row,
    place_when_complete,
    write_table,
)
from tests.game.table_readers import OtherColumns, read_table, to_the_millisecond
from tests.selection import examples

column = partial(Column, masked=True, public=True)
SAMPLE: ExportTable = ExportTable(
    "sample",
    "One column of each kind.",
    (
        column(name="who", kind="text", text="A word.", empty="nobody"),
        column(name="count", kind="whole", text="How many.", unit="games", empty="none"),
        column(name="mean", kind="number", text="On average.", unit="points", empty="none"),
        column(name="done", kind="truth", text="Whether it is.", empty="unknown"),
        column(name="at", kind="time", text="When.", empty="never happened"),
    ),
)
NOON = datetime(2026, 3, 1, 12, 0, 0, 123_000, tzinfo=UTC)
ROWS: list[Row] = [
    ("Åse", 3, 248.4399893781, True, NOON),
    ("P02", -7, -0.1, False, NOON + timedelta(days=40_000)),
    ("P03", None, None, None, None),
    ('a "quoted", comma\nand line', 0, 1e-9, True, NOON),
    (None, 1, None, None, None),
]
ALL = tuple(FORMATS)
cells = st.tuples(
    # Not an empty text, which stands for nothing, and no half letters, which no file can hold.
    st.none() | st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1),
    st.integers(-(2**53), 2**53),
    st.none() | st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.none() | st.booleans(),
    st.none() | st.timedeltas(timedelta(0), timedelta(days=36_500)).map(lambda past: NOON - past),
)


def written(rows: list[Row], folder: Path, name: str) -> Path:
    write_table(SAMPLE, iter(rows), folder / "sample", [name])
    return folder / f"sample.{name}"


@given(rows=st.lists(cells, max_size=5))
@settings(max_examples=examples(40))
@pytest.mark.parametrize("name", ALL)
def test_whatever_is_written_is_read_again(
    name: str, rows: list[Row], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("written")
    found = list(read_table(SAMPLE, written(rows, folder, name)))
    times = (row[4] for row in rows)
    kept = [to_the_millisecond(at) if isinstance(at, datetime) else at for at in times]
    assert found == [(*row[:4], at) for row, at in zip(rows, kept, strict=True)]


def test_csv_is_what_other_programs_expect(tmp_path: Path) -> None:
    raw = written(ROWS, tmp_path, "csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbfwho,count,mean,done,at\r\n")
    lines = raw.decode("utf-8-sig").splitlines()
    assert lines[1] == "Åse,3,248.4399893781,true,2026-03-01T12:00:00.123Z"
    assert lines[2].startswith("P02,-7,-0.1,false,")
    assert lines[3] == "P03,,,,"


FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]")
PLAIN_NUMBER = re.compile(r"-?[0-9.]+(e[+-]?[0-9]+)?")
SEPARATORS = (",", ";", "\t", "|")


def split_as_a_spreadsheet(text: str, separator: str) -> Iterator[str]:
    """Yield the cells of a file: quotes count where a cell begins, and a line may end in three
    ways."""
    at, size = 0, len(text)
    while at < size:
        cell = ""
        if text[at] == '"':
            at += 1
            while at < size and (text[at] != '"' or text[at : at + 2] == '""'):
                cell += text[at]
                at += 2 if text[at] == '"' else 1
            at += 1
        while at < size and text[at] not in (separator, "\r", "\n"):
            cell += text[at]
            at += 1
        at += 1
        yield cell


SAID: ExportTable = ExportTable(
    "said",
    "Texts in front of a row and within it.",
    (
        SAMPLE.columns[0],
        SAMPLE.columns[1],
        *(column(name=f"said_{at}", kind="text", text="A text.") for at in (2, 3)),
    ),
)
tricky = st.text(st.sampled_from(";,|\t\r\n\"' =+-@＝＋－＠a1"), min_size=1, max_size=12)


@pytest.mark.parametrize("separator", SEPARATORS)
@given(texts=st.lists(st.tuples(tricky, tricky, tricky), min_size=1, max_size=2))
@example(texts=[("a", "x;=1+1", "a\n=2+2")])
@settings(max_examples=examples(300))
def test_no_cell_begins_with_a_formula_whatever_separates_cells(
    separator: str, texts: list[tuple[str, str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows: list[Row] = [(first, -1, second, third) for first, second, third in texts]
    stem = tmp_path_factory.mktemp("written") / "said"
    write_table(SAID, iter(rows), stem, ["csv"])
    path = stem.with_suffix(".csv")
    assert list(read_table(SAID, path)) == rows
    with path.open(encoding="utf-8-sig", newline="") as file:
        cells = split_as_a_spreadsheet(file.read(), separator)
        assert [
            one for one in cells if FORMULA.match(one) and not PLAIN_NUMBER.fullmatch(one)
        ] == []


def test_parquet_carries_types_and_meanings(tmp_path: Path) -> None:
    from pyarrow.parquet import read_schema

    schema = read_schema(written(ROWS, tmp_path, "parquet"))
    kinds = [str(field.type) for field in schema]
    assert kinds == ["string", "int64", "double", "bool", "timestamp[ms, tz=UTC]"]
    assert schema.field("mean").metadata[b"description"] == b"On average."


def test_an_interruption_keeps_the_files_of_the_export_before(tmp_path: Path) -> None:
    write_table(SAMPLE, iter(ROWS), tmp_path / "sample", ALL)  # in one pass over the rows
    paths = [tmp_path / f"sample.{name}" for name in ALL]
    assert {len(list(read_table(SAMPLE, path))) for path in paths} == {len(ROWS)}
    for path in paths:
        path.unlink()
    before = written(ROWS, tmp_path, "csv").read_bytes()
    with pytest.raises(ValueError), place_when_complete(tmp_path) as folder:
        write_table(SAMPLE, [("a row", 1)], folder / "sample", ["csv"])
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [before]


def test_a_file_of_another_table_is_not_read_as_this_one(tmp_path: Path) -> None:
    other = ExportTable("other", "", SAMPLE.columns[:4])
    rows = [("x", 1, 1.5, True, NOON)]
    write_table(SAMPLE, rows, tmp_path / "sample", ALL)
    for name in ALL:
        with pytest.raises(OtherColumns):
            list(read_table(other, tmp_path / f"sample.{name}"))


@pytest.mark.sampled("name")
@pytest.mark.parametrize("name", ALL)
def test_memory_does_not_grow_with_the_rows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_table, "CHUNK", 500)

    def peak(count: int) -> int:
        rows = ((f"row {n}", n, n / 3, True, NOON) for n in range(count))
        tracemalloc.start()
        write_table(SAMPLE, rows, tmp_path / "sample", [name])
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    def least(count: int) -> int:
        """Least memory; other threads and imports may come on top."""
        return min(peak(count) for _ in range(4))

    assert least(4_000) < 1.3 * least(1_000)


def test_heavy_libraries_wait_until_they_are_needed() -> None:
    asked = (
        "import sys, game.trials.files.export_table, tests.game.table_readers; print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", asked], capture_output=True, check=True)
    assert not {b"pyarrow", b"numpy"} & set(loaded.stdout.split())
