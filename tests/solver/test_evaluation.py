"""Exact means and deviations of players and of mixes of players."""

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.advice.moments import evaluate
from solver.arena.results import find_result
from solver.dp.space import Space
from solver.dp.sweep import solve
from solver.exact.distribution import calculate_distribution
from solver.learning.loop import play_games
from solver.players import PLAYERS, CannotPlay, Tabular, find_player, greedy, random
from solver.players.mixed import Mixed, Wavering
from solver.players.values import BadValues, ValuePlay
from solver.rules import RULESETS, YATZY, Joker, Ruleset
from solver.rules.dice import make_cup
from solver.study.mixes import list_mixable, read_stored_mixes
from tests.selection import examples, exhaustive
from tests.solver.conftest import Run
from tests.solver.made_up import FOUR_DICE_JOKER, TWO_DICE
from tests.solver.reference import ByValues, Followed, choices_of
from tests.solver.test_grading import wayward
from tests.solver.test_solver import tiny_joker_rulesets, tiny_rulesets

pytestmark = pytest.mark.usefixtures("all_tables")


FIVE = make_cup(5)


# mean, its error, standard deviation, chance of the upper bonus
PERFECT = {
    "yatzy": (248.439989378, 1e-8, 38.4964, 0.89806),
    "yahtzee": (254.587729, 1e-6, 59.6076, 0.68122),
    "yahtzee-free-joker": (254.589609, 1e-6, 59.61, 0.68118),
    "yahtzee-plain": (245.870775, 1e-6, 39.8201, 0.68978),
}

Policy = Literal["forced", "free"]


def agrees(agent: Tabular) -> None:
    rules = agent.rules
    chances = Followed(rules, choices_of(agent)).start(0, 0, False)
    found, known = calculate_distribution(agent, threads=1), evaluate(agent, threads=1)
    scores = np.zeros(len(found.probabilities))
    for score, chance in chances.items():
        scores[score] = chance
    assert found.probabilities == pytest.approx(scores, abs=1e-12)
    assert known.mean == pytest.approx(found.mean, abs=1e-9)
    assert known.deviation == pytest.approx(found.deviation, abs=1e-6)
    assert known.bonus_probability == pytest.approx(found.bonus_probability, abs=1e-12)
    assert known.states == found.states


def tiny(policy: Policy) -> Ruleset:
    """Two jokers can be thrown, and each rule of the jokers decides something."""
    boxes = [c for c in RULESETS["yahtzee"].categories if c.id in {"sixes", "full_house"}]
    yahtzee = next(c for c in RULESETS["yahtzee"].categories if c.id == "yahtzee")
    joker = Joker("yahtzee", policy, 100)
    return Ruleset("tiny", "Tiny", (*boxes, yahtzee), 18, 35, 2, joker)


@pytest.mark.sampled("make", "policy")
@pytest.mark.parametrize("policy", ["forced", "free"])
@pytest.mark.parametrize("make", [greedy.make, random.make])
def test_jokers_and_chips_are_those_of_listing_every_throw(
    policy: Policy, make: Callable[[Ruleset, str], Tabular]
) -> None:
    agrees(make(tiny(policy), ""))


@pytest.mark.parametrize("policy", ["forced", "free"])
def test_perfect_play_with_jokers_is_that_of_listing_every_throw(policy: Policy) -> None:
    rules = tiny(policy)
    values = solve(rules)
    agent = ValuePlay(values, rules)
    agrees(agent)
    assert evaluate(agent).mean == pytest.approx(float(values[0, 0]), abs=1e-11)


@settings(max_examples=examples(5))
@given(st.one_of(tiny_rulesets(), tiny_joker_rulesets()))
def test_players_agree_with_the_definition_under_any_rules(rules: Ruleset) -> None:
    values = solve(rules, threads=1)
    for agent in (ValuePlay(values, rules), random.make(rules, ""), greedy.make(rules, "")):
        agrees(agent)
    assert evaluate(ValuePlay(values, rules)).mean == pytest.approx(float(values[0, 0]), abs=1e-9)


def plays_greedily(rules: Ruleset, seed: int) -> None:
    space = Space(rules)
    values = np.random.default_rng(seed).normal(0, 20, size=(space.rows, space.columns))
    agent = ValuePlay(values, rules)
    agrees(agent)
    believed, choices = ByValues(rules, values), choices_of(agent)
    unfinished = np.arange(space.rows) & rules.full != rules.full
    for row, column in np.argwhere(space.reachable & unfinished[:, None]).tolist():
        card = (row & rules.full, column, bool(row >> space.boxes))
        for dice, left in product({*FIVE.rolls[::9], *FIVE.alike}, range(rules.throws)):
            (choice,) = choices(dice, left, *card)
            best = believed.best(dice, left, *card)
            assert believed.of(choice, left, *card) == pytest.approx(best, abs=1e-9)


@settings(max_examples=5)
@given(st.one_of(tiny_rulesets(), tiny_joker_rulesets()), st.integers(0, 2**32))
def test_any_table_of_values_is_played_greedily(rules: Ruleset, seed: int) -> None:
    plays_greedily(rules, seed)


@pytest.mark.parametrize("seed", range(3))
def test_no_table_of_values_tempts_a_player_to_a_box_that_a_joker_must_not_take(seed: int) -> None:
    plays_greedily(tiny("forced"), seed)


@pytest.mark.sampled("ruleset")
@pytest.mark.parametrize("ruleset", RULESETS)
def test_perfect_play_is_worth_what_the_table_says(ruleset: str) -> None:
    mean, error, deviation, bonus = PERFECT[ruleset]
    agent = find_player("optimal").open_tabular(RULESETS[ruleset])
    known = evaluate(agent)
    assert known.mean == pytest.approx(mean, abs=error)
    assert known.deviation == pytest.approx(deviation, abs=5e-3)
    assert known.bonus_probability == pytest.approx(bonus, abs=6e-6)
    values = solve(RULESETS[ruleset])
    assert known.mean == pytest.approx(float(values[0, 0]), abs=1e-9)
    scores = find_result(find_player("optimal"), RULESETS[ruleset]).distribution
    assert scores.mean == pytest.approx(mean, abs=error)
    assert scores.deviation == pytest.approx(known.deviation, abs=1e-6)
    assert scores.probabilities.sum() == pytest.approx(1, abs=1e-11)


def test_free_choice_has_the_published_spread() -> None:
    """59.61, as published for Yahtzee with free choice jokers."""
    rules = RULESETS["yahtzee-free-joker"]
    scores = find_result(find_player("optimal"), rules).distribution
    assert round(scores.deviation, 2) == 59.61
    assert len(scores.probabilities) == 1576  # twelve chips and the most in every box


@pytest.mark.sampled("ruleset")
@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_player_is_worth_the_mean_of_its_distribution(ruleset: str) -> None:
    """A change tries one player of each kind: the others share its code. Tests above compare values
    and chance with the definition, and perfect play with its table.
    """
    rules, tried = RULESETS[ruleset], set[type]()
    for player in PLAYERS.values():
        if not player.plays(rules) or player.id.startswith("learned-"):
            continue
        agent = player.open_tabular(rules)
        known_else = type(agent) in tried or isinstance(agent, ValuePlay | random.RandomPlay)
        if known_else and not exhaustive():
            continue
        tried.add(type(agent))
        scores, known = find_result(player, rules), evaluate(agent)
        assert known.mean == pytest.approx(scores.distribution.mean, abs=1e-9)
        assert known.deviation == pytest.approx(scores.distribution.deviation, abs=1e-6)
        bonus = scores.distribution.bonus_probability
        assert known.bonus_probability == pytest.approx(bonus, abs=1e-12)


def test_a_table_of_nothing_is_greed_and_one_that_knows_the_bonus_is_better() -> None:
    rules = RULESETS["yahtzee-plain"]
    space = Space(rules)
    values = np.zeros((space.rows, space.columns))
    blind = evaluate(ValuePlay(values, rules)).mean
    assert blind == pytest.approx(evaluate(greedy.make(rules, "")).mean, abs=1e-9)
    values[:, -1] = rules.bonus_points
    assert evaluate(ValuePlay(values, rules)).mean > blind


def test_a_table_of_another_size_or_with_gaps_is_refused() -> None:
    space = Space(YATZY)
    with pytest.raises(BadValues, match=r"\(32768, 64\) cards, not of \(32768, 63\)"):
        ValuePlay(np.zeros((space.rows, space.columns - 1)), YATZY)
    values = np.zeros((space.rows, space.columns))
    values[1, 3] = np.nan
    with pytest.raises(BadValues, match="finite"):
        ValuePlay(values, YATZY)
    values[1, 3], values[0, 5] = 0.0, np.nan  # nobody has points on an empty card
    assert ValuePlay(values, YATZY).looks_at_upper


def test_threads_and_progress_change_nothing_in_an_evaluation() -> None:
    seen = []
    agent = greedy.make(RULESETS["yahtzee"], "")
    one = evaluate(agent, threads=1, progress=lambda done, total: seen.append((done, total)))
    assert one == evaluate(agent, threads=3)
    assert seen == [(n, 13) for n in range(1, 14)]


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
    mixes = (
        Mixed(greedily(rules), wayward(rules)),
        Mixed(wayward(rules), greedily(rules)),
        Mixed(random.make(rules, ""), greedily(rules)),  # holds by chance, the same on each card
        Wavering(greedily(rules), wayward(rules), Fraction(2, 3)),
    )
    for mix in mixes if exhaustive() else mixes[1::2]:
        agrees(mix)


@SMALL
def test_a_mix_of_a_player_with_itself_plays_the_same_games(rules: Ruleset) -> None:
    alone = wayward(rules)
    players = alone, Mixed(alone, alone)
    for seed in range(20):
        mine, mixed = (play_games(each, 1, np.random.default_rng(seed)) for each in players)
        assert (mine.points, mine.upper) == (mixed.points, mixed.upper)


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
