"""Readings of the study's words: their names, what they do, and the figures that are kept."""

from collections import Counter
from itertools import product
from math import prod

import pytest

from solver.advice import Advisor
from solver.exact.distribution import calculate_distribution
from solver.players import PLAYERS, dice_based, find_player
from solver.players.rules import RulePlay
from solver.rules import YATZY
from solver.rules.dice import Dice, make_cup
from solver.study.published import KEYS, measure_distance, pad_shares, require_published
from solver.study.readings import (
    HOLD_BY_RULE,
    count_printed_decisions,
    find_choices,
    read_candidates,
)
from solver.study.turns import compare_decisions

FIVE = make_cup(5)
IN_USE = (
    "dice-based:open-printed dice-based:pseudo-code dice-based:open-printed-last-yatzy "
    "forced-scoring:as-printed forced-scoring:sensible forced-scoring:one-die "
    "forced-scoring:go-on forced-scoring:one-reroll scorecard-based:bonus scorecard-based:points "
    "scorecard-based:share scorecard-based:patient scorecard-based:patient-bonus"
)
pytestmark = pytest.mark.usefixtures("yatzy_tables")


@pytest.mark.parametrize("player", KEYS)
def test_every_combination_of_choices_is_a_reading_with_a_name_of_its_own(player: str) -> None:
    choices = find_choices(player)
    assert len(choices.readings) == prod(1 + len(choice.options) for choice in choices.passages)
    assert len({choices.sum_flags(name) for name in choices.readings}) == len(choices.readings)


def test_names_that_are_in_use_stay() -> None:
    for name in IN_USE.split():
        assert find_player(name).id in name
    assert find_player("dice-based:last-four").name == "dice-based:last-four"


def test_readings_do_what_their_names_say() -> None:
    forced = PLAYERS["forced-scoring"].choices
    assert forced is not None
    assert forced.describe("go-on")["go-on"].split("; ") == [
        "for Four of a kind, the bot holds all four equal dice",
        "the bot holds a full house",
        "for Full house, the bot rerolls all dice if there is no pair",
        "dice outside a combination are rerolled",
    ]
    first = find_player("forced-scoring:many-twice").open_tabular(YATZY)
    twice = [box for box in range(15) if stops(first, box)]
    assert [YATZY.categories[box].id for box in twice] == [
        "two_pairs",
        "three_of_a_kind",
        "small_straight",
        "large_straight",
        "yatzy",
    ]


def stops(play: object, box: int) -> bool:
    assert isinstance(play, RulePlay)
    holds = play.card((1 << box) - 1, 0).holds[0, 0]
    return bool((holds >= FIVE.first_roll).all())


def test_for_a_full_house_dice_without_a_pair_are_read_in_three_ways() -> None:
    roll, card = FIVE.roll_index[1, 2, 3, 4, 6], (1 << 12) - 1
    found = {}
    for name in ("as-printed", "throw-all", "keep-highest"):
        play = find_player(f"forced-scoring:{name}").open_tabular(YATZY)
        found[name] = FIVE.holds[int(play.card(card, 0).holds[0, 1, roll])]
    assert found == {"as-printed": (1, 2, 3, 4, 6), "throw-all": (), "keep-highest": (6,)}


def literal(dice: Dice, filled: int) -> Dice:
    """The study's pseudo code for dice, statement by statement."""
    counts = Counter(dice)
    alike = sorted((face for face in counts if counts[face] > 1), key=lambda f: (counts[f], f))
    sixes = tuple(face for face in dice if face == 6)
    if alike:
        face = alike[-1]
        if counts[face] >= 3:
            if counts[face] == 5 or len(alike) == 2:
                return dice
            return (face,) * counts[face]
        if len(alike) == 2:
            return tuple(f for f in dice if f in alike)
        if face > 3 or not filled >> (face - 1) & 1:
            return (face, face)
        return sixes
    for straight in ({2, 3, 4, 5, 6}, {1, 2, 3, 4, 5}):
        if len(straight & set(dice)) >= 4:
            return tuple(sorted(straight & set(dice)))
    return sixes


@pytest.mark.parametrize("filled", [0, 0b100, 0b111, 0b1_0000_0000_0010, (1 << 14) - 1])
def test_the_pseudo_code_line_by_line_is_the_pseudo_code(filled: int) -> None:
    for roll, dice in enumerate(FIVE.rolls):
        hold = int(dice_based.decide(0, filled, 0, 2, roll))
        assert (FIVE.holds[hold] if hold < FIVE.first_roll else dice) == literal(dice, filled)


def test_printed_decisions_are_those_that_the_study_repeats(advisor: Advisor) -> None:
    found = [one.printed.player for one in compare_decisions(advisor)]
    for player, key in KEYS.items():
        assert sum(count_printed_decisions(player)) == found.count(key)
    assert count_printed_decisions("scorecard-based") == (10, 5)
    assert count_printed_decisions("forced-scoring") == (0, 0)


@pytest.mark.parametrize("player", ["scorecard-based", "dice-based"])
def test_the_figures_of_the_players_in_the_file_are_those_of_now(
    advisor: Advisor, player: str
) -> None:
    lab = next(iter(PLAYERS[player].readings))
    (kept,) = (
        one
        for one in read_candidates()
        if (one.player, one.reading, one.bonus_from, one.dice_stay) == (player, lab, 63, False)
    )
    exact, theirs = (
        calculate_distribution(find_player(player).open_tabular(YATZY)),
        require_published(player),
    )
    assert kept.mean == pytest.approx(exact.mean, abs=1e-6)
    assert kept.median == exact.median
    off = measure_distance(pad_shares(exact.group_in_tens()), theirs.shares)
    assert kept.distance == pytest.approx(off, abs=1e-6)
    same = [
        one for one in compare_decisions(advisor) if one.same and one.printed.player == KEYS[player]
    ]
    assert kept.holds + kept.boxes == len(same)


def test_every_reading_is_kept_the_closest_of_its_strategy_first() -> None:
    assert len(read_candidates()) == 912
    for player in KEYS:
        kept = [one for one in read_candidates() if one.player == player]
        stay = (False, True) if player in HOLD_BY_RULE else (False,)
        asked = set(product(find_choices(player).readings, (63, 64), stay))
        assert {(one.reading, one.bonus_from, one.dice_stay) for one in kept} == asked
        assert len(kept) == len(asked)
        assert [one.distance for one in kept] == sorted(one.distance for one in kept)
