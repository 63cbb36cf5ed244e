"""The commands of the solver and of the lab."""

import io
import json
import re
import runpy
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from solver.advice import Advisor
from solver.cli import output
from solver.cli.bench import measure_lab
from solver.cli.study import MOST_PLAYERS
from solver.players import PLAYERS
from solver.rules import YATZY, Ruleset
from solver.rules.rulesets import YAHTZEE, YAHTZEE_PLAIN
from tests.solver.conftest import Run

pytestmark = pytest.mark.usefixtures("all_tables")


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


def test_distribution_answers_with_every_score(run: Run, tmp_path: Path) -> None:
    chart = tmp_path / "chart.svg"
    status, out, _ = run("distribution", "forced-scoring", "--json", "--plot", str(chart))
    facts = json.loads(out)
    assert status == 0
    keys = {"mean", "sd", "median", "mode", "bonus_probability", "quantiles", "probabilities"}
    assert keys | {"states", "seconds"} <= set(facts)
    assert facts["mean"] == pytest.approx(116.13617, abs=6e-6)
    assert facts["quantiles"]["0.5"] == facts["median"] == 112
    assert sum(facts["probabilities"]) == pytest.approx(1)
    ElementTree.parse(chart)


def test_simulate_answers_writes_and_draws(run: Run, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("games.csv", "scores.svg", "tens.svg")]
    flags = ("--csv", "--plot", "--plot-tens")
    options = [f"{flag}={path}" for flag, path in zip(flags, files, strict=True)]
    status, out, _ = run("simulate", "dice-based", "--games", "2000", "--json", *options)
    facts = json.loads(out)
    assert status == 0
    assert {"mean", "median", "max", "min", "range", "tens", "seconds", "seed"} <= set(facts)
    rows = files[0].read_text().splitlines()
    assert rows[0] == "score,games"
    assert sum(int(row.split(",")[1]) for row in rows[1:]) == 2000
    for chart in files[1:]:
        ElementTree.parse(chart)


def test_people_get_tables_with_the_published_figures(run: Run) -> None:
    status, out, _ = run("simulate", "forced-scoring", "--games", "500")
    assert status == 0
    assert "Games in bands of ten" in out
    assert "published" in out
    assert "263" in out


def test_same_value_says_where_players_differ(run: Run) -> None:
    status, out, _ = run("same-value", "--games", "1", "--players", "greedy,optimal")
    assert status == 0
    assert "Greedy first differs from Perfect play in turn" in out


def test_people_see_the_evaluation_as_a_table(run: Run) -> None:
    status, out, _ = run("evaluate", "greedy", "--ruleset", "yahtzee")
    assert status == 0
    assert "217.30718684" in out
    assert "International Yahtzee" in out


def who_plays(rules: Ruleset) -> list[str]:
    """In the order of the registry; the study's strategies know Yatzy alone."""
    found = [player.id for player in PLAYERS.values() if player.plays(rules)]
    assert {"optimal", "greedy", "random", "AcesAndEights", "DummyPlayer"} <= set(found)
    assert "dice-based" not in found
    return found


def test_players_on_the_same_dice_of_another_ruleset(run: Run, tmp_path: Path) -> None:
    dice, page = tmp_path / "dice.txt", tmp_path / "page.html"
    asked = ("same-value", "--ruleset", "yahtzee", "--json")
    first = run(*asked, "--games", "2", "--write-dice", str(dice))
    facts = json.loads(first[1])
    assert len(dice.read_text().splitlines()) == 2 * 13 * 5
    apart = [player for player in who_plays(YAHTZEE) if not PLAYERS[player].alone]
    assert facts["players"] == apart[:MOST_PLAYERS][::-1]
    assert facts["players"][-2:] == ["greedy", "optimal"]
    assert {len(p["turns"]) for game in facts["games"] for p in game["players"]} == {13}
    assert {"score", "regret", "turns"} <= set(facts["games"][0]["players"][0])
    assert json.loads(run(*asked, "--dice", str(dice), "--html", str(page))[1]) == facts
    assert "Same-value test" in page.read_text()
    assert "holds 2 games, not 3" in run(*asked, "--dice", str(dice), "--games", "3")[2]
    assert "a game is 75" in run("same-value", "--dice", str(dice))[2]


def test_the_players_of_a_ruleset_are_those_that_play_it(run: Run) -> None:
    listed = json.loads(run("players", "--ruleset", "yahtzee-plain", "--json")[1])
    assert [player["id"] for player in listed] == who_plays(YAHTZEE_PLAIN)
    assert all("yahtzee-plain" in player["rulesets"] for player in listed)
    described = json.loads(run("players", "greedy", "--ruleset", "yahtzee-plain", "--json")[1])
    assert described["readings"][0]["mean"] == pytest.approx(211.64914, abs=1e-5)
    assert described["readings"][0]["distance"] is None


def test_dice_test_knows_its_dice_and_yours(run: Run) -> None:
    virtual, real = json.loads(run("dice-test", "--dice", "60000", "--json")[1])
    assert (virtual["dice"], real["dice"], real["degrees"]) == (60_000, 510, 5)
    mine = json.loads(run("dice-test", "--counts", "10,10,10,10,10,10", "--json")[1])
    assert mine[0]["p"] == pytest.approx(1)
    status, out, _ = run("dice-test", "--counts", "10,10,10,10,10,70")
    assert (status, "would hardly ever be this uneven" in out, "70" in out) == (0, True, True)


def test_players_are_listed_and_described(run: Run) -> None:
    listed = json.loads(run("players", "--json")[1])
    assert [player["id"] for player in listed][:2] == ["optimal", "scorecard-based"]
    described = json.loads(run("players", "forced-scoring", "--json")[1])
    assert described["readings"][0]["name"] == "as-printed"
    assert "pseudo code" in run("players", "forced-scoring")[1]


def test_the_bench_measures_the_players_that_play_what_it_measures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("solver.cli.bench.measure_seconds", lambda *_, **__: 0.5)
    monkeypatch.setattr("solver.cli.bench.run_in_new_process", lambda _: "1.0")
    figures = measure_lab()
    named = {name.removeprefix("100,000 games of ") for name in figures}
    assert {"optimal", "greedy", "random", "dice-based"} <= named
    assert "DummyPlayer" not in named


def test_the_bench_of_a_fresh_checkout_solves_first(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr(
        "solver.cli.bench.solve_where_missing", lambda rules, **_: done.append(rules.id)
    )
    monkeypatch.setattr("solver.cli.bench.measure", lambda: dict.fromkeys(done, (1.0, "s")))
    assert run("bench", "--json") == (0, '{"yatzy": [1.0, "s"]}\n', "")
