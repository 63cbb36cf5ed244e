"""The two programs of the published tournament: their exact means, and where five alike go."""

from typing import Any

import numpy as np
import pytest

from solver.exact.evaluation import evaluate
from solver.players import PLAYERS, find_player
from solver.players.dummy import wanted_by_five_alike
from solver.rules import RULESETS, Ruleset
from solver.rules.dice import FACES, cup_of
from solver.rules.rulesets import YAHTZEE

FIVE = cup_of(5)

pytestmark = pytest.mark.usefixtures("all_tables")

EXACT = {
    "priority": 190.7590,
    "low-priority": 189.2277,
    "card-order": 190.7231,
    "any-pair": 192.9077,
    "joker-sorted": 190.7844,
    "joker-points": 190.8130,
    "closest": 192.9834,
}


@pytest.mark.parametrize(("reading", "mean"), [*EXACT.items()])
def test_every_reading_has_the_mean_that_its_description_says(reading: Any, mean: Any) -> None:
    player = find_player(f"AcesAndEights:{reading}")
    assert evaluate(player.tabular(YAHTZEE)).mean == pytest.approx(mean, abs=5e-5)
    assert f"{mean:.2f}" in player.description
    assert list(player.readings) == list(EXACT)


def test_jokers_of_all_kinds_go_where_the_listing_puts_them() -> None:
    """Five alike on every card, where they are too seldom to be met by playing."""
    agent = find_player("AcesAndEights").tabular(YAHTZEE)
    for filled in range(0, YAHTZEE.full, 7):
        card = agent.card(filled, 0)
        for face in range(1, FACES + 1):
            boxes = wanted_by_five_alike(YAHTZEE, filled, face)
            box = int(card.boxes[0, FIVE.roll_index[(face,) * FIVE.dice]])
            lower = [n for n in boxes if not YAHTZEE.categories[n].face]
            assert box == (lower or boxes)[0]


@pytest.mark.parametrize("rules", [r for r in RULESETS.values() if PLAYERS["DummyPlayer"].plays(r)])
def test_the_dummy_scores_at_once_in_any_open_box_and_five_alike_where_the_source_says(
    rules: Ruleset,
) -> None:
    agent = find_player("DummyPlayer").tabular(rules)
    rng = np.random.default_rng(2)
    for filled in rng.integers(0, rules.full, 40).tolist():
        card = agent.card(filled, 0)
        rolls = np.arange(FIVE.first_roll, FIVE.first_roll + card.boxes.shape[1])
        assert (card.holds == rolls).all()
        assert {n for n in card.boxes[:, 5].tolist() if n >= 0} == set(rules.open(filled))
        assert len(set(card.boxes[:, 5].tolist()) - {-1}) == (card.boxes[:, 5] >= 0).sum()
        for face in range(1, FACES + 1):
            here = card.boxes[:, FIVE.roll_index[(face,) * FIVE.dice]]
            assert {n for n in here.tolist() if n >= 0} == dummy_boxes(rules, filled, face)


def dummy_boxes(rules: Ruleset, filled: Any, face: Any) -> Any:
    """The listing, with its three filters."""
    free = [rules.categories[n] for n in rules.open(filled)]
    if any(box.id == "yahtzee" for box in free):
        chosen = [box for box in free if box.id == "yahtzee"]
    else:
        own = [box for box in free if box.face == face]
        chosen = own or [box for box in free if not box.face] or free
    return {rules.index[box.id] for box in chosen}
