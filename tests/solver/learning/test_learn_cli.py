import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.solver.conftest import Run


def test_four_categories_as_json(run: Run) -> None:
    status, out, _ = run("learn", "sarsa", "--categories", "4", "--json")
    facts = json.loads(out)
    assert status == 0
    assert facts["random_turns"] == pytest.approx(55.1463, abs=1e-4)
    assert facts["optimal_turns"] == pytest.approx(7.46056, abs=1e-5)
    assert facts["optimal_turns_rethrow"] == pytest.approx(7.35173, abs=1e-5)
    assert facts["optimal_turns"] < facts["learned_turns"] < 12
    assert facts["coins"]["random"]["turns"] == pytest.approx(68.3687, abs=1e-4)
    assert facts["coins"]["fewest_turns"]["turns"] == pytest.approx(8.91405, abs=1e-5)
    assert (facts["kept_sets"], facts["actions"], len(facts["trials"])) == (462, 353, 100)


def test_one_category_with_a_punishment(run: Run) -> None:
    status, out, _ = run("learn", "sarsa", "--categories=1", "--punishment=-5", "--json")
    facts = json.loads(out)
    assert status == 0
    assert facts["settings"]["games"] == 100
    assert facts["settings"]["punishment"] == -5
    assert facts["random_points"] == pytest.approx(10.5)
    assert facts["learned_turns"] < 2


def test_a_run_writes_its_log_its_charts_and_a_table_to_start_from(
    run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    small = ("--trials", "3", "--games", "20")
    status, out, _ = run("learn", "sarsa", *small, "--json", "--out", str(folder))
    facts = json.loads(out)
    assert status == 0
    assert json.loads((folder / "summary.json").read_text()) == facts
    rows = [row.split(",") for row in (folder / "summary.csv").read_text().splitlines()]
    assert rows[0] == ["trial", "turns", "points"]
    assert [float(row[1]) for row in rows[1:]] == [trial["turns"] for trial in facts["trials"]]
    for chart in ("turns.svg", "points.svg"):
        ElementTree.parse(folder / chart)
    again = json.loads(run("learn", "sarsa", "--load", str(folder / "q.npz"), "--json")[1])
    assert again["learned_turns"] == facts["learned_turns"]
    assert again["trials"] == []
    more = ("--load", str(folder / "q.npz"), "--trials", "2", "--values", "source", "--json")
    on = json.loads(run("learn", "sarsa", *more)[1])
    assert len(on["trials"]) == 2
    assert on["settings"]["alpha_end"] is None
    assert on["learned_turns"] != facts["learned_turns"]


def test_people_watch_it_with_and_without_learning(run: Run) -> None:
    for trials in ("0", "20"):
        status, out, _ = run(
            "learn", "sarsa", "--categories=1", "--trials", trials, "--watch", "2", "--pause", "0"
        )
        assert status == 0
        assert "fewest turns possible" in out
        assert re.search(r"by a coin, into the easier box │ +4\.696 │ +10\.500 │", out)
        assert [out.count(f"game {number}, finished in") for number in (1, 2, 3)] == [1, 1, 0]


def test_a_table_of_another_game_is_refused(run: Run, tmp_path: Path) -> None:
    run("learn", "sarsa", "--categories=1", "--trials=0", "--json", "--out", str(tmp_path))
    status, _, err = run("learn", "sarsa", "--categories=4", "--load", str(tmp_path / "q.npz"))
    assert status == 2
    assert "another game" in err


def test_td_goes_on_with_its_own_run_and_with_no_other(run: Run, tmp_path: Path) -> None:
    few = ("learn", "td", "--ruleset", "yahtzee-plain", "--games", "60", "--batch", "20")
    status, out, _ = run(*few, "--grades", "3", "--json", "--out", str(tmp_path))
    grades = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert [grade["games"] for grade in grades] == [20, 40, 60]
    assert len((tmp_path / "curve.jsonl").read_text().splitlines()) == 3
    assert (tmp_path / "values.npz").exists()
    status, out, told = run(*few, "--json", "--out", str(tmp_path))
    assert (status, out) == (0, "")
    assert "going on after 60 games" in told
    status, _, told = run(*few, "--seed", "9", "--json", "--out", str(tmp_path))
    assert status == 2
    assert "holds another run" in told
