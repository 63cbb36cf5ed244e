"""The one analysis of made-up people: its test, interval, verdicts and tipping point."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import mean

import numpy as np
import pytest

from game.trials.analysis.describe import GameResult, describe_dice, describe_games
from game.trials.analysis.lots import LabelTest
from game.trials.analysis.primary import ArmPerson, Estimand, PairAnswer, compare_arms
from solver.statistics.inference import estimate_difference, estimate_mean
from tests.known import known

TWO = Estimand(("silent", "taught"), "after", smallest=6.0)
NEXT_TO_NOTHING = 1e-6


def people(
    arms: Sequence[Sequence[float]], before: Callable[[int], float | None] = lambda _at: None
) -> list[ArmPerson]:
    rows = [(arm, value) for arm, values in enumerate(arms) for value in values]
    return [ArmPerson(f"P{at:02}", arm, value, before(at)) for at, (arm, value) in enumerate(rows)]


def answer(of: Estimand, rows: Sequence[ArmPerson], seed: int = 1) -> PairAnswer:
    (pair,) = compare_arms(of, rows, seed).pairs
    return pair


def apart(by: float, spread: float = 5.0, size: int = 20, seed: int = 3) -> list[ArmPerson]:
    rng = np.random.default_rng(seed)
    return people(
        [rng.normal(30, spread, size).tolist(), rng.normal(30 + by, spread, size).tolist()]
    )


def test_p_is_the_share_of_all_labellings_that_are_as_far_apart() -> None:
    ones, others = [1.0, 4.0, 2.0, 8.0, 5.0, 7.0], [3.0, 9.0, 12.0, 11.0, 10.0, 6.0]

    def size(of: set[int]) -> float:
        values = [*ones, *others]
        groups = [
            [v for at, v in enumerate(values) if (at in of) == side] for side in (True, False)
        ]
        found = known(estimate_difference(*(known(estimate_mean(group)) for group in groups)))
        return abs(found.mean / found.error)

    own = size(set(range(6)))
    every = [size(set(chosen)) for chosen in combinations(range(12), 6)]
    exact = mean(one >= own - 1e-9 for one in every)
    assert answer(TWO, people([ones, others])).p == pytest.approx(exact, abs=0.01)


def test_the_interval_holds_what_the_same_test_does_not_reject() -> None:
    found, rows = answer(TWO, apart(-4.0)), apart(-4.0)
    out = ArmPerson("late", 1, 900.0, None, left_out=True)
    assert answer(TWO, [*rows[::-1], out]) == found, "in any order, without whom a rule leaves out"
    assert answer(TWO, rows, seed=2).p != found.p
    rows = sorted(apart(-4.0), key=lambda one: (one.arm, one.value))
    values, labels = np.array([one.value for one in rows]), np.array([one.arm for one in rows])
    test = known(LabelTest.prepare(values, labels, None, seed=1))
    assert test.calculate_p(0) == found.p
    for end, way in ((known(found.low), -1), (known(found.high), 1)):
        assert test.calculate_p(0, end) <= 0.05
        assert test.calculate_p(0, end - way * 0.05) > 0.05
    assert known(found.low) < known(found.low_90) < known(found.high_90) < known(found.high)


@pytest.mark.parametrize(
    ("by", "spread", "smallest", "verdict"),
    [
        (-8.0, 5.0, 6.0, "different"),
        (0.0, 2.0, 6.0, "equivalent"),
        (-2.0, 10.0, 6.0, "undecided"),
        (0.0, 2.0, None, "undecided"),
    ],
)
def test_a_verdict_is_one_word(
    by: float, spread: float, smallest: float | None, verdict: str
) -> None:
    assert answer(replace(TWO, smallest=smallest), apart(by, spread)).verdict == verdict
    few = answer(TWO, people([[1.0] * 5, list(map(float, range(20)))]))
    assert (few.verdict, few.p, few.people) == ("too few", None, (20, 5))


def test_a_direction_has_one_end_and_finds_nothing_on_the_other_side() -> None:
    rows = apart(-6.0)
    less = answer(replace(TWO, direction="less"), rows)
    assert (less.low, less.verdict) == (None, "different")
    assert known(less.p) < known(answer(TWO, rows).p)
    more = answer(replace(TWO, direction="more", smallest=None), rows)
    assert (more.high, more.verdict) == (None, "undecided")


def test_games_before_are_taken_into_account() -> None:
    rng = np.random.default_rng(5)
    level = rng.normal(30, 20, 40)
    values = level + rng.normal(0, 2, 40) - np.repeat([0.0, 3.0], 20)
    rows = people([values[:20].tolist(), values[20:].tolist()])
    known_before = [replace(one, before=float(of)) for one, of in zip(rows, level, strict=True)]
    assert answer(TWO, rows).verdict == "undecided"
    assert answer(TWO, known_before).verdict == "different"
    some = [
        replace(one, before=None) if at % 10 == 0 else one for at, one in enumerate(known_before)
    ]
    assert answer(TWO, some).people == (20, 20)


def test_several_arms_are_each_compared_with_the_largest_of_every_permutation() -> None:
    rng = np.random.default_rng(6)
    arms = [rng.normal(30 + by, 5, 20).tolist() for by in (0, -4, 0)]
    three = Estimand(("silent", "taught", "hinted"), "after")
    taught, hinted = compare_arms(three, people(arms), 1).pairs
    alone = answer(TWO, people(arms[:2]))
    assert known(taught.p) > known(alone.p)
    assert known(hinted.p) > 0.05
    assert taught.estimate == pytest.approx(alone.estimate)


# The tipping point


def test_missing_people_would_have_to_be_so_much_worse_for_the_finding_to_go_away() -> None:
    rows = apart(-6.0)
    missing = [ArmPerson(f"M{at}", 1, None) for at in range(4)]
    found = answer(TWO, [*rows, *missing])
    assert (found.people, found.missing, found.verdict) == ((20, 20), (4, 0), "different")
    point = known(found.tipping_point)
    assert (point.filled, point.p < 0.05) == (4, True)
    worse = known(point.worse)
    middle = mean(known(one.value) for one in rows)
    for more, gone in ((worse + 0.01, True), (worse - 0.5, False)):
        filled = [replace(one, value=middle + more) for one in missing]
        assert (known(answer(TWO, [*rows, *filled]).p) > 0.05) == gone


def test_where_nobody_is_missing_or_nothing_was_found_there_is_no_such_point() -> None:
    assert answer(TWO, apart(-6.0)).tipping_point is None
    missing = ArmPerson("M", 0, None)
    assert known(answer(TWO, [*apart(0.0), missing]).tipping_point).worse is None
    stays = answer(TWO, [*apart(-60.0), missing])
    assert known(stays.tipping_point).worse is None, "it is in the arm that is worse"


# How often it finds what there is, and what there is not


@pytest.mark.sampled("size")
@pytest.mark.parametrize(
    ("size", "stays", "effect"),
    [
        (60, (1.0, 1.0), 14),
        (60, (0.5, 0.5), 20),
        (80, (0.25, 0.25), 26),
        (40, (0.9, 0.67), 18),
        (20, (0.8, 0.8), 26),
        (100, (1.0, 0.25), 18),
    ],
    ids=str,
)
def test_it_is_as_sure_as_welchs_and_finds_nothing_in_one_of_twenty(
    size: int, stays: tuple[float, float], effect: float
) -> None:
    """Skewed people, of whom so many stay in either arm."""
    rng = np.random.default_rng(size)
    counts = [round(size / 2 * share) for share in stays]
    trials, none, found, welch = 1_000, 0, 0, 0
    plain = replace(TWO, smallest=None)
    for _trial in range(trials):
        values = [(18 * rng.gamma(2, 2**-0.5, count)).tolist() for count in counts]
        helped = [values[0], [value - effect for value in values[1]]]
        none += answer_p(plain, values) <= 0.05
        found += answer_p(plain, helped) <= 0.05
        difference = known(estimate_difference(*(known(estimate_mean(arm)) for arm in helped)))
        welch += difference.low > 0 or difference.high < 0
    error = (0.05 * 0.95 / trials) ** 0.5
    assert none / trials <= 0.055 + 2 * error
    assert found / trials >= welch / trials - 0.05


def answer_p(of: Estimand, values: Sequence[Sequence[float]]) -> float:
    (pair,) = compare_arms(of, people(values), 1, draws=299, full=False).pairs
    return known(pair.p)


# Without arms


def games(values: Sequence[Sequence[float]], a_sitting: int = 1000) -> list[GameResult]:
    return [
        GameResult(f"P{who}", at + 1, "", None, 200, 0, 0, cost, 0.0, 30, at // a_sitting)
        for who, costs in enumerate(values)
        for at, cost in enumerate(costs)
    ]


@pytest.mark.parametrize("evenings", [0.0, 5.0], ids=["alike", "good and bad"])
def test_ranges_hold_the_truth_where_evenings_differ_too(evenings: float) -> None:
    """Six people, fifty games each, in five sittings."""
    rng = np.random.default_rng(9)
    these = others = learnt = 0
    for _trial in range(200):
        levels = rng.normal(30, 6, 6)
        mood = np.repeat(rng.normal(0, evenings, (6, 5)), 10, axis=1)
        costs = levels[:, None] + mood + rng.normal(0, 7, (6, 50))
        found = describe_games(games(costs.tolist(), 10))
        assert found.sittings == 30
        mean_cost = known(found.cost)
        these += levels.mean() in known(mean_cost.these_people)
        others += 30 in known(mean_cost.people_like_these)
        learnt += known(found.slope_p) <= 0.05
    assert these >= 184
    assert others >= 182
    assert learnt <= 20


def test_a_person_with_one_game_is_taken_to_vary_as_the_others() -> None:
    found = known(describe_games(games([[20.0, 30.0, 25.0], [40.0]])).cost)
    assert found.mean == pytest.approx((25 + 40) / 2)
    assert known(found.these_people).error == pytest.approx((25 / 3 / 4 + 25 / 4) ** 0.5)


def test_dice_are_held_against_fair_ones_by_chi_squared() -> None:
    fair, loaded = describe_dice([100] * 6), describe_dice([160, 88, 88, 88, 88, 88], 1)
    assert (fair.chi_squared, fair.p) == (0.0, 1.0)
    assert loaded.chi_squared == pytest.approx(43.2)
    assert loaded.p < NEXT_TO_NOTHING
