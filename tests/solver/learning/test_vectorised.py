"""The compiled games against ``solver.rules``, number by number."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.learning.vectorised import Games
from solver.players.features import (
    find_action,
    make_features,
    make_layout,
    make_mask,
    number_action,
)
from solver.rules import (
    PLAYED,
    RULESETS,
    Box,
    IllegalAction,
    Score,
    State,
    apply_action,
    apply_roll,
    start_state,
)
from tests.selection import examples

EVERY_RULESET = sorted(PLAYED)


def in_order(state: State) -> State:
    return replace(state, dice=tuple(sorted(state.dice)), held=0)


def dealt(state: State, dice: Sequence[int]) -> State:
    return in_order(apply_roll(apply_action(state, find_action(state.rules, 0)), dice))


def after(state: State, number: int, dice: Sequence[int]) -> State:
    state = apply_action(state, find_action(state.rules, number))
    if state.finished:
        return state
    if not state.waiting:
        return dealt(state, dice)
    fallen = list(dice)
    for slot in range(state.rules.dice):
        if state.held >> slot & 1:
            fallen.remove(state.dice[slot])
    faces = [1 if state.held >> slot & 1 else fallen.pop() for slot in range(len(dice))]
    return in_order(apply_roll(state, faces))


def assert_seen(games: Games, place: int, state: State) -> None:
    assert games.features[place] == pytest.approx(make_features(state), abs=1e-6)
    assert games.masks[place].tolist() == make_mask(state).tolist()


@pytest.mark.sampled("ruleset")
@pytest.mark.parametrize("ruleset", EVERY_RULESET)
def test_whole_games_are_those_of_the_rules(ruleset: str) -> None:
    rules = PLAYED[ruleset]
    games = Games(rules, 40, seed=3, threads=2)
    states = [dealt(start_state(rules), dice) for dice in games.dice.tolist()]
    ended = 0
    for _ in range(80):
        chosen = games.random_actions()
        games.step(chosen)
        for place, state in enumerate(states):
            dice = games.dice[place].tolist()
            now = after(state, int(chosen[place]), dice)
            assert games.rewards[place] == now.total - state.total
            assert games.finished[place] == now.finished
            if now.finished:
                assert games.scores[place] == now.total
                assert games.last[place] == pytest.approx(make_features(now), abs=1e-6)
                now, ended = dealt(start_state(rules), dice), ended + 1
            assert_seen(games, place, now)
            states[place] = now
    assert ended > 20


@st.composite
def positions(draw: st.DrawFn) -> State:
    """Any card and any dice, every other time five of a kind, so that jokers and chips come."""
    rules = PLAYED[draw(st.sampled_from(EVERY_RULESET))]
    filled = draw(st.integers(0, rules.full - 1))
    five = st.integers(1, 6).map(lambda face: (face,) * rules.dice)
    any_roll = st.one_of(five, st.sampled_from(rules.cup.rolls))
    card = tuple(
        Box(category.score(draw(any_roll)), ()) if filled >> n & 1 else None
        for n, category in enumerate(rules.categories)
    )
    dice = draw(any_roll)
    stock = draw(st.integers(0, rules.most_saved(filled.bit_count())))
    return State(rules, card, draw(st.integers(0, rules.throws - 1 + stock)), dice, stock=stock)


@settings(max_examples=examples(300))
@given(positions(), st.integers(0, 2**32), st.randoms(use_true_random=False))
def test_every_position_is_seen_and_played_as_the_rules_say(
    state: State, seed: int, random: Random
) -> None:
    games = Games(state.rules, 1, seed, threads=1)
    games.put(0, state)
    assert_seen(games, 0, state)
    chosen = random.choice(np.flatnonzero(make_mask(state)).tolist())
    games.step(np.array([chosen]))
    now = after(state, chosen, games.dice[0].tolist())
    assert games.rewards[0] == now.total - state.total
    if now.finished:
        assert games.scores[0] == now.total
        assert games.last[0] == pytest.approx(make_features(now), abs=1e-6)
    else:
        assert_seen(games, 0, now)


@pytest.mark.parametrize("ruleset", EVERY_RULESET)
def test_the_bonus_comes_with_the_point_that_secures_it_and_never_again(ruleset: str) -> None:
    rules = PLAYED[ruleset]
    games, goal = Games(rules, 1, 1), rules.bonus_threshold
    for short, bonus in ((7, 0), (6, rules.bonus_points), (1, rules.bonus_points), (0, 0)):
        card = tuple(Box(goal - short, ()) if c.face == 3 else None for c in rules.categories)
        games.put(0, State(rules, card, 0, (1, 2, 3, 4, 5, 6)[-rules.dice :]))
        games.step(np.array([number_action(rules, Score("sixes"))]))
        assert games.rewards[0] == 6 + bonus


def test_an_illegal_action_is_an_error_and_nothing_is_played() -> None:
    games = Games(RULESETS["yatzy"], 3, seed=1)
    for _ in range(2):
        games.step(np.array([0, 0, 31]))
    before = games.features.copy()
    for wrong in (5, 32 + 15, -1):
        with pytest.raises(IllegalAction, match="game 1 does not"):
            games.step(np.array([40, wrong, 40]))
    assert (games.features == before).all()
    games.step(np.array([40, 40, 40]))
    with pytest.raises(IllegalAction, match="game 0"):
        games.step(np.array([40, 39, 39]))


def test_a_game_of_the_same_seed_is_the_same_whatever_is_played_beside_it() -> None:
    alone, threaded = (Games(RULESETS["yahtzee"], 50, 9, threads) for threads in (1, 3))
    other = Games(RULESETS["yahtzee"], 50, 10)
    for _ in range(40):
        chosen = alone.random_actions()
        assert (chosen == threaded.random_actions()).all()
        alone.step(chosen)
        threaded.step(chosen)
    assert (alone.features == threaded.features).all()
    assert (alone.dice != other.dice).any()
    apart = Games(RULESETS["yatzy"], 2, 4)
    beside = Games(RULESETS["yatzy"], 2, 4)
    apart.step(np.array([0, 0]))
    beside.step(np.array([40, 0]))
    assert (apart.dice[1] == beside.dice[1]).all()


def test_dice_fall_and_random_actions_are_chosen_evenly() -> None:
    games = Games(RULESETS["yatzy"], 60_000, seed=2)
    faces = np.bincount(games.dice.ravel(), minlength=7)[1:]
    assert np.abs(faces / 300_000 - 1 / 6).max() < 0.003
    chosen = np.bincount(games.random_actions(), minlength=47)
    assert np.abs(chosen / 60_000 - 1 / 47).max() < 0.003


def test_groups_of_features_lie_side_by_side() -> None:
    groups, width = make_layout(RULESETS["yahtzee"])
    ends = [0, *(group.stop for group in groups.values())]
    assert [group.start for group in groups.values()] == ends[:-1]
    assert ends[-1] == width == 73
