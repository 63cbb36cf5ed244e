"""The study's figures beside ours: what it prints is repeated, and its slips are found."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.advice import Advisor
from solver.arena.results import find_result
from solver.players import PlayerEntry, find_player
from solver.rules import YATZY
from solver.study.chapter import EXCERPTS, report_appendix, report_chapter
from solver.study.html import Folded, Part, TextTable, Words
from solver.study.published import HUMANS, KEYS, find_published, round_percentage
from solver.study.readings import Reading, list_readings
from solver.study.slips import DRAFT_SLIPS, SLIPS
from solver.study.study import (
    HIGH,
    Study,
    StudyPeople,
    calculate_study,
    format_file,
    make_people,
    make_study_facts,
    read_stored_facts,
)
from tests.known import known
from tests.selection import exhaustive
from tests.solver.conftest import Run

pytestmark = pytest.mark.usefixtures("yatzy_tables")

# Rows of tables 4.1 to 4.4 and of the appendices, as they are printed.
PRINTED = {
    "optimal": ["170 to 179 5,255 5.26% 23.76%", "240 to 249 8,885 8.89% 77.74%"],
    "scorecard-based": ["190 to 199 9,987 9.99% 46.40%", "320 to 329 7 0.01% 100.00%"],
    "dice-based": ["120 to 129 4,881 4.88% 8.75%", "330 to 339 1 0.00% 100.00%"],
    "forced-scoring": ["110 to 119 13,526 13.53% 79.60%", "250 to 259 6 0.01% 99.99%"],
    HUMANS: [
        "140 to 149 2 0.66% 0.66%",
        "250 to 259 25 8.31% 53.82%",
        "300 to 309 16 5.32% 90.03%",
    ],
}


def few_readings(player: PlayerEntry) -> Iterator[Reading]:
    """All of who is worked out at once; of who takes seconds for each, the first."""
    return islice(list_readings(player), None if player.id == "forced-scoring" else 1)


@pytest.fixture(scope="module")
def found(yatzy_tables: None) -> Study:
    advisor = Advisor.open(YATZY)  # of its own: compiled, the last digits are others
    advisor.compile()
    with pytest.MonkeyPatch.context() as patch:
        if not exhaustive():
            patch.setattr("solver.study.study.list_readings", few_readings)
        return calculate_study(advisor)


@pytest.fixture
def cli(run: Run, found: Study, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line, without the half minute that the study takes."""
    monkeypatch.setattr("solver.cli.study.calculate_study", lambda advisor, **options: found)
    return run


@pytest.fixture(scope="module")
def theirs(yatzy_tables: None) -> StudyPeople:
    return make_people(find_result(find_player("optimal"), YATZY).distribution)


@pytest.mark.parametrize("name", PRINTED)
def test_percentages_are_those_that_the_study_prints(name: str) -> None:
    rows = [
        f"{row.low} to {row.low + 9} {row.count:,} {row.percent:.2f}% {row.up_to_here:.2f}%"
        for row in known(find_published(name)).rows()
    ]
    assert set(PRINTED[name]) <= set(rows)


def test_halves_are_rounded_upwards() -> None:
    assert round_percentage(5255, 100_000) == 5.26
    assert round_percentage(8885, 100_000) == 8.89
    assert round_percentage(1, 3) == 33.33


def test_the_means_that_are_printed_fit_the_tables() -> None:
    for name in (*KEYS, HUMANS):
        of = known(find_published(name))
        low = float(of.shares @ (10.0 * np.arange(len(of.counts))))
        assert low <= of.mean <= low + 9
        assert of.rows()[0].low <= of.least <= of.rows()[0].low + 9
        assert of.rows()[-1].low <= of.most <= of.rows()[-1].low + 9


def test_every_excerpt_is_part_of_its_appendix() -> None:
    for name, (_table, low, high) in EXCERPTS.items():
        lows = [row.low for row in known(find_published(name)).rows()]
        assert low in lows
        assert high - 9 in lows


def test_people_lie_above_what_anybody_can_reach_in_the_long_run(theirs: StudyPeople) -> None:
    assert theirs.above.statistic == pytest.approx(2.42, abs=0.005)
    assert theirs.above.p == pytest.approx(0.0154, abs=1e-4)
    assert theirs.compare_with_losing(5).statistic == pytest.approx(4.67, abs=0.005)


def test_people_have_more_high_games_than_perfect_play(theirs: StudyPeople) -> None:
    assert theirs.high == 14 + 10
    assert theirs.high_of_perfect == pytest.approx(5.9, abs=0.05)
    assert theirs.shape.p < 1e-9
    assert theirs.published.rows()[-2].low == HIGH


def test_the_typical_extremes_are_the_medians_of_samples(theirs: StudyPeople) -> None:
    perfect, games = theirs.perfect, theirs.published.stated
    chances = perfect.probabilities / perfect.probabilities.sum()
    played = np.random.default_rng(1).choice(len(chances), p=chances, size=(4000, 300))
    assert np.median(played.max(axis=1)) == pytest.approx(perfect.find_typical_most(games), abs=1)
    assert np.median(played.min(axis=1)) == pytest.approx(perfect.find_typical_least(games), abs=2)


def test_the_chapter_is_printed_where_no_folder_is_given(cli: Run) -> None:
    status, out, _ = cli("study")
    out = out.replace("\N{NO-BREAK SPACE}", " ")
    assert status == 0
    for part in ("Real dice", "appendix B", "own numbers disagree", "510", "53.82", "drafts"):
        assert part in out
    for number in range(7, 12):
        assert f"Table 4.{number}: game" in out
    assert "…" not in out


def test_the_same_figures_are_there_as_json(cli: Run) -> None:
    facts = json.loads(cli("study", "--json")[1])
    assert facts["path"] is None
    assert [player["player"] for player in facts["players"]] == list(KEYS)
    assert facts["people"]["published_games_counted"] == 301
    assert (facts["real_dice"]["dice"], facts["real_dice"]["published_dice"]) == (510, 500)
    assert len(facts["disagreements"]) == len(SLIPS)
    assert len(facts["draft_disagreements"]) == len(DRAFT_SLIPS)
    repeats = {"dice_based": [13, 15], "scorecard_based": [9, 15], "optimal": [9, 15]}
    assert facts["printed"] == repeats
    assert sum(facts["points_lost"]["forced-scoring"]["regret_by_kind"]) == pytest.approx(
        132.30, abs=0.005
    )


def test_the_page_has_every_table_and_graph(cli: Run, found: Study, tmp_path: Path) -> None:
    status, out, _ = cli("study", "--out", str(tmp_path / "new"), "--json")
    assert status == 0
    text = (tmp_path / "new" / "chapter4.html").read_text()
    assert json.loads(out)["path"] == str(tmp_path / "new" / "chapter4.html")
    for graph in range(1, 9):
        assert re.search(rf"graph 4\.{graph}\b", text)
    for number in (*range(1, 5), *range(7, 12)):
        assert re.search(rf"table 4\.{number}\b", text, re.IGNORECASE)
    assert text.count("<svg") == 15
    parts = [*report_chapter(make_study_facts(found), Words()), *report_appendix(found)]
    assert text.count("<table") == len(tables_in(parts)) == 30
    assert "<a " not in text


def test_the_page_reads_what_the_command_finds(found: Study) -> None:
    kept, anew = read_stored_facts(), json.loads(format_file(make_study_facts(found)))
    for of in (*kept["players"], *anew["players"]):
        of["readings"] = of["readings"][:1]
    assert list(kept) == list(anew)
    for left, right in zip(leaves(kept), leaves(anew), strict=True):
        assert left == (pytest.approx(right, rel=1e-9) if isinstance(right, float) else right)


def leaves(of: Any) -> Iterator[Any]:
    if isinstance(of, dict | list):
        for one in of.items() if isinstance(of, dict) else enumerate(of):
            yield one[0]
            yield from leaves(one[1])
    else:
        yield of


def test_every_number_of_the_appendices_is_in_the_tables(found: Study) -> None:
    told = {
        tuple(cell.replace("\N{NO-BREAK SPACE}", " ").replace(" %", "%") for cell in row[:4])
        for table in tables_in(
            [*report_chapter(make_study_facts(found), Words()), *report_appendix(found)]
        )
        for row in table.texts
    }
    for name in (*KEYS, HUMANS):
        for row in known(find_published(name)).rows():
            shares = f"{row.percent:.2f}%", f"{row.up_to_here:.2f}%"
            assert (f"{row.low} to {row.low + 9}", f"{row.count:,}", *shares) in told


def tables_in(parts: Iterable[Part]) -> list[TextTable]:
    found: list[TextTable] = []
    for part in parts:
        inside = part.parts if isinstance(part, Folded) else ()
        found += [part] if isinstance(part, TextTable) else tables_in(inside)
    return found
