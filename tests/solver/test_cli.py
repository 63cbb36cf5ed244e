import io
import json
import re
import runpy
import sys
from pathlib import Path

import pytest

from solver.advice import Advisor
from solver.cli import output
from solver.rules import YATZY
from tests.solver.conftest import Run

pytestmark = pytest.mark.usefixtures("yatzy_tables")


def test_solve_writes_a_table_and_says_what_it_wrote(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.values"
    status, out, _ = run("solve", "yahtzee-plain", "--out", str(path), "--json")
    facts = json.loads(out)
    assert status == 0
    assert set(facts) == {
        "ruleset",
        "value",
        "states",
        "seconds",
        "loading_seconds",
        "bytes",
        "path",
    }
    assert facts["value"] == pytest.approx(245.870775, abs=1e-6)
    assert facts["bytes"] == path.stat().st_size
    assert facts["seconds"] > 0
    assert facts["loading_seconds"] > 0


def test_solve_keeps_a_sound_table_unless_forced(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.values"
    run("solve", "yahtzee-plain", "--out", str(path), "--json")
    written = path.stat().st_mtime_ns
    assert (
        json.loads(run("solve", "yahtzee-plain", "--out", str(path), "--json")[1])["seconds"] == 0
    )
    assert path.stat().st_mtime_ns == written
    run("solve", "yahtzee-plain", "--out", str(path), "--json", "--force")
    assert path.stat().st_mtime_ns > written


def test_solve_mends_a_damaged_table(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "mine.values"
    path.write_bytes(b"nonsense")
    assert run("solve", "yahtzee-plain", "--out", str(path), "--json")[0] == 0
    assert run("verify", "yahtzee-plain", "--table", str(path))[0] == 0


def test_verify_accepts_the_table(run: Run) -> None:
    status, out, _ = run("verify", "--json")
    facts = json.loads(out)
    assert (status, facts["ok"], facts["states_checked"]) == (0, True, 1000)
    assert facts["worst_difference"] < 1e-9


def test_verify_refuses_a_wrong_number_even_under_a_right_checksum(
    run: Run, tmp_path: Path, advisor: Advisor
) -> None:
    from solver.tables import write

    values = advisor.values.read_all().copy()
    values[:, 0] += 1e-6
    path = tmp_path / "wrong.values"
    write(path, YATZY, "values", values, value_start=float(values[0, 0]))
    status, _, err = run("verify", "--table", str(path))
    assert status == 2
    assert "V(start) is 248.439990" in err


def test_value_counts_what_is_still_to_come(run: Run) -> None:
    filled = ",".join(YATZY.ids(YATZY.full ^ YATZY.make_mask(["chance"])))
    status, out, _ = run("value", "yatzy", "--filled", filled, "--upper", "63", "--json")
    assert status == 0
    assert json.loads(out)["value"] == pytest.approx(50 + 23.333, abs=0.01)


def test_advise_answers_with_every_option(run: Run) -> None:
    status, out, _ = run("advise", "yatzy", "--dice", "5,5,1,6,6", "--rolls-left", "2", "--json")
    answer = json.loads(out)
    assert status == 0
    assert answer["best"] == answer["options"][0]
    assert answer["best"]["dice"] == [5, 5, 6, 6]
    assert answer["best"]["action"] == "hold"
    boxes = {o["category"] for o in answer["options"] if o["action"] == "score"}
    assert boxes == set(YATZY.index)
    for option in answer["options"]:
        assert {"points", "value", "regret"} <= set(option)


def test_advise_shows_people_a_table(run: Run) -> None:
    _, out, _ = run("advise", "yatzy", "--dice", "5,5,1,6,6", "--rolls-left", "2")
    assert "hold 5 5 6 6" in out
    assert "0.828" in out


def test_stdin_answers_line_by_line_and_names_the_bad_ones(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        '{"filled": ["ones", "twos"], "upper": 9, "dice": [1, 1, 2, 2, 5], "rolls_left": 2}',
        "",
        "not json",
        "[1, 2]",
        '{"dice": [1, 2, 3, 4, 5], "rolls_left": 1, "colour": "red"}',
        '{"dice": [1, 2, 3, 4, true], "rolls_left": 1}',
        '{"filled": ["ones", "ones"], "dice": [1, 2, 3, 4, 5], "rolls_left": 1}',
        '{"upper": 9, "dice": [1, 2, 3, 4, 5], "rolls_left": 1}',
        '{"dice": [1, 2, 3, 4, 5], "rolls_left": 0}',
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    status, out, _ = run("advise", "yatzy", "--stdin")
    answers = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert [answer.get("line") for answer in answers] == [None, 3, 4, 5, 6, 7, 8, None]
    assert "best" in answers[0]
    assert answers[-1]["best"]["category"] == "small_straight"


def test_a_missing_table_is_one_line_too(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    status, _, err = run("value", "yatzy")
    assert status == 2
    assert f"{tmp_path}/yatzy.values" in err
    assert "./yatzy solver solve yatzy" in err


def test_audit_lists_the_printed_decisions(run: Run) -> None:
    status, out, _ = run("audit", "--json")
    assert status == 0
    judged = json.loads(out)
    assert len(judged) == 45
    assert list(judged[0])[-2:] == ["best", "cost"]


def test_audit_says_what_the_printed_turns_were_worth_and_which_numbers_fit_them(run: Run) -> None:
    status, out, _ = run("audit")
    told = " ".join(re.sub("[│┃]", " ", out).split())
    assert status == 0
    assert "4.9" in told
    assert "2.00 to 4.84 points." in told
    assert "in Sixes, which cost 8.57 points." in told
    assert "The number of the roll" in told
    assert "4.11 4.7" in told


def test_the_package_is_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["solver", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("solver", run_name="__main__")
    assert ended.value.code == 0
    assert "simulate" in capsys.readouterr().out


def test_without_rich_a_table_is_plain_text_with_its_columns_in_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "find_spec", lambda _name: None)
    output.show_table("Points", ["Box", "Worth"], [["ones", "1"], ["chance", "12.5"]])
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["Points", "Box     Worth", "ones        1", "chance   12.5"]
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with output.show_progress("Solving", quiet=False) as progress:
        assert progress is None
