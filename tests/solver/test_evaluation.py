"""Exact means and distributions: two ways to the same figures, and a slow obvious third one."""

from collections.abc import Callable
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
from solver.players import PLAYERS, Tabular, find_player, greedy, random
from solver.players.values import BadValues, ValuePlay
from solver.rules import RULESETS, YATZY, Joker, Ruleset
from solver.rules.dice import make_cup
from tests.selection import examples, exhaustive
from tests.solver.reference import ByValues, Followed, choices_of
from tests.solver.test_solver import tiny_joker_rulesets, tiny_rulesets

FIVE = make_cup(5)

pytestmark = pytest.mark.usefixtures("all_tables")

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
