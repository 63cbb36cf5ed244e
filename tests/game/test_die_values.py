"""Perfect play with dice as they fell: worked out beside the server, told when it is there."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from game.judgement import die_values
from game.lab.study_words import meaning
from game.trials.results import words_dice
from solver.exact.any_die import DieValue
from solver.rules import RULESETS, YATZY
from solver.statistics.trial import analyse
from solver.statistics.trial_figures import Conditions, TrialGame
from solver.study.people import people
from solver.study.published import real_dice
from tests.game.test_study import perfect

COUNTS = (76, 84, 84, 91, 90, 85)
FACTS = {"value": 252.6988, "low": 246.0, "high": 259.3976, "fair_value": 248.44}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    return tmp_path


def test_what_is_there_is_told_and_the_range_with_it(folder: Path) -> None:
    path = die_values.path_of(YATZY, COUNTS)
    path.parent.mkdir()
    path.write_text(json.dumps(FACTS))
    found = die_values.die_value(YATZY, COUNTS)
    assert found is not None
    assert (found.value, found.high) == pytest.approx((252.6988, 259.3976))


def test_other_dice_and_other_rules_are_another_file(folder: Path) -> None:
    others = [rules for rules in RULESETS.values() if rules != YATZY]
    paths = {die_values.path_of(rules, COUNTS) for rules in (YATZY, *others)}
    assert len(paths) == len(RULESETS)
    assert die_values.path_of(YATZY, COUNTS[::-1]) not in paths


@pytest.mark.parametrize("kept", ["", "{}", "[]", '{"value": null}'])
def test_a_damaged_file_is_none(folder: Path, kept: str) -> None:
    path = die_values.path_of(YATZY, COUNTS)
    path.parent.mkdir()
    path.write_text(kept)
    assert die_values.die_value(YATZY, COUNTS) is None


def test_a_process_of_its_own_works_it_out_once(
    folder: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MAKE_TABLES = True
    told = f"print({json.dumps(json.dumps(FACTS))})"
    monkeypatch.setattr(die_values, "command", lambda rules, counts: [sys.executable, "-c", told])
    assert die_values.die_value(YATZY, COUNTS) is None
    (process,) = die_values._running.values()
    process.wait()
    found = die_values.die_value(YATZY, COUNTS)
    assert found is not None
    assert found.value == 252.6988
    assert not die_values._running
    assert [one.name for one in (folder / "dice").iterdir()] == [
        die_values.path_of(YATZY, COUNTS).name
    ]


def test_a_site_that_makes_nothing_begins_nothing(folder: Path, settings: Any) -> None:
    settings.MAKE_TABLES = False
    assert die_values.die_value(YATZY, COUNTS) is None
    assert not die_values._running
    assert die_values.die_value(YATZY, [0] * 6) is None


def test_the_study_is_explained_with_fair_dice_and_with_its_own() -> None:
    assert real_dice().counts == COUNTS
    told = " ".join(meaning(people(perfect()), DieValue(252.6988, 3.4)))
    assert "2.4 standard errors above" in told
    assert "510 dice showed 3.57 on average" in told
    assert "averages 252.70, or anything from 246.0 to 259.4" in told
    assert "That leaves 0.50 standard errors of the 300 games, and 0.28 where" in told


def test_a_trial_with_real_dice_tells_what_they_were_worth() -> None:
    games = [TrialGame("P01", number, 250 + number % 3, 0) for number in range(1, 31)]
    conditions = Conditions(248.44, 38.496)
    found = analyse(games, conditions)
    told = " ".join(words_dice.own_dice(found, conditions, DieValue(252.7, 3.4), closed=True))
    assert "perfect play would average 252.70" in told
    assert "may be 246.0 to 259.4" in told
    assert "standard errors below that" in told
    assert (
        "is told when it is closed" in words_dice.own_dice(found, conditions, None, closed=False)[0]
    )
    assert "being worked out" in words_dice.own_dice(found, conditions, None, closed=True)[0]
