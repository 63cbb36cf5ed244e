"""The study beside ours: what it prints is repeated, its slips are found, its effort is told."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.advice import Advisor
from solver.arena.results import find_result
from solver.cli import bench
from solver.dp.packing import build_packing
from solver.dp.space import TILE, Space
from solver.players import PlayerEntry, find_player
from solver.rules import RULESETS, YATZY, Ruleset
from solver.study.chapter import EXCERPTS, report_appendix, report_chapter
from solver.study.effort import count_vertices, format_amount, list_rows, read_measured
from solver.study.html import Folded, Part, TextTable, Words
from solver.study.published import (
    HUMANS,
    KEYS,
    PLAYERS,
    find_published,
    read_reported,
    round_percentage,
)
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
    appendices = [table for table in tables_in(parts) if "appendix A" in table.caption]
    assert len(appendices) == len(EXCERPTS)
    for table in appendices:
        share, total = np.array([[float(str(c)[:-1]) for c in row[4:]] for row in table.rows]).T
        assert np.diff(total) == pytest.approx(share[1:], abs=0.0101)


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


# What the study's programs took beside what ours take, and the graph that it plays by.


PAGE = Path(__file__).parents[2] / "docs" / "lab.md"
GAMES = {"optimal": 0.4, "scorecard-based": 0.2, "dice-based": 0.25, "forced-scoring": 0.1}
MADE_UP = {
    "date": "2026-01-31",
    "cores": 2,
    "processor": "a processor",
    "building": 1.0,
    "perfect": 2.0,
    "first": 9.0,
    "memory": 250_000_000,
    "table": 16_900_000,
    "games": GAMES,
}


def test_what_the_study_says_stands_beside_what_was_measured() -> None:
    found = [
        tuple(cell.replace("\N{NO-BREAK SPACE}", " ") for cell in row)
        for row in list_rows(MADE_UP, Words())
    ]
    assert found == [
        ("Building the study's graph, or our value table (4.1.1)", "2 h", "1 s"),
        (
            "Building the graph or table, then 100,000 games of the optimal program (4.1.1)",
            "over 22 h",
            "2 s",
        ),
        ("One game played by the optimal program", "0.72 s", "0.004 ms"),
        ("Peak memory (5.1)", "13.8 GB", "250 MB"),
        (
            "Storing the study's graph, or our value table (2.2.1)",
            "about 52 GB",
            "16.9 MB",
        ),
        ("Time compared with the slowest other program (5.3.1)", "over 22,759", "8"),
        ("100,000 games: Scorecard-based (4.1.1)", "3.48 s", "0.2 s"),
        ("100,000 games: Dice-based (4.1.2)", "2.14 s", "0.25 s"),
        ("100,000 games: Forced scoring (4.1.3)", "1.23 s", "0.1 s"),
    ]


def test_the_studys_ratio_is_of_all_its_hours_to_the_slowest_other_program() -> None:
    hours, tests = (
        read_reported()["effort"]["perfect"]["value"],
        read_reported()["performance_test"],
    )
    slowest = max(tests[key]["seconds"] for key in (*PLAYERS[:2], "forced_scoring"))
    assert round(hours / slowest) == read_reported()["effort"]["ratio"]["value"]


@pytest.mark.parametrize(
    ("fact", "written"),
    [
        ({"value": 3600, "of": "seconds"}, "1 h"),
        ({"value": 3599, "of": "seconds"}, "3,599 s"),
        ({"value": 0.01, "of": "seconds"}, "0.01 s"),
        ({"value": 0.00999, "of": "seconds"}, "9.99 ms"),
        ({"value": 0.001, "of": "seconds"}, "1 ms"),
        ({"value": 0.0000257, "of": "seconds"}, "0.0257 ms"),
        ({"value": 22, "of": "times", "sign": "over"}, "over 22"),
        ({"value": 41.58, "of": "seconds"}, "41.6 s"),
        ({"value": 1e9, "of": "bytes"}, "1 GB"),
        ({"value": 0.254e9, "of": "bytes"}, "254 MB"),
        ({"value": 1234.4, "of": "times"}, "1,234"),
    ],
)
def test_an_amount_has_a_unit_of_its_size_and_three_digits(
    fact: dict[str, Any], written: str
) -> None:
    assert format_amount(fact, Words()).replace("\N{NO-BREAK SPACE}", " ") == written


def test_the_page_of_the_lab_has_what_was_measured_last() -> None:
    table = "".join(f"| {' | '.join(row)} |\n" for row in list_rows(read_measured(), Words()))
    assert table.replace("\N{NO-BREAK SPACE}", " ") in PAGE.read_text()


def test_the_figures_are_kept_as_data(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bench, "DATA", tmp_path / "effort.json")
    monkeypatch.setattr(bench, "measure_study", lambda: MADE_UP)
    assert json.loads(run("bench", "study", "--json")[1]) == MADE_UP
    assert not (tmp_path / "effort.json").exists()
    status, out, _ = run("bench", "study", "--write")
    assert (status, "16.9 MB" in out.replace("\N{NO-BREAK SPACE}", " ")) == (0, True)
    assert json.loads((tmp_path / "effort.json").read_text()) == MADE_UP


@pytest.mark.usefixtures("yatzy_tables")
def test_every_figure_comes_from_a_process_or_a_median(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    told = {"building": 1.0, "perfect": 2.0, "memory": 250_000_000, "table": 16_900_000}

    def fresh(program: str, *, nothing_cached: bool = False) -> str:
        assert "perfect_games(began)" in program
        asked.append(nothing_cached)
        return json.dumps(told | {"perfect": 9.0} if nothing_cached else told)

    monkeypatch.setattr(bench, "run_in_new_process", fresh)
    monkeypatch.setattr(bench, "load_kernel", asked.append)
    monkeypatch.setattr(bench, "measure_seconds", lambda work: GAMES[work.args[2]])
    found = bench.measure_study()
    machine = {name: found[name] for name in ("date", "cores", "processor")}
    assert found == MADE_UP | machine
    assert found["processor"]
    assert asked == [YATZY, False, True]  # what is to be compiled before, is


def test_a_process_makes_its_own_table_and_plays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    monkeypatch.setattr(bench, "GAMES", 100)
    bench.time_perfect_games(0.0)
    told = json.loads(capsys.readouterr().out)
    assert 0 < told["building"] < told["perfect"]
    assert told["memory"] > 50_000_000
    assert told["table"] > 8 * 2**15 * 64
    assert not list(tmp_path.iterdir())


def test_the_graph_has_the_sets_of_the_study() -> None:
    v1, v2, v3, *later = count_vertices(YATZY)
    assert (v1.defined, v2.defined, v3.defined) == (2_097_152, 528_482_304, 968_884_224)
    assert v1.defined + v2.defined + v3.defined == read_reported()["graph"]["states"]
    assert sum(one.defined for one in count_vertices(YATZY)) == 3_525_312_512
    assert [one.name for one in later] == ["V4", "V5", "V6"]
    assert [one.kind for one in later] == ["rolls", "holds", "rolls"]
    assert v3.defined // v1.defined == read_reported()["graph"]["holds"]


SMALL = replace(YATZY, id="small", categories=(YATZY.categories[0], *YATZY.categories[4:7]))


def test_what_is_reached_is_what_plays_lead_to() -> None:
    """Every roll, written into every open box, from the empty card on; then what lies, and what
    is held, on every card that is not full."""
    cards, seen = {(0, 0)}, set()
    while cards:
        seen |= cards
        cards = {
            (
                filled | 1 << option.category,
                min(upper + option.points * (option.category in SMALL.upper), 63),
            )
            for (filled, upper), roll in product(cards, SMALL.cup.rolls)
            for option in SMALL.score_options(filled, False, roll)
        }
    playing = sum(filled != SMALL.full for filled, _upper in seen)
    each = (len(seen), playing * 252, playing * 462, playing * 252, playing * 462, playing * 252)
    assert tuple(one.reached for one in count_vertices(SMALL)) == each


@pytest.mark.parametrize("rules", RULESETS.values(), ids=lambda rules: rules.id)
def test_what_is_solved_is_what_differs_in_whole_tiles(rules: Ruleset) -> None:
    differing = build_packing(rules).values - 2 * len(Space(rules).full_rows)
    assert differing <= count_vertices(rules)[0].solved < 1.15 * differing
    assert len(count_vertices(rules)) == 2 * rules.throws


def test_the_page_of_the_lab_has_the_counts_of_the_graph() -> None:
    told = " ".join(PAGE.read_text().split())
    sets = count_vertices(YATZY)
    for number in (
        sum(one.defined for one in sets[:3]),
        *(sum(getattr(one, of) for one in sets) for of in ("defined", "reached", "solved")),
        sets[0].defined,
        len(YATZY.cup.holds) * TILE,
    ):
        assert f"{number:,}" in told
