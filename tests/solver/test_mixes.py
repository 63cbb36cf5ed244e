"""The holds of one player with the boxes of another, held against listing every throw."""

import json
from fractions import Fraction

import numpy as np
import pytest

from solver.advice.moments import evaluate
from solver.players import CannotPlay, Tabular, find_player, greedy, random
from solver.players.mixed import Mixed, Wavering
from solver.rules import YATZY, Ruleset
from solver.study.mixes import list_mixable, read_stored_mixes
from tests.solver.conftest import Run
from tests.solver.made_up import FOUR_DICE_JOKER, TWO_DICE
from tests.solver.test_evaluation import agrees, tiny
from tests.solver.test_grading import wayward

pytestmark = pytest.mark.usefixtures("all_tables")
JOKERS = tiny("forced")  # of five dice, for which everything is compiled anyway
SMALL = pytest.mark.parametrize(
    "rules",
    [
        JOKERS,
        pytest.param(TWO_DICE, marks=pytest.mark.nightly),
        pytest.param(FOUR_DICE_JOKER, marks=pytest.mark.nightly),
    ],
    ids=lambda rules: rules.id,
)


def greedily(rules: Ruleset) -> Tabular:
    return greedy.make(rules, "")


@SMALL
def test_mixes_of_who_sees_the_upper_total_and_who_does_not_are_those_of_listing(
    rules: Ruleset,
) -> None:
    agrees(Mixed(greedily(rules), wayward(rules)))
    agrees(Mixed(wayward(rules), greedily(rules)))
    agrees(Mixed(random.make(rules, ""), greedily(rules)))  # holds by chance, the same on each card
    agrees(Wavering(greedily(rules), wayward(rules), Fraction(2, 3)))


@SMALL
def test_a_card_is_held_as_one_and_filled_as_the_other(rules: Ruleset) -> None:
    holds, boxes = greedily(rules), wayward(rules)
    mix = Mixed(holds, boxes)
    rows, columns = np.array([0, 0, 1]), np.array([0, 1, 0])
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        card = mix.card(row, column)
        assert (card.holds == holds.card(row, column).holds).all()
        assert (card.boxes == boxes.card(row, column).boxes).all()
    many = mix.cards(rows, columns)
    for at, place in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        assert (many[0][at] == mix.card(*place).holds).all()
        assert (many[1][at] == mix.card(*place).boxes).all()


def test_who_wavers_between_never_and_always_is_the_one_or_the_other() -> None:
    one, other = greedily(JOKERS), wayward(JOKERS)
    for chance, alone in ((Fraction(0), other), (Fraction(1), one)):
        found = evaluate(Wavering(one, other, chance))
        assert found.mean == pytest.approx(evaluate(alone).mean, abs=1e-12)


def test_what_cannot_be_mixed_by_chance_is_refused() -> None:
    one, lucky = greedily(JOKERS), random.make(JOKERS, "")
    for first, second, chance in ((one, lucky, "1/2"), (lucky, one, "1/2"), (one, one, "3/2")):
        with pytest.raises(CannotPlay):
            Wavering(first, second, Fraction(chance))
    for none in (Fraction(1, 101), Fraction(-1, 2)):
        with pytest.raises(CannotPlay):
            Wavering(one, one, none)
    assert Wavering(one, one, Fraction(1, 100)).uses_luck
    assert Mixed(one, lucky).uses_luck
    assert Mixed(lucky, one).uses_luck
    assert not Mixed(one, one).uses_luck


def test_the_file_has_every_mix_of_its_players() -> None:
    stored = read_stored_mixes()
    mixed = list(stored["mixes"])
    assert mixed == [name for name in list_mixable() if name in mixed]
    assert all(list(row) == mixed for row in stored["mixes"].values())
    best = stored["mixes"]["optimal"]["optimal"][0]
    assert best == pytest.approx(248.439989, abs=1e-6)
    assert best == max(figures[0] for row in stored["mixes"].values() for figures in row.values())
    mixes = stored["mixes"]["dice-based"]
    assert mixes["dice-based"][0] < stored["every_second"] < best


@pytest.mark.parametrize(
    ("holds", "boxes"),
    [
        ("dice-based", "scorecard-based"),
        pytest.param("scorecard-based", "upper-first", marks=pytest.mark.nightly),
        pytest.param("dice-based", "optimal", marks=pytest.mark.nightly),
    ],
)
def test_the_file_is_what_is_worked_out(holds: str, boxes: str) -> None:
    mix = Mixed(find_player(holds).open_tabular(YATZY), find_player(boxes).open_tabular(YATZY))
    found = evaluate(mix)
    figures = (found.mean, found.deviation, found.bonus_probability)
    assert figures == pytest.approx(read_stored_mixes()["mixes"][holds][boxes], abs=1e-6)


def test_a_mix_on_the_command_line(run: Run) -> None:
    asked = ("mix", "forced-scoring", "dice-based")
    facts = json.loads(run(*asked, "--json")[1])
    assert facts["mix"]["mean"] == pytest.approx(126.094409, abs=1e-6)
    assert facts["forced-scoring"]["mean"] == pytest.approx(116.136173, abs=1e-6)
    told = run(*asked, "--chance", "1/2")[1]
    assert "forced-scoring with chance 1/2, else dice-based" in told
