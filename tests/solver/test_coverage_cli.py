"""The table of made-up trials, as the command prints it."""

import json

import pytest

from solver.cli import main
from solver.statistics.coverage import SCENARIOS, _covered
from solver.statistics.coverage_estimands import TriedRange
from tests.solver.conftest import Run


def test_it_counts_every_range_and_repeats_itself(run: Run) -> None:
    arguments = ("coverage", "--trials", "3", "--seed", "5", "--only", "sessions", "--json")
    lines = json.loads(run(*arguments)[1])
    assert json.loads(run(*arguments)[1]) == lines
    assert {line["world"] for line in lines} == {"sessions"}
    assert {line["trials"] for line in lines} == {3}
    assert {line["nominal"] for line in lines} == {0.95}
    tested = [line["about"] for line in lines if line["false_positives"] is not None]
    assert tested == ["slope of learning", "slope of learning, games one by one"]


def test_every_kind_of_trial_has_ranges(run: Run) -> None:
    lines = json.loads(run("coverage", "--trials", "2", "--json")[1])
    assert list(dict.fromkeys(line["world"] for line in lines)) == [one.name for one in SCENARIOS]
    assert all(line["half"] > 0 for line in lines)


def test_a_line_counts_the_ranges_that_hold_the_truth_and_is_half_as_wide_as_they_are() -> None:
    """The truth on an edge is held; nobody was asked for an effect."""
    tried = [
        TriedRange("skill", 5.0, low, high) for low, high in [(4, 6), (5, 9), (1, 5), (5.1, 5.5)]
    ]
    found = _covered("sessions", "skill", tried)
    assert found.trials == 4
    assert found.covered == 0.75
    assert found.half == pytest.approx((2 + 4 + 4 + 0.4) / 4 / 2)
    assert found.false_positives is None


def test_false_positives_are_a_share_of_those_that_could_be() -> None:
    tried = [TriedRange("skill", 0.0, -1, 1, wrong) for wrong in (True, False, False, None)]
    assert _covered("arms", "skill", tried).false_positives == pytest.approx(1 / 3)


def test_the_table_names_a_kind_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "--trials", "2", "--only", "arms, 8"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("arms, 8 people") == 1
    assert "people like these" in " ".join(printed.split())


def test_an_unknown_kind_is_refused_with_those_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["coverage", "--only", "horses"]) == 2
    assert "unequal games" in capsys.readouterr().err
