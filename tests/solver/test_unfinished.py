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
    """As a process is, whose files stay as they are."""


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


@pytest.mark.parametrize("levels", range(1, LEVELS + 1))
def test_it_goes_on_at_the_level_where_it_was(levels: int, tmp_path: Path) -> None:
    path, told = tmp_path / "values", list[int]()
    interrupted(path, levels)
    assert not path.exists()
    write_packed(path, RULES, killed_after(99, told))
    assert told == list(range(levels + 1, LEVELS + 1))
    assert path.read_bytes() == whole(tmp_path / "other")
    open_packed(path, RULES).check()
    assert {one.name for one in tmp_path.iterdir()} == {"values", "other"}


def test_one_that_is_interrupted_again_and_again_comes_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "values"
    for _try in range(LEVELS):
        interrupted(path, 1)
    assert (path.parent / ".values.part").exists()
    told = list[int]()
    write_packed(path, RULES, killed_after(99, told))
    assert told == []
    assert path.read_bytes() == whole(tmp_path / "other")


@pytest.mark.parametrize("which", ["level", "part"])
def test_what_was_damaged_meanwhile_is_begun_anew(which: str, tmp_path: Path) -> None:
    path, told = tmp_path / "values", list[int]()
    interrupted(path, 3)
    file = tmp_path / f".values.{which}"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    write_packed(path, RULES, killed_after(99, told))
    assert told[0] == 1
    assert path.read_bytes() == whole(tmp_path / "other")


def test_rows_that_were_cut_off_are_worked_out_again(tmp_path: Path) -> None:
    path = tmp_path / "values"
    interrupted(path, 3)
    with (tmp_path / ".values.part").open("r+b") as file:
        file.truncate(file.seek(0, 2) - 4)
    told = list[int]()
    write_packed(path, RULES, killed_after(99, told))
    assert told[0] == 1
    assert path.read_bytes() == whole(tmp_path / "other")


def test_rows_of_a_level_that_was_not_finished_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "values"
    interrupted(path, 2)
    with (tmp_path / ".values.part").open("ab") as file:
        file.write(b"of the next one")
    told = list[int]()
    write_packed(path, RULES, killed_after(99, told))
    assert told[0] == 3
    assert path.read_bytes() == whole(tmp_path / "other")


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
    with packed.unfinished(tmp_path / "values", "of", 8) as work:
        assert work.kept() is None
        work.add(memoryview(b"rows"))
        work.keep(SolvedLevels(2, values))
    with packed.unfinished(tmp_path / "values", "of", 8) as work:
        found = work.kept()
    assert found is not None
    assert found.levels == 2
    assert np.array_equal(found.values, values)
