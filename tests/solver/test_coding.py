"""Rows of large tables as bytes: what is kept by 16 and by 8 bits, and how much of it is lost."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.dp.levels import solve_by_level
from solver.dp.outcomes import bound_score
from solver.rules import SOLVED, Ruleset
from solver.tables import packed, write_packed
from solver.tables.file import BadTable
from solver.tables.packed import Between, Coding, Whole, choose_coding, open_packed
from tests.selection import examples
from tests.solver.test_large import SAVED, by_level
from tests.solver.test_unfinished import RULES, interrupted, killed_after

CODINGS = (Between(), Whole(SOLVED["maxi-yatzy"]))


@settings(max_examples=examples(60))
@given(
    st.sampled_from(CODINGS),
    st.sampled_from([1, 2, 3, 4, 5, 29, 30, 31, 32]),
    st.integers(1, 4),
    st.integers(0, 2**32),
    st.sampled_from([0.0, 1e-7, 1.0, 200.0]),
)
def test_a_value_is_half_a_unit_away_at_most(
    kept: Coding, stocks: int, columns: int, seed: int, spread: float
) -> None:
    random = np.random.default_rng(seed)
    values = random.uniform(0, 30) + spread * random.uniform(size=(3, stocks, columns))
    rows = kept.encode_rows(values)
    assert rows.shape == (3, kept.find_size(stocks, columns))
    for row, theirs in zip(rows, values, strict=True):
        half = kept.unit(row[None]) / 2 + 1e-12
        for saved in range(stocks):
            found = kept.decode_plane(row.tobytes(), stocks, columns, saved)
            assert np.abs(found - theirs[saved]).max() <= half
    assert kept.unit(rows) == max(kept.unit(row[None]) for row in rows)


def test_what_lies_between_two_stocks_is_kept_more_finely() -> None:
    """Values that grow ever more slowly: 12 bits each are hardly less exact than 16."""
    values = 200 * (1 - 0.97 ** np.arange(21.0))[None, :, None]
    unit = CODINGS[0].unit(CODINGS[0].encode_rows(values))
    assert unit == pytest.approx(200 * (1 - 0.97**20) / (2**16 - 1), rel=0.01)
    assert CODINGS[0].find_size(21, 40) == 12 + 40 * (11 * 2 + 10)
    assert CODINGS[0].find_size(30, 40) == 12 + 40 * (16 * 2 + 14)
    assert CODINGS[0].find_size(31, 40) == 12 + 40 * 31 * 2


@pytest.mark.parametrize("rules", SOLVED.values(), ids=list(SOLVED))
def test_whole_numbers_count_as_far_as_a_game_goes_and_not_to_its_double(rules: Ruleset) -> None:
    assert bound_score(rules) < Whole(rules).step * 2**32 <= 2 * bound_score(rules)


def test_only_what_would_be_too_large_is_kept_so() -> None:
    assert isinstance(choose_coding(SAVED[0], 4 * 10**8), Whole)
    assert isinstance(choose_coding(SAVED[0], 4 * 10**8 + 1), Between)


def test_a_table_that_is_kept_so_says_its_precision_and_is_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, path = SAVED[1], tmp_path / "values"
    write_packed(path, rules, partial(solve_by_level, rules))
    whole = path.stat().st_size
    monkeypatch.setattr(packed, "MOST_FINELY", 0)
    with pytest.raises(BadTable, match="older program"):
        open_packed(path, rules)
    write_packed(path, rules, partial(solve_by_level, rules))
    assert path.stat().st_size < whole
    table, (found, start) = open_packed(path, rules), by_level(rules)
    table.check()
    assert table.value_start == start
    assert 1e-5 < table.precision < 0.02
    for row, planes in enumerate(found):
        for saved, values in enumerate(planes):
            stored = table.read_row(row | saved << len(rules.categories))
            assert np.array_equal(np.isnan(stored), np.isnan(values))
            assert np.nanmax(np.abs(stored - values)) <= table.precision + 1e-12


def test_what_was_begun_in_one_way_is_not_gone_on_with_in_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "SELDOM", 0.0)
    interrupted(tmp_path / "values", 2)
    monkeypatch.setattr(packed, "MOST_FINELY", 0)
    told = list[int]()
    write_packed(tmp_path / "values", RULES, killed_after(99, told))
    assert told[0] == 1
    open_packed(tmp_path / "values", RULES).check()
