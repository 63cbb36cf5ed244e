"""The decisions that the study printed, judged. The costs on the empty card were also worked out
with another solver (the package yatzy-solver), which agrees with every digit given here."""

import pytest

from solver.advice import Advisor
from solver.study.published import Audited, audit, reported

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
    assert len(judged) == 4 * 3 * 3
    assert {d.table for d in judged} == {"4.7", "4.8", "4.9", "4.10"}


def test_where_only_the_boxes_are_known_the_cost_is_a_range_over_their_points(
    judged: list[Audited],
) -> None:
    kept_a_six = next(d for d in judged if (d.table, d.player) == ("4.9", "optimal"))
    low, high = kept_a_six.cost
    assert kept_a_six.choice == "6"
    assert 1.9 < low < high < 2.6


def test_the_study_disagrees_with_itself_where_the_data_says_so() -> None:
    real = reported()["real_dice_test"]
    assert sum(real["counts"].values()) == 510 != real["reported_total"]
