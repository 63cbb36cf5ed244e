"""The two programs of the published tournament against their listings, written as printed."""

from typing import Any

import numpy as np
import pytest

from solver.advice.moments import evaluate
from solver.arena.controller import Category, Player, PlayerAgent, TurnChoice, count
from solver.arena.controller import int_to_upper_category as upper_of
from solver.arena.match import make_random_roller, play_out
from solver.players import PLAYERS, find_player
from solver.players.dummy import list_boxes_for_five_alike
from solver.rules import RULESETS, Ruleset, Score, State
from solver.rules.dice import FACES, make_cup
from solver.rules.rulesets import YAHTZEE

FIVE = make_cup(5)

pytestmark = pytest.mark.usefixtures("all_tables")

C = Category
PRIORITY = {C.YAHTZEE: -3, C.LARGE_STRAIGHT: -1, C.SMALL_STRAIGHT: -2, C.FULL_HOUSE: 10}
PRIORITY |= {C.FOUR_OF_A_KIND: 9, C.THREE_OF_A_KIND: 8, C.SIXES: 7, C.FIVES: 6, C.FOURS: 5}
PRIORITY |= {C.THREES: 4, C.TWOS: 3, C.ACES: 2, C.CHANCE: 1}
EXACT = {
    "priority": 190.7590,
    "low-priority": 189.2277,
    "card-order": 190.7231,
    "any-pair": 192.9077,
    "joker-sorted": 190.7844,
    "joker-points": 190.8130,
    "closest": 192.9834,
}


class Listing(Player):
    """AcesAndEights; what the listing lost is in the methods that readings override."""

    def turn(self, dice: list[int], stage: int) -> Any:  # noqa: C901 - as long as the listing is
        free = self.game.scorecard.free_categories
        matching = C.matching_categories(dice)
        usable = [c for c in free if c in matching]
        if C.YAHTZEE in matching:
            return TurnChoice(self.yahtzee(dice, free, usable))
        if C.FULL_HOUSE in usable:
            return TurnChoice(C.FULL_HOUSE)
        if stage == 2:
            return TurnChoice(self.best(dice, free))
        if C.THREE_OF_A_KIND in matching:
            number = next(die for die in dice if count(dice, die) >= 3)
            return TurnChoice([k for k in range(5) if dice[k] == number])
        if C.LARGE_STRAIGHT in free or C.SMALL_STRAIGHT in free:
            if C.LARGE_STRAIGHT in usable:
                return TurnChoice(C.LARGE_STRAIGHT)
            if C.SMALL_STRAIGHT in matching:
                if C.LARGE_STRAIGHT not in free:
                    return TurnChoice(C.SMALL_STRAIGHT)
                first = 1 if {1, 2} <= set(dice) else 2 if {2, 3} <= set(dice) else 3
                return TurnChoice([dice.index(face) for face in range(first, first + 4)])
        if C.FULL_HOUSE in free:
            paired = [k for k in range(1, 7) if count(dice, k) == 2]
            if self.enough(paired):
                return TurnChoice([k for k in range(5) if dice[k] in paired])
        return TurnChoice([])

    def yahtzee(self, dice: list[int], free: Any, usable: Any) -> Any:
        if C.YAHTZEE in usable:
            return C.YAHTZEE
        if upper_of(dice[0]) in usable:
            return upper_of(dice[0])
        lower = self.lower([c for c in free if c.is_lower])
        return lower[0] if lower else min(free, key=PRIORITY.__getitem__)

    def best(self, dice: list[int], free: Any) -> Any:
        return max(free, key=lambda c: (c.score(dice), PRIORITY[c]))

    def enough(self, paired: Any) -> Any:
        return len(paired) == 2

    def lower(self, boxes: Any) -> Any:
        return boxes


class LowFirst(Listing):
    def best(self, dice: list[int], free: Any) -> Any:
        return max(free, key=lambda c: (c.score(dice), -PRIORITY[c]))


class CardOrder(Listing):
    def best(self, dice: list[int], free: Any) -> Any:
        return max(free, key=lambda c: c.score(dice))


class AnyPair(Listing):
    def enough(self, paired: Any) -> Any:
        return bool(paired)


class JokerSorted(Listing):
    def lower(self, boxes: Any) -> Any:
        return sorted(boxes, key=PRIORITY.__getitem__)


class JokerPoints(Listing):
    def lower(self, boxes: Any) -> Any:
        worth = {C.FULL_HOUSE: 25, C.SMALL_STRAIGHT: 30, C.LARGE_STRAIGHT: 40}
        return sorted(boxes, key=lambda c: -worth.get(c, 0))


class Closest(CardOrder, AnyPair, JokerPoints):
    pass


LISTINGS = (Listing, LowFirst, CardOrder, AnyPair, JokerSorted, JokerPoints, Closest)


@pytest.mark.parametrize(("reading", "listing"), list(zip(EXACT, LISTINGS, strict=True)))
def test_every_reading_decides_as_the_listing_does(reading: Any, listing: Any) -> None:
    agent = find_player(f"AcesAndEights:{reading}").open(YAHTZEE)
    asked, rng = PlayerAgent(listing, YAHTZEE), np.random.default_rng(11)
    for _ in range(60):
        for state, action in play_out(asked, YAHTZEE, make_random_roller(rng)).decisions:
            ours = agent.choose(state, rng)
            assert told(ours, state) == told(action, state), state


def told(action: Any, state: State) -> Any:
    return action if isinstance(action, Score) else action.kept(state.dice)


@pytest.mark.parametrize(("reading", "mean"), [*EXACT.items()])
def test_every_reading_has_the_mean_that_its_description_says(reading: Any, mean: Any) -> None:
    player = find_player(f"AcesAndEights:{reading}")
    assert evaluate(player.open_tabular(YAHTZEE)).mean == pytest.approx(mean, abs=5e-5)
    assert f"{mean:.2f}" in player.description
    assert list(player.readings) == list(EXACT)


def test_jokers_of_all_kinds_go_where_the_listing_puts_them() -> None:
    """Five alike on every card, where they are too seldom to be met by playing."""
    agent = find_player("AcesAndEights").open_tabular(YAHTZEE)
    for filled in range(0, YAHTZEE.full, 7):
        card = agent.card(filled, 0)
        for face in range(1, FACES + 1):
            boxes = list_boxes_for_five_alike(YAHTZEE, filled, face)
            box = int(card.boxes[0, FIVE.roll_index[(face,) * FIVE.dice]])
            lower = [n for n in boxes if not YAHTZEE.categories[n].face]
            assert box == (lower or boxes)[0]


@pytest.mark.parametrize("rules", [r for r in RULESETS.values() if PLAYERS["DummyPlayer"].plays(r)])
def test_the_dummy_scores_at_once_in_any_open_box_and_five_alike_where_the_source_says(
    rules: Ruleset,
) -> None:
    agent = find_player("DummyPlayer").open_tabular(rules)
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
    free = [rules.categories[n] for n in rules.open(filled)]
    if any(box.id == "yahtzee" for box in free):
        chosen = [box for box in free if box.id == "yahtzee"]
    else:
        own = [box for box in free if box.face == face]
        chosen = own or [box for box in free if not box.face] or free
    return {rules.index[box.id] for box in chosen}
