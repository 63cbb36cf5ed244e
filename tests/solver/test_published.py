"""The decisions that the study printed, judged. The costs on the empty card were also worked out
with another solver (the package yatzy-solver), which agrees with every digit given here."""

import pytest

from solver.advice import Advisor
from solver.study.published import (
    PLAYERS,
    Audited,
    audit,
    of_turn,
    printed_turns,
    reported,
    together,
)

EMPTY_CARD = {
    ("4.7", "dice_based"): (0.0, 0.0, 8.569),
    ("4.7", "scorecard_based"): (0.828, 0.0, 9.784),
    ("4.7", "optimal"): (0.828, 0.0, 0.0),
    ("4.10", "dice_based"): (0.0, 0.311, 5.676),
    ("4.10", "scorecard_based"): (0.0, 0.311, 5.676),
    ("4.10", "optimal"): (0.0, 0.311, 0.0),
}


@pytest.fixture(scope="module")
def judged(advisor: Advisor) -> list[Audited]:
    return list(audit(advisor))


@pytest.mark.parametrize(("table", "player"), EMPTY_CARD)
def test_a_decision_on_the_empty_card_has_one_cost(
    judged: list[Audited], table: str, player: str
) -> None:
    turn = [d for d in judged if (d.table, d.player) == (table, player)]
    assert [d.cost[0] for d in turn] == pytest.approx(EMPTY_CARD[table, player], abs=5e-4)
    assert all(low == high for low, high in (d.cost for d in turn))


def test_the_first_hold_of_the_published_optimum_was_not_the_best(judged: list[Audited]) -> None:
    first = next(d for d in judged if (d.table, d.player) == ("4.7", "optimal"))
    assert (first.choice, first.best) == ("6 6", ("5 5 6 6",))


def test_every_decision_whose_boxes_are_known_is_judged(judged: list[Audited]) -> None:
    assert len(judged) == 5 * 3 * 3
    assert {d.table for d in judged} == {"4.7", "4.8", "4.9", "4.10"}


def test_where_only_the_boxes_are_known_the_cost_is_a_range_over_their_points(
    judged: list[Audited],
) -> None:
    kept_a_six = next(d for d in judged if (d.table, d.player) == ("4.9", "optimal"))
    low, high = kept_a_six.cost
    assert kept_a_six.choice == "6"
    assert 1.9 < low < high < 2.6


@pytest.mark.parametrize(
    ("table", "number", "player", "expected"),
    [
        ("4.8", 4, "scorecard_based", (2.174, 2.868)),
        ("4.8", 6, "scorecard_based", (1.801, 2.510)),
        ("4.9", 3, "optimal", (2.001, 4.841)),
    ],
)
def test_a_turn_costs_what_its_decisions_cost_on_one_card(
    judged: list[Audited], table: str, number: int, player: str, expected: tuple[float, float]
) -> None:
    """The end of one range and that of another may belong to different upper totals."""
    turn = next(t for t in printed_turns() if (t["table"], t["round"]) == (table, number))
    own = of_turn(judged, turn, player)
    assert together(own) == pytest.approx(expected, abs=5e-4)
    low, high = (sum(one.cost[end] for one in own) for end in (0, 1))
    assert low < together(own)[0] < together(own)[1] < high


def test_table_4_8_names_the_boxes_of_its_round_6_in_its_text() -> None:
    """Those of round 4, what that turn filled, and Threes, which all three filled next."""
    earlier, later = (turn for turn in printed_turns() if turn["table"] == "4.8")
    for player in PLAYERS:
        boxes = {*earlier["filled"][player], earlier[player]["category"], "threes"}
        assert {*later["filled"][player]} == boxes
        assert len(boxes) == later["round"] - 1


def test_the_study_disagrees_with_itself_where_the_data_says_so() -> None:
    real = reported()["real_dice_test"]
    assert sum(real["counts"].values()) == 510 != real["reported_total"]
