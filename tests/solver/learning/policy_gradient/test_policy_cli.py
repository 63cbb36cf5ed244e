"""The commands of the policy gradients, and the report of their ablations."""

import json
from dataclasses import replace
from pathlib import Path
from statistics import mean, variance
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from solver.arena.grading import grade_agent
from solver.learning.loop import play_games
from solver.learning.policy_gradient import ablations
from solver.learning.policy_gradient.ablations import (
    Size,
    SmallRun,
    estimate_seconds,
    list_small_runs,
    read_figures,
    write_report,
)
from solver.learning.policy_gradient.config import Config, make_config
from solver.learning.policy_gradient.training import TrainingRun, train
from solver.players import greedy
from solver.players.learned import NetworkPlay
from solver.players.network import read
from solver.rules import find_ruleset
from solver.statistics.inference import t_test
from tests.solver.conftest import Run

DOCUMENTS = Path(__file__).resolve().parents[4] / "docs" / "ablations"
SIZE = Size("yahtzee", games=16, seeds=2, graded=50, usual=3)
SMALL = ("--width=8", "--depth=1", "--batch=8", "--games=16", "--every=8", "--graded=10")


def lines_of(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.usefixtures("yatzy_tables")
def test_a_run_is_trained_gone_on_with_and_measured(run: Run, tmp_path: Path) -> None:
    folder, rules = str(tmp_path / "run"), find_ruleset("yatzy")
    status, out, _ = run("learn", "train", "--out", folder, "--ruleset=yatzy", *SMALL, "--json")
    assert status == 0
    assert [line["games"] for line in lines_of(out)] == [8, 16]
    assert json.loads((tmp_path / "run" / "config.json").read_text())["width"] == 8
    status, out, _ = run("learn", "train", "--out", folder, "--resume", "--games=24", "--json")
    assert status == 0
    assert [line["games"] for line in lines_of(out)] == [24]
    policy = str(tmp_path / "run" / "policy.npz")
    status, out, _ = run("learn", "measure", policy, "--games=200", "--json")
    facts = json.loads(out)
    assert status == 0
    assert facts["games"] == 200
    assert 0 < facts["mean"] < 300
    status, out, _ = run("learn", "measure", policy, "--games=50", "--regret", "--json")
    facts = json.loads(out)
    assert status == 0
    grade = grade_agent("", NetworkPlay(read(tmp_path / "run" / "policy.npz")), rules, games=50)
    assert (facts["regret"], facts["regret_error"]) == (grade.regret, grade.error)
    assert sum(facts["regret_by_turn"]) == pytest.approx(facts["regret"])
    origin = ("--from", policy, "--ruleset=yatzy", *SMALL)
    status, _, _ = run("learn", "train", "--out", str(tmp_path / "next"), *origin, "--json")
    assert status == 0


def test_a_run_is_not_trained_over(run: Run, tmp_path: Path) -> None:
    assert run("learn", "train", "--out", str(tmp_path), *SMALL, "--json")[0] == 0
    status, _, error = run("learn", "train", "--out", str(tmp_path), *SMALL)
    assert status == 2
    assert "--resume" in error


def test_help_says_what_every_choice_is(run: Run) -> None:
    _, out, _ = run("learn", "train", "--help")
    for name in make_config().facts():
        assert f"--{name.replace('_', '-')}" in out


@pytest.fixture
def small_ablations(monkeypatch: pytest.MonkeyPatch) -> None:
    small = {"width": 8, "depth": 1, "batch": 8}
    only = {
        "trunk": {"small": small, "no layer norm": {**small, "layer_norm": False}},
        "transfer": {
            "turns alone": {**small, "task": "turn"},
            "then": {**small, "from": "turns alone"},
        },
    }
    monkeypatch.setattr(ablations, "ABLATIONS", only)


@pytest.mark.usefixtures("small_ablations")
def test_ablations_are_kept_and_reported_with_their_size(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here as if decisions cost so much by the weights alone: without tables, and quickly."""
    monkeypatch.setattr("solver.cli.learn._measure_regret", weighed)
    size = ("--games=16", "--seeds=2", "--usual-seeds=3", "--graded=50", "--out", str(tmp_path))
    status, _, told = run("learn", "ablate", "all", *size)
    assert status == 0
    assert "4 choices: about 0.02 hours of a core" in told
    usual, *others = figures = read_figures(tmp_path)
    due = list_small_runs("trunk", SIZE, tmp_path) | list_small_runs("transfer", SIZE, tmp_path)
    assert [row.choice for row in figures] == [*due]
    for row, runs in zip(figures, due.values(), strict=True):
        known = [json.loads((one.folder / "result.json").read_text()) for one in runs]
        assert row.regrets == [one["regret"] for one in known]
        assert row.means["wins"] == pytest.approx(mean(one["wins"] for one in known))
    assert [len(row.regrets) for row in figures] == [3, 2, 2, 2, 2]
    for row in others:
        parts = [variance(of.regrets) / len(of.regrets) for of in (row, usual)]
        degrees = sum(parts) ** 2 / (parts[0] ** 2 / 1 + parts[1] ** 2 / 2)  # Welch, Satterthwaite
        assert row.likely is not None
        assert row.likely.mean == row.more == pytest.approx(row.regret - usual.regret)
        assert row.likely.error == pytest.approx(sum(parts) ** 0.5)
        assert row.likely.degrees == pytest.approx(degrees)
    alone = sorted(test.p for row in others if (test := t_test(row.likely)))
    held = [max(p * (4 - n) for n, p in enumerate(alone[: at + 1])) for at in range(4)]
    report = (tmp_path / "report.md").read_text()
    assert all(f" | {ablations._format_p(min(1, p))} | " in report for p in held)
    drawn = ElementTree.fromstring((tmp_path / "forest.svg").read_text())
    shown = [row for row in sorted(others, key=lambda row: row.more) if row.more < ablations.FAR]
    ticks = [one.text for one in drawn.iter() if one.get("class") == "chart-tick"]
    assert ticks[: len(shown)] == [f"{row.ablation}: {row.choice}" for row in shown]
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("policy.npz")}
    assert len(kept) == 11
    assert run("learn", "ablate", "trunk", *size)[0] == 0
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


def weighed(player: NetworkPlay, games: int) -> float:
    assert games == 50
    return float(sum(abs(array).sum() for array in player.network.parameters.values()))


def test_the_gain_over_a_player_of_single_turns_is_printed() -> None:
    """Both play the same dice; a draw counts as a half, game by game."""
    trained = TrainingRun(make_config(games=16, batch=8, width=8, depth=1))
    found = ablations.grade_run(trained, 40, lambda _player, _games: 7.0)
    own, other = (
        play_games(one, 40, np.random.default_rng(1)).totals.tolist()
        for one in (NetworkPlay(trained.network), greedy.make(trained.rules, ""))
    )
    won = [0.5 if a == b else float(a > b) for a, b in zip(own, other, strict=True)]
    assert found["wins"] == pytest.approx(mean(won))
    assert found["mean"] == pytest.approx(mean(own))
    assert found["regret"] == 7


def test_what_ablations_cost_is_told_before_and_only_of_what_is_missing(tmp_path: Path) -> None:
    size = Size("yahtzee", games=1000, seeds=2, graded=500, usual=4)
    alone = ablations.SECONDS_A_GAME * 1000 + ablations.SECONDS_A_GRADED * 500
    alone += ablations.SECONDS_A_REGRET
    assert estimate_seconds(["heads", "transfer"], size, tmp_path) == pytest.approx(12 * alone)
    one = list_small_runs("heads", size, tmp_path)["usual"][0]
    one.folder.mkdir(parents=True)
    done = {"graded": 500, "config": json.loads(json.dumps(one.config.facts()))}
    (one.folder / "result.json").write_text(json.dumps(done))
    assert estimate_seconds(["heads"], size, tmp_path) == pytest.approx(7 * alone)
    for other in ({"graded": 501}, {"config": {**done["config"], "rate": 0.1}}):
        (one.folder / "result.json").write_text(json.dumps(done | other))
        assert one.read_result(500) is None


def test_a_small_run_goes_on_unless_its_choices_were_others(tmp_path: Path) -> None:
    one = SmallRun(tmp_path, make_config(games=24, batch=8, width=8, every=8, graded=10), None)
    lines = train(one.open_run(), tmp_path)
    next(lines)
    assert one.open_run().done == 1
    other = one._replace(config=replace(one.config, rate=0.1))
    assert other.open_run().done == 0


def test_a_report_names_what_was_not_run(tmp_path: Path) -> None:
    text = write_report(tmp_path).read_text()
    for choices in ablations.ABLATIONS.values():
        assert f"Not run: {', '.join(choices)}." in text


def test_the_report_of_the_documents_follows_from_its_figures(tmp_path: Path) -> None:
    (tmp_path / "figures.csv").write_bytes((DOCUMENTS / "figures.csv").read_bytes())
    assert write_report(tmp_path).read_text() == (DOCUMENTS / "report.md").read_text()
    names = ["figures.csv", "forest.svg", "report.md"]
    assert sorted(path.name for path in DOCUMENTS.iterdir()) == names
    assert (tmp_path / "forest.svg").read_text() == (DOCUMENTS / "forest.svg").read_text()
    figures = read_figures(DOCUMENTS)
    every = {(name, choice) for name, choices in ablations.ABLATIONS.items() for choice in choices}
    assert {(row.ablation, row.choice) for row in figures[1:]} <= every
    assert {(row.games, row.graded) for row in figures} == {(20_000, 20_000)}


def test_every_choice_of_every_ablation_is_a_configuration() -> None:
    for choices in ablations.ABLATIONS.values():
        for changes in choices.values():
            own = {name: value for name, value in changes.items() if name != "from"}
            assert make_config(**own).shape.inputs
            assert changes.get("from", next(iter(choices))) in choices
            assert not own or make_config(**own) != Config()
