"""Readings of the study's words: their names, what they do, and the figures that are kept."""

import json
from collections import Counter
from math import prod
from pathlib import Path

import numpy as np
import pytest

from solver.advice import Advisor
from solver.cli import study_readings
from solver.dp.arrays import Floats
from solver.dp.turn import outcome_chances
from solver.exact.distribution import distribution
from solver.players import PLAYERS, dice_based, find_player
from solver.players.rules import RulePlay
from solver.players.staying import StayingDice, memory_of
from solver.rules import YATZY
from solver.rules.dice import Dice, cup_of
from solver.study.candidates import (
    HOLD_BY_RULE,
    Candidate,
    all_candidates,
    as_csv,
    candidate,
    candidates,
    choices_of,
    combinations,
    printed,
    repeated_by,
)
from solver.study.histograms import KEYS
from solver.study.printed import our_choices, repeated
from tests.solver.conftest import Run
from tests.solver.test_distribution import convolved

FIVE = cup_of(5)
IN_USE = (
    "dice-based:open-printed dice-based:pseudo-code dice-based:open-printed-last-yatzy "
    "forced-scoring:as-printed forced-scoring:sensible forced-scoring:one-die "
    "forced-scoring:go-on forced-scoring:one-reroll scorecard-based:bonus scorecard-based:points "
    "scorecard-based:share scorecard-based:patient scorecard-based:patient-bonus"
)
FEW = [
    ("optimal", "no-bonus", 64, False),
    ("scorecard-based", "patient-share", 64, False),
    ("dice-based", "printed-four", 64, True),
    ("forced-scoring", "as-printed", 63, False),
    ("forced-scoring", "sensible", 63, True),
    ("forced-scoring", "one-die-lower-twice", 63, False),
    ("forced-scoring", "else-house-keep-highest-many-twice", 64, True),
]

pytestmark = pytest.mark.usefixtures("yatzy_tables")


@pytest.mark.parametrize("player", KEYS)
def test_every_combination_of_choices_is_a_reading_with_a_name_of_its_own(player: str) -> None:
    choices = choices_of(player)
    assert len(choices.readings) == prod(1 + len(choice.options) for choice in choices.of)
    assert len({choices.flags(name) for name in choices.readings}) == len(choices.readings)


def test_names_that_are_in_use_stay() -> None:
    for name in IN_USE.split():
        assert find_player(name).id in name
    assert find_player("dice-based:last-four").name == "dice-based:last-four"


def test_readings_do_what_their_names_say() -> None:
    forced = PLAYERS["forced-scoring"].choices
    assert forced is not None
    assert forced.says("go-on")["go-on"].split("; ") == [
        "four alike for Four of a kind are kept",
        "a full house is kept",
        "for Full house dice without a pair are all thrown again",
        "dice outside a combination are thrown on",
    ]
    first = find_player("forced-scoring:many-twice").tabular(YATZY)
    twice = [box for box in range(15) if stops(first, box)]
    assert [YATZY.categories[box].id for box in twice] == [
        "two_pairs",
        "three_of_a_kind",
        "small_straight",
        "large_straight",
        "yatzy",
    ]


def stops(play: object, box: int) -> bool:
    """Whether nothing is thrown a third time where this box is the next."""
    assert isinstance(play, RulePlay)
    holds = play.card((1 << box) - 1, 0).holds[0, 0]
    return bool((holds >= FIVE.first_roll).all())


def test_for_a_full_house_dice_without_a_pair_are_read_in_three_ways() -> None:
    roll, card = FIVE.roll_index[1, 2, 3, 4, 6], (1 << 12) - 1
    found = {}
    for name in ("as-printed", "throw-all", "keep-highest"):
        play = find_player(f"forced-scoring:{name}").tabular(YATZY)
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


def test_what_two_holds_have_together() -> None:
    hold = {dice: number for number, dice in enumerate(FIVE.holds)}
    together = memory_of(5).together
    assert FIVE.holds[together[hold[1, 1, 6], hold[1, 6, 6]]] == (1, 1, 6, 6)
    assert together[hold[1, 1, 6], hold[2, 2, 3]] == -1
    assert FIVE.holds[together[hold[2, 2], FIVE.first_roll + FIVE.roll_index[1, 2, 2, 3, 4]]] == (
        1,
        2,
        2,
        3,
        4,
    )


@pytest.mark.sampled("reading")
@pytest.mark.parametrize("reading", ["as-printed", "else-house-one-die-improve"])
def test_dice_that_stay_are_worked_out_as_a_turn_with_a_memory(reading: str) -> None:
    """Throw by throw from the plain decisions, box by box."""
    play = find_player(f"forced-scoring:{reading}").tabular(YATZY)
    assert isinstance(play, RulePlay)
    turns = [remembered(play, box) for box in range(15)]
    upper, lower = convolved(turns[:6]), convolved(turns[6:])
    with_bonus = np.zeros(len(upper) + 50)
    with_bonus[:63], with_bonus[113:] = upper[:63], upper[63:]
    scores = np.convolve(with_bonus, lower)
    ours = distribution(StayingDice(play)).probabilities
    assert ours == pytest.approx(scores[: len(ours)], abs=1e-14)
    assert ours != pytest.approx(distribution(play).probabilities, abs=1e-4)


def remembered(play: RulePlay, box: int) -> Floats:
    """[points]: of one turn for the box, in which what was held is held again."""
    becomes = np.vstack((outcome_chances(5), np.eye(len(FIVE.rolls))))
    number = {dice: hold for hold, dice in enumerate(FIVE.holds)}
    card, arrived = (1 << box) - 1, np.zeros(len(FIVE.rolls))
    for roll, chance in enumerate(becomes[0]):
        first = int(play.decide(play.reading, card, 0, 2, roll))
        for second, then in enumerate(becomes[first]):
            if then:
                hold = FIVE.holds[int(play.decide(play.reading, card, 0, 1, second))]
                both = Counter(hold) | Counter(FIVE.holds[first])
                ends = number[tuple(sorted(both.elements()))]
                arrived += chance * then * becomes[ends if len(hold) < 5 else number[hold]]
    points = np.zeros(51)
    np.add.at(points, [YATZY.categories[box].score(roll) for roll in FIVE.rolls], arrived)
    return points


def test_dice_held_before_are_among_those_that_stay() -> None:
    play = find_player("dice-based").tabular(YATZY)
    assert our_choices(play, 0, 1, (2, 2, 2, 6, 6)) == ("2 2 2 6 6",)
    assert our_choices(play, 0, 1, (1, 2, 4, 5, 5), (4,)) == ("4 5 5",)
    assert our_choices(play, 0, 0, (4, 4, 4, 6, 6)) == ("fours",)


def test_printed_decisions_are_those_that_the_study_repeats(advisor: Advisor) -> None:
    found = [one for one in repeated(advisor) if one.same]
    for player, key in KEYS.items():
        play = find_player(player).tabular(YATZY)
        same = sum(one.printed.player == key for one in found)
        assert sum(repeated_by(play, player, dice_stay=False)) == same
    assert not list(printed("forced-scoring"))


def test_a_program_whose_dice_stay_cannot_throw_what_it_held() -> None:
    """In round 4 of game 2 the strategy held a 4, and then a 5 without it."""
    play = find_player("scorecard-based").tabular(YATZY)
    again = [one for one in printed("scorecard-based") if one.held and one.left == 1]
    assert any(not set(one.held) <= set(one.choice) for one in again)
    assert repeated_by(play, "scorecard-based", dice_stay=False) == (6, 3)
    assert repeated_by(play, "scorecard-based", dice_stay=True) == (5, 3)


@pytest.mark.sampled("one")
@pytest.mark.parametrize("one", FEW, ids=str)
def test_the_figures_that_are_kept_are_those_of_now(one: tuple[str, str, int, bool]) -> None:
    kept = {(c.player, c.reading, c.bonus_from, c.dice_stay): c for c in candidates()}
    assert candidate(*one) == kept[one]


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_all_figures_that_are_kept_are_those_of_now() -> None:
    assert all_candidates() == list(candidates())


def test_every_reading_is_kept_the_closest_of_its_strategy_first() -> None:
    for player in KEYS:
        kept = [one for one in candidates() if one.player == player]
        asked = [(one.reading, one.bonus_from, one.dice_stay) for one in kept]
        assert set(asked) == set(combinations(player))
        assert len(asked) == len(set(asked))
        assert [one.distance for one in kept] == sorted(one.distance for one in kept)
        assert any(one.dice_stay for one in kept) == (player in HOLD_BY_RULE)


def test_the_command_shows_the_closest_and_tells_all_as_json(run: Run) -> None:
    status, out, _ = run("study", "readings")
    assert status == 0
    for player in KEYS:
        assert f"{player}: the closest of" in out
    assert "103." in out
    told = json.loads(run("study", "readings", "--json")[1])
    assert [Candidate(**one) for one in told] == list(candidates())


def test_the_command_writes_what_it_worked_out(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, path = list(candidates())[:6], tmp_path / "readings.csv"
    monkeypatch.setattr(study_readings, "FILE", path)
    monkeypatch.setattr(study_readings, "all_candidates", lambda progress: few)
    assert run("study", "readings", "--write")[0] == 0
    assert path.read_text() == as_csv(few)
    candidates.cache_clear()
