"""Rulesets that people make: what is offered, what it takes, and a ruleset as a file."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solver.advice import Advisor
from solver.cli import main
from solver.dp.cost import cost_of, positions
from solver.dp.packing import Packing, is_large
from solver.dp.slots import slots_of
from solver.dp.space import ASKED, Space, reason_against
from solver.making import describe, description, forget, name_of, parts_of, prepare, there, wanted
from solver.rules import MOST_BOXES, YATZY, Ruleset, UnknownRuleset
from solver.rules.own import DICE, THROWS, facts_of, made, offered, read_ruleset, ruleset_of
from solver.rules.rulesets import MAXI_YATZY, YATZY_SAVED
from solver.tables import EXPLAIN, OUTLOOK, VALUES, table_path
from tests.solver.reference import Reference


def own(dice: int = 3, boxes: int = 1, *, saved: bool = False, goal: int = 21) -> Ruleset:
    """The last of the lower boxes beside the upper ones."""
    lower, bonus = offered(dice)[-boxes:], (goal, 10 if goal else 0)
    return made("own-mine", "Mine", lower, dice=dice, throws=2, saved=saved, bonus=bonus)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("dice", DICE)
def test_whatever_is_chosen_of_what_is_offered_can_be_solved(dice: int) -> None:
    lower = tuple(replace(box, points=33) for box in offered(dice))
    for throws in THROWS:
        for boxes, saved in ((offered(dice), False), (lower, True), ((), False)):
            rules = made("own-x", "X", boxes, dice=dice, throws=throws, saved=saved, bonus=(0, 0))
            assert not reason_against(rules)
            assert len(rules.categories) <= MOST_BOXES
            slots_of(rules)


@pytest.mark.parametrize("dice", DICE)
def test_every_box_that_is_offered_can_be_filled_with_points(dice: int) -> None:
    rules = own(dice, 20)
    assert len({box.id for box in rules.categories}) == len(rules.categories)
    for box in rules.categories:
        assert any(box.score(roll) for roll in rules.cup.rolls), box.id


@pytest.mark.parametrize(
    "rules",
    [
        YATZY,
        YATZY_SAVED,
        own(goal=0),
        own(4, 5, goal=42),
        own(6, 4, goal=84),
        own(5, 3, saved=True, goal=126),
    ],
    ids=lambda rules: f"{rules.id} {rules.dice} {rules.stock}",
)
def test_the_positions_that_are_told_are_those_that_a_table_keeps(rules: Ruleset) -> None:
    assert positions(rules) == Packing(Space(rules)).values


def test_the_room_that_is_told_is_that_of_the_tables(folder: Path) -> None:
    rules = own(4, 4)
    prepare(rules)
    size = sum(table_path(rules, kind).stat().st_size for kind in parts_of(rules))
    told = cost_of(rules)
    assert told.bytes <= size <= told.bytes + 20_000  # heads and checksums
    assert told.positions == positions(rules)
    assert told.memory > told.bytes
    assert told.seconds > 0


def test_what_was_only_asked_for_is_not_remembered_for_ever() -> None:
    for number in range(ASKED + 10):
        cost_of(replace(own(), id=f"own-{number}"))
    assert is_large.cache_info().currsize == reason_against.cache_info().currsize == ASKED


def test_large_rulesets_are_told_by_what_is_kept_of_them() -> None:
    assert is_large(MAXI_YATZY)
    told = cost_of(MAXI_YATZY)
    assert told.bytes == 4 * 33_472_512
    assert 20 < told.seconds < 30  # 20.9 were measured


def test_a_made_ruleset_has_the_values_that_the_definition_gives(folder: Path) -> None:
    rules = made("own-two", "Two", (), dice=3, throws=2, saved=False, bonus=(4, 10))
    rules = replace(rules, categories=(*rules.categories[:2], *offered(3)[-4:]))
    prepare(rules, (VALUES,))
    slow = Reference(rules).start(0, 0, chips_won=False)
    assert Advisor.open(rules).value(0, 0) == pytest.approx(slow, abs=1e-12)


def described(folder: Path, rules: Ruleset) -> Path:
    path = folder / "mine.json"
    path.write_text(json.dumps(facts_of(rules)))
    return path


def test_a_ruleset_as_json_is_the_same_again() -> None:
    for rules in (own(), own(6, 14, saved=True, goal=84)):
        again = ruleset_of(json.loads(json.dumps(facts_of(rules))))
        assert again == rules
        assert again.hash == rules.hash
        assert not again.shared
        assert not again.studied
    assert YATZY.shared


def test_commands_take_a_file_for_a_ruleset(folder: Path, capsys: Any) -> None:
    rules = own()
    path = described(folder, rules)
    assert main(["solve", str(path), "--json"]) == 0
    solved = json.loads(capsys.readouterr().out)
    assert solved["ruleset"] == "own-mine"
    assert main(["value", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == solved["value"]
    dice = ["--dice", "1,2,3", "--rolls-left", "1"]
    assert main(["advise", str(path), *dice, "--json"]) == 0
    assert main(["prepare", str(path), "--json"]) == 0
    assert there(rules) == {VALUES: True, OUTLOOK: True, EXPLAIN: True, "lab": False}


@pytest.mark.parametrize(
    "change",
    [
        {"id": "yatzy"},
        {"id": "../evil"},
        {"id": "A"},
        {"categories": [{"id": "x", "pattern": "nothing"}]},
        {"categories": [{"name": "x"}]},
        {"more": 1},
    ],
    ids=str,
)
def test_what_is_no_ruleset_is_refused(folder: Path, change: dict[str, Any]) -> None:
    path = folder / "mine.json"
    path.write_text(json.dumps(facts_of(own()) | change))
    with pytest.raises(UnknownRuleset, match=r"mine\.json"):
        read_ruleset(path)


def test_a_file_that_is_not_there_is_refused_in_one_line(folder: Path, capsys: Any) -> None:
    assert main(["solve", str(folder / "none.json")]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_tables_are_wanted_as_long_as_the_description_is_there(folder: Path) -> None:
    rules = own()
    assert wanted(YATZY)
    assert name_of(YATZY) == "yatzy"
    assert not wanted(rules)
    describe(rules)
    assert wanted(rules)
    assert read_ruleset(Path(name_of(rules))) == rules
    prepare(rules)
    forget(rules)
    assert not wanted(rules)
    assert not any(there(rules).values())
    assert [one.name for one in folder.iterdir() if rules.id in one.name] == []
    forget(rules)  # once more is no fault


def test_a_description_that_goes_while_it_is_worked_out_takes_the_tables_along(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = own()
    describe(rules)
    path = str(description(rules))

    def taken_away(one: Ruleset) -> dict[str, bool]:
        description(one).unlink(missing_ok=True)  # somebody else does, while it runs
        return there(one)

    monkeypatch.setattr("solver.cli.prepare.there", taken_away)
    assert main(["prepare", path, "--json"]) == 0
    assert not any(there(rules).values())
