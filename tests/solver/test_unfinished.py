"""A large table whose making is interrupted: what is finished stays, what is damaged does not."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from solver.dp.levels import SolvedLevels, solve_by_level
from solver.tables import packed, write_packed
from solver.tables.packed import open_packed
from tests.solver.test_large import SAVED

RULES = SAVED[0]
LEVELS = len(RULES.categories) + 1


class Killed(Exception):
    """The process was killed: its files stay as they are."""


@pytest.fixture(autouse=True)
def every_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "SELDOM", 0.0)


def killed_after(levels: int, told: list[int], rules: Any = RULES) -> Callable[..., float]:
    def solve(write: Any, *, before: SolvedLevels | None, keep: Any) -> float:
        def kept(finished: SolvedLevels) -> None:
            keep(finished)
            told.append(finished.levels)
            if len(told) == levels:
                raise Killed

        return solve_by_level(rules, write, before=before, keep=kept)

    return solve


def interrupted(path: Path, levels: int) -> None:
    with pytest.raises(Killed):
        write_packed(path, RULES, killed_after(levels, []))


def whole(path: Path) -> bytes:
    write_packed(path, RULES, partial(solve_by_level, RULES))
    return path.read_bytes()


def goes_on(folder: Path) -> list[int]:
    """Return the levels that are solved now; the table is whole and nothing else is left."""
    solved = list[int]()
    write_packed(folder / "values", RULES, killed_after(99, solved))
    assert (folder / "values").read_bytes() == whole(folder / "other")
    open_packed(folder / "values", RULES).check()
    assert {one.name for one in folder.iterdir()} == {"values", "other"}
    return solved


@pytest.mark.parametrize("levels", range(1, LEVELS + 1))
def test_it_goes_on_at_the_level_where_it_was(levels: int, tmp_path: Path) -> None:
    interrupted(tmp_path / "values", levels)
    assert not (tmp_path / "values").exists()
    assert goes_on(tmp_path) == list(range(levels + 1, LEVELS + 1))


def test_one_that_is_interrupted_again_and_again_comes_to_its_end(tmp_path: Path) -> None:
    for _try in range(LEVELS):
        interrupted(tmp_path / "values", 1)
    assert (tmp_path / ".values.part").exists()
    assert goes_on(tmp_path) == []


def flipped(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1])


@pytest.mark.parametrize(
    ("file", "change", "first"),
    [
        ("level", flipped, 1),
        ("part", flipped, 1),
        ("part", lambda content: content[:-4], 1),
        ("part", lambda content: content + b"of the next one", 4),  # that was not finished
    ],
)
def test_what_was_damaged_meanwhile_is_begun_anew(
    file: str, change: Callable[[bytes], bytes], first: int, tmp_path: Path
) -> None:
    interrupted(tmp_path / "values", 3)
    damaged = tmp_path / f".values.{file}"
    damaged.write_bytes(change(damaged.read_bytes()))
    assert [*goes_on(tmp_path), LEVELS + 1][0] == first


def test_other_rules_are_not_gone_on_with(tmp_path: Path) -> None:
    path, other = tmp_path / "values", SAVED[1]
    for rules in (other, RULES):  # the larger one first
        with pytest.raises(Killed):
            write_packed(path, rules, killed_after(len(rules.categories), [], rules))
    told = list[int]()
    write_packed(path, RULES, killed_after(99, told))
    assert told[0] == LEVELS
    told = list[int]()
    write_packed(path, other, killed_after(99, told, other))
    assert told[0] == 1
    open_packed(path, other).check()


def test_two_at_once_wait_for_each_other(tmp_path: Path) -> None:
    path = tmp_path / "values"
    expected = whole(tmp_path / "other")
    threads = [Thread(target=whole, args=[path]) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert path.read_bytes() == expected


def test_seldom_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "SELDOM", 100.0)
    interrupted(tmp_path / "values", 3)
    assert not (tmp_path / ".values.level").exists()


def test_values_are_kept_with_all_their_digits(tmp_path: Path) -> None:
    values = np.array([1 / 3, np.pi, 0.0])
    with packed.open_unfinished(tmp_path / "values", "of", 8) as work:
        assert work.read_kept() is None
        work.add(memoryview(b"rows"))
        work.keep(SolvedLevels(2, values))
    with packed.open_unfinished(tmp_path / "values", "of", 8) as work:
        found = work.read_kept()
    assert found is not None
    assert found.levels == 2
    assert np.array_equal(found.values, values)
