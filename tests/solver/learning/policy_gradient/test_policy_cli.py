"""The commands of the policy gradients, and the report of their ablations."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from solver.learning.policy_gradient import ablations
from solver.learning.policy_gradient.config import config_of
from solver.learning.policy_gradient.report import QUESTIONS, write_report
from tests.solver.conftest import Run

SMALL = ("--width=8", "--depth=1", "--batch=8", "--games=16", "--every=8", "--graded=10")


def lines_of(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_a_run_is_trained_gone_on_with_and_measured(run: Run, tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    status, out, _ = run("learn", "train", "--out", folder, *SMALL, "--json")
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
    origin = ("--from", policy, *SMALL)
    status, _, _ = run("learn", "train", "--out", str(tmp_path / "next"), *origin, "--json")
    assert status == 0


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--card=nothing",), "card is one of"),
        (("--games=0",), "games is at least 1"),
        (("--resume",), "there is no file"),
        (("--resume", "--width=9"), "no other choice"),
        (("--from=missing.npz",), "there is no file"),
    ],
)
def test_what_cannot_be_trained_is_refused_in_a_line(
    run: Run, tmp_path: Path, flags: tuple[str, ...], says: str
) -> None:
    status, _, error = run("learn", "train", "--out", str(tmp_path), *flags)
    assert status == 2
    assert says in error
    assert len(error.splitlines()) == 1


def test_a_run_is_not_trained_over(run: Run, tmp_path: Path) -> None:
    assert run("learn", "train", "--out", str(tmp_path), *SMALL, "--json")[0] == 0
    status, _, error = run("learn", "train", "--out", str(tmp_path), *SMALL)
    assert status == 2
    assert "--resume" in error


def test_help_says_what_every_choice_is(run: Run) -> None:
    _, out, _ = run("learn", "train", "--help")
    for name in config_of().facts():
        assert f"--{name.replace('_', '-')}" in out


def test_what_is_no_policy_is_not_measured(run: Run, tmp_path: Path) -> None:
    status, _, error = run("learn", "measure", str(tmp_path / "none.npz"))
    assert status == 2
    assert "cannot be read" in error


@pytest.fixture
def small_ablations(monkeypatch: pytest.MonkeyPatch) -> None:
    small = {"width": 8, "depth": 1, "batch": 8}
    only = {
        "layernorm": {"with": small, "without": {**small, "layer_norm": False}},
        "transfer": {
            "turns alone": {**small, "task": "turn"},
            "then": {**small, "from": "turns alone"},
        },
    }
    monkeypatch.setattr(ablations, "ABLATIONS", only)
    monkeypatch.setattr("solver.learning.policy_gradient.report.ABLATIONS", only)


@pytest.mark.usefixtures("small_ablations")
def test_ablations_are_kept_and_reported_with_their_size(run: Run, tmp_path: Path) -> None:
    size = ("--games=16", "--seeds=2", "--graded=50", "--out", str(tmp_path))
    assert run("learn", "ablate", "all", *size)[0] == 0
    facts = json.loads((tmp_path / "layernorm.json").read_text())
    assert [row["choice"] for row in facts["rows"]] == ["with", "without"]
    assert all(len(row["means"]) == 2 for row in facts["rows"])
    report = (tmp_path / "report.md").read_text()
    assert "16 training games, seeds 1 to 2, graded by 50 greedy games" in report
    assert f"| with | {facts['rows'][0]['mean']:.1f} |" in report
    ElementTree.fromstring((tmp_path / "transfer.svg").read_text())
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("policy.npz")}
    assert len(kept) == 8
    assert run("learn", "ablate", "layernorm", *size)[0] == 0
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


def test_a_report_names_what_was_not_run(tmp_path: Path) -> None:
    text = write_report(tmp_path).read_text()
    for question, names, _ in QUESTIONS:
        assert question in text
        for name in names:
            assert f"*{name}*: not run" in text


def test_every_choice_of_every_ablation_is_a_configuration() -> None:
    for choices in ablations.ABLATIONS.values():
        for changes in choices.values():
            own = {name: value for name, value in changes.items() if name != "from"}
            assert config_of(**own).shape.inputs
            assert changes.get("from", next(iter(choices))) in choices
