"""What the coach asks of turns with saved throws: where a hold leads, and what is kept."""

from dataclasses import replace

import numpy as np
import pytest

from solver.advice import Advisor, Position
from solver.advice.advising import advise_many
from solver.rules import PLAYED, RULESETS, SOLVED, Ruleset
from solver.rules.rulesets import NO_LIMIT
from tests.conftest import solved
from tests.solver.made_up import TWO_DICE

SAVED = replace(TWO_DICE, id="two-dice-saved", title="Two dice, saved throws", stock=NO_LIMIT)
SECOND = Position(SAVED, SAVED.make_mask(["chance"]), 0, (5, 6), 2, stock=2)


@pytest.fixture
def coach(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Advisor:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path_factory.mktemp("tables")))
    solved(SAVED)
    return Advisor.open(SAVED)


def test_a_hold_is_followed_through_the_saved_throws(coach: Advisor) -> None:
    """The ways that a turn may end are worth together what the hold is worth."""
    for stock in range(3):
        position = replace(SECOND, stock=stock)
        for hold in coach.advise(position).options:
            if hold.action == "hold":
                ends = coach.list_endings(position, hold)
                assert sum(end.chance for end in ends) == pytest.approx(1.0, abs=1e-12)
                worth = sum(end.chance * end.value for end in ends)
                assert worth == pytest.approx(hold.value, abs=1e-9)


def test_a_turn_may_end_before_its_last_throw(coach: Advisor) -> None:
    """Two sixes are taken at once, and what is left is saved."""
    position = Position(SAVED, SAVED.make_mask(["chance", "pair"]), 0, (6, 6), 2)
    stops = coach.turn(position.filled, 0).stops(2)
    assert stops[coach.cup.roll_index[6, 6]]
    assert not stops[coach.cup.roll_index[1, 2]]
    assert coach.turn(position.filled, 0).stops(0).all()


def test_many_positions_are_told_what_each_is_told(coach: Advisor) -> None:
    positions = [SECOND, replace(SECOND, stock=0, rolls_left=0), replace(SECOND, dice=(6, 6))]
    told = advise_many(coach, positions, top=3)
    for one, position in zip(told, positions, strict=True):
        alone = coach.advise(position)
        assert (one.value, one.options) == (alone.value, alone.options[:3])


def test_what_is_saved_is_worth_the_difference_to_nothing(coach: Advisor) -> None:
    boxes = [one for one in coach.advise(SECOND).options if one.action == "score"]
    for box in boxes:
        filled = SECOND.filled | SAVED.make_mask([box.category])
        upper = box.points if box.category == "sixes" else 0
        kept, none = (coach.value(filled, upper, stock=stock) for stock in (4, 0))
        assert coach.find_saved_value(SECOND, box) == pytest.approx(kept - none, abs=1e-6)


def test_a_turn_without_stock_ends_after_its_last_throw(advisor: Advisor) -> None:
    turn = advisor.turn(0, 0)
    assert not turn.stops(1).any()
    assert turn.stops(0).all()
    assert np.array_equal(turn.evaluate_boxes(1), turn.scores)


def test_who_is_played_and_who_is_studied() -> None:
    def studied(rules: Ruleset) -> bool:
        return rules.studied

    assert [name for name, rules in PLAYED.items() if studied(rules)] == list(RULESETS)
    assert set(RULESETS) < set(PLAYED) < set(SOLVED)
