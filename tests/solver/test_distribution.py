"""Exact distributions: golden figures, and two slower ways to the same numbers."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from solver.advice import Advisor, Position
from solver.arena.results import calculate_exact, list_entries, read_result
from solver.dp.arrays import Floats
from solver.dp.turn import average_rolls
from solver.exact.distribution import Distribution, calculate_distribution
from solver.players import Card, PlayerEntry, find_player
from solver.rules import RULESETS, YATZY, Ruleset
from solver.rules.dice import make_cup
from solver.study.published import KEYS, find_published, measure_distance
from tests.known import known

FIVE = make_cup(5)

pytestmark = pytest.mark.usefixtures("yatzy_tables")

# mean, standard deviation, median, chance of the bonus, distance from the published histogram
GOLDEN = {
    "optimal": (248.43999, 38.4964, 249, 0.89806, 0.3036),
    "scorecard-based": (198.98724, 44.1780, 202, 0.59441, 0.0892),
    "scorecard-based:points": (199.16410, 38.8106, 194, 0.10864, 0.2259),
    "dice-based": (179.85072, 42.9225, 174, 0.29610, 0.0638),
    "dice-based:pseudo-code": (171.40115, 41.1221, 164, 0.28299, 0.1226),
    "forced-scoring": (116.13617, 27.5130, 112, 0.04358, 0.2070),
    "forced-scoring:sensible": (120.32170, 28.2514, 117, 0.04358, 0.2783),
    "forced-scoring:one-reroll": (86.36263, 20.3060, 85, 0.00168, 0.3068),
    "greedy": (199.16410, 38.8106, 194, 0.10864, None),
}
STARTS = {
    "yatzy": 248.4399893778553,
    "yahtzee": 254.5877287344948,
    "yahtzee-free-joker": 254.58960948196207,
    "yahtzee-plain": 245.8707745141106,
}


@pytest.mark.sampled("name")
@pytest.mark.parametrize("name", GOLDEN)
def test_the_figures_of_a_player(name: str) -> None:
    mean, deviation, median, bonus, far = GOLDEN[name]
    of = calculate_exact(find_player(name), YATZY).distribution
    assert of.mean == pytest.approx(mean, abs=6e-6)
    assert of.deviation == pytest.approx(deviation, abs=6e-5)
    assert of.median == median
    assert of.bonus_probability == pytest.approx(bonus, abs=6e-6)
    assert of.probabilities.sum() == pytest.approx(1, abs=1e-12)
    if far is not None:
        theirs = known(find_published(name.partition(":")[0]))
        assert measure_distance(of.group_in_tens(), theirs.shares) == pytest.approx(far, abs=6e-5)


def test_perfect_play_is_golden_and_agrees_with_the_solved_outlook(advisor: Advisor) -> None:
    """The spread and the chance of the bonus were carried backwards there, forwards here."""
    of = calculate_exact(find_player("optimal"), YATZY).distribution
    assert of.mean == pytest.approx(248.439989378, abs=1e-8)
    assert of.deviation == pytest.approx(38.4964, abs=5e-5)
    assert (of.median, of.states) == (249, 461_309)
    assert len(of.probabilities) == 375  # 0 to 374, the most that there is
    first = average_rolls(np.eye(len(FIVE.rolls)), 5)[0]
    advised = [
        advisor.advise(Position(YATZY, 0, 0, roll, 2), outlook=True).best.outlook
        for roll in FIVE.rolls
    ]
    bonus = sum(p * known(seen).bonus_chance for p, seen in zip(first, advised, strict=True))
    assert of.bonus_probability == pytest.approx(bonus, abs=1e-5)


@pytest.mark.sampled("reading")
@pytest.mark.parametrize("reading", ["as-printed", "sensible", "go-on", "one-reroll"])
def test_forced_scoring_is_fifteen_independent_turns(reading: str) -> None:
    """Convolved box by box, from the plain decisions of the cards that it meets."""
    player = find_player(f"forced-scoring:{reading}")
    turns = [
        turn_points(player.open_tabular(YATZY).card((1 << box) - 1, 0), box) for box in range(15)
    ]
    upper, lower = convolved(turns[:6]), convolved(turns[6:])
    with_bonus = np.zeros(len(upper) + 50)
    with_bonus[:63] = upper[:63]
    with_bonus[113:] += upper[63:]
    scores = np.convolve(with_bonus, lower)
    ours = calculate_distribution(player.open_tabular(YATZY)).probabilities
    assert ours == pytest.approx(scores[: len(ours)], abs=1e-14)


def turn_points(card: Card, box: int) -> Floats:
    becomes = average_rolls(np.eye(len(FIVE.rolls)), 5)
    chance = becomes[0]
    for rolls_left in (2, 1):
        chance = chance @ becomes[card.holds[0, rolls_left - 1]]
    points = np.zeros(51)
    np.add.at(points, [YATZY.categories[box].score(roll) for roll in FIVE.rolls], chance)
    return points


def convolved(parts: Iterable[Floats]) -> Floats:
    whole = np.ones(1)
    for part in parts:
        whole = np.convolve(whole, part)
    return whole


def test_threads_and_progress_change_nothing() -> None:
    seen = []
    strategy = find_player("forced-scoring").open_tabular(YATZY)
    one = calculate_distribution(
        strategy, threads=1, progress=lambda done, total: seen.append((done, total))
    )
    two = calculate_distribution(strategy, threads=2)
    assert (one.probabilities == two.probabilities).all()
    assert seen == [(n, 15) for n in range(1, 16)]


def test_quantiles_and_ranks_of_a_small_distribution() -> None:
    of = Distribution(np.array([0.25, 0.0, 0.25, 0.5]), 0.0, 1)
    assert [of.find_quantile(share) for share in (0.25, 0.5, 0.51, 1.0)] == [0, 2, 3, 3]
    assert (of.mean, of.mode, of.median) == (2.0, 3, 2)
    assert [of.below(score) for score in (0, 1, 2, 3, 9)] == [0.125, 0.25, 0.375, 0.75, 1.0]
    assert of.group_in_tens().tolist() == [1.0]


def test_the_published_histograms_are_what_their_means_say() -> None:
    for name in KEYS:
        theirs = known(find_published(name))
        assert theirs.mean_of_counts == pytest.approx(theirs.mean, abs=0.8)
        assert 99_995 <= theirs.games <= 100_000


SHIPPED = [(rules, player) for rules in RULESETS.values() for player in list_entries(rules)]
NAMES = [f"{rules.id} {player.name}" for rules, player in SHIPPED]


@pytest.mark.parametrize(("rules", "player"), SHIPPED, ids=NAMES)
def test_every_player_brings_its_result(rules: Ruleset, player: PlayerEntry) -> None:
    """After a change of a player: `python -m solver.arena.results RULESET`."""
    of = known(read_result(player, rules)).distribution
    assert of.probabilities.sum() == pytest.approx(1, abs=1e-12)
    if player.id == "optimal":
        assert of.mean == pytest.approx(STARTS[rules.id], abs=1e-9)


@pytest.mark.nightly
@pytest.mark.parametrize(("rules", "player"), SHIPPED, ids=NAMES)
def test_what_is_brought_is_what_is_calculated(rules: Ruleset, player: PlayerEntry) -> None:
    of, now = (
        known(read_result(player, rules)).distribution,
        calculate_exact(player, rules).distribution,
    )
    assert now.probabilities == pytest.approx(of.probabilities, abs=1e-12)
    assert now.bonus_probability == pytest.approx(of.bonus_probability, abs=1e-12)
    assert now.states == of.states


def test_results_of_other_rules_are_not_taken() -> None:
    assert read_result(find_player("random"), replace(YATZY, bonus_points=51)) is None
    alone, perfect = (
        known(read_result(find_player(name), YATZY)) for name in ("to-win", "optimal")
    )
    assert (alone.player, alone.seconds) == ("to-win", perfect.seconds)
    usual = read_result(find_player("scorecard-based:bonus"), YATZY)
    assert known(usual).distribution.mean == pytest.approx(GOLDEN["scorecard-based"][0], abs=6e-6)
