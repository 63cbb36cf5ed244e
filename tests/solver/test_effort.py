"""What the study's programs took beside what ours take, and the graph that it plays by."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from solver.cli import bench
from solver.dp.packing import build_packing
from solver.dp.space import TILE, Space
from solver.rules import RULESETS, YATZY, Ruleset
from solver.study.effort import count_vertices, format_amount, list_rows, read_measured
from solver.study.html import Words
from solver.study.published import PLAYERS, read_reported
from tests.solver.conftest import Run

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
