"""What compares arms, against slow and obvious ways: every lot, textbook tests, least squares."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from statistics import fmean, variance

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from solver.statistics.arm_compare import ArmComparison, Lots, levels_of
from solver.statistics.arm_figures import ArmDesign, ArmGame, ArmPerson
from solver.statistics.chi_squared import Floats
from solver.statistics.crossover import compared_within
from solver.statistics.dropouts import _fisher, _sampled
from solver.statistics.hierarchy import fitted
from solver.statistics.randomisation import drawn_lots, randomised
from tests.known import known
from tests.selection import examples

costs = st.floats(0.0, 60.0).map(lambda value: round(value, 2))


def welch(values: Floats, treated: Sequence[bool]) -> float:
    ones = [float(v) for v, t in zip(values, treated, strict=True) if t]
    others = [float(v) for v, t in zip(values, treated, strict=True) if not t]
    error: float = variance(ones) / len(ones) + variance(others) / len(others)
    size: float = abs(fmean(ones) - fmean(others)) / max(error, 1e-18) ** 0.5
    return size


def slow_p(values: Floats, treated: list[bool]) -> float:
    """Every lot of as many people, one by one."""
    seen, lots, larger = welch(values, treated), 0, 0
    for lot in combinations(range(len(treated)), sum(treated)):
        size = welch(values, [at in lot for at in range(len(treated))])
        lots += 1
        larger += size >= seen * (1 - 1e-9)
    return larger / lots


def test_people_change_places_within_their_blocks_alone() -> None:
    treated = np.array([True, False, True, False, True, False])
    lots, listed = drawn_lots(treated, ["a", "a", "b", "b", "c", "c"], 4999, seed=0)
    assert listed
    assert sorted(map(tuple, lots.tolist())) == sorted(
        (a, not a, b, not b, c, not c)
        for a in (True, False)
        for b in (True, False)
        for c in (True, False)
    )
    drawn, listed = drawn_lots(np.array([True, False] * 20), ["a"] * 20 + ["b"] * 20, 200, seed=3)
    assert not listed
    assert drawn[:, :20].sum(1).tolist() == [10] * 201
    assert drawn[:, 20:].sum(1).tolist() == [10] * 201
    assert drawn[0].tolist() == [True, False] * 20
    assert len({tuple(lot) for lot in drawn.tolist()}) > 190


def test_too_few_lots_give_a_p_and_no_range() -> None:
    found = known(randomised(np.array([1.0, 9, 2, 8]), np.array([True, False] * 2), ["b"] * 4))
    assert (found.lots, found.low, found.high) == (6, None, None)
    assert found.p == pytest.approx(2 / 6)


def test_values_all_alike_and_arms_of_one_say_nothing() -> None:
    treated = np.array([True, False, True, False])
    assert randomised(np.full(4, 3.0), treated, ["b"] * 4) is None
    assert randomised(np.array([1.0, 2, 3]), treated[:3] ^ True, ["b"] * 3) is None


def test_what_was_known_before_makes_the_range_narrower_and_leaves_its_place() -> None:
    rng = np.random.default_rng(5)
    before = rng.normal(20, 8, 30)
    treated = np.tile([True, False], 15)
    values = before + rng.normal(0, 1, 30) - 3.0 * treated
    plain = known(randomised(values, treated, ["b"] * 30))
    adjusted = known(randomised(values, treated, ["b"] * 30, before[:, None]))
    assert -3.0 in adjusted
    assert -3.0 in plain
    assert known(adjusted.high) - known(adjusted.low) < (known(plain.high) - known(plain.low)) / 4
    design = np.column_stack((np.ones(30), treated, before))
    least_squares = np.linalg.lstsq(design, values, rcond=None)[0]
    assert adjusted.difference == pytest.approx(least_squares[1])


# The model of people and games


def test_with_as_many_games_each_the_model_is_students_t() -> None:
    one, other = [12.0, 20.0, 17.0, 30.0], [22.0, 31.0, 18.0]
    means = np.array(one + other)
    design = np.column_stack((np.ones(7), [1.0] * 4 + [0.0] * 3))
    found = known(known(fitted(means, np.full(7, 5.0), 40.0, design, 1)).found)
    pooled = (variance(one) * 3 + variance(other) * 2) / 5
    assert found.mean == pytest.approx(fmean(one) - fmean(other))
    assert found.error == pytest.approx((pooled * (1 / 4 + 1 / 3)) ** 0.5)
    assert found.degrees == 5


def slow_likelihood(between: float, means: Floats, errors: Floats) -> float:
    """Of a common mean, integrated over that mean: the restricted likelihood itself."""
    grid = np.linspace(means.min() - 40, means.max() + 40, 8001)
    variances = between + errors
    densities = np.exp(-((means[:, None] - grid) ** 2) / 2 / variances[:, None])
    densities /= np.sqrt(variances)[:, None]
    return float(densities.prod(0).sum())


def test_people_differ_as_the_restricted_likelihood_says() -> None:
    means = np.array([12.0, 20.0, 17.5, 30.0, 22.0, 11.0])
    games = np.array([2.0, 9.0, 4.0, 3.0, 12.0, 1.0])
    fit = known(fitted(means, games, 60.0, np.ones((6, 1)), 0))
    errors = 60.0 / games
    most = max(np.linspace(0.0, 120.0, 1201), key=lambda t: slow_likelihood(t, means, errors))
    assert fit.between == pytest.approx(most, abs=0.06)
    weights = 1 / (fit.between + errors)
    assert fit.estimate == pytest.approx(float((weights * means).sum() / weights.sum()))
    scale = float((weights * (means - fit.estimate) ** 2).sum()) / 5
    assert known(fit.found).error == pytest.approx((scale / weights.sum()) ** 0.5)


def test_people_who_do_not_differ_count_by_their_games() -> None:
    means, games = np.array([10.0, 10.1, 9.9, 10.0]), np.array([1.0, 4.0, 4.0, 100.0])
    fit = known(fitted(means, games, 100.0, np.ones((4, 1)), 0))
    assert fit.between == pytest.approx(0.0, abs=1e-3)
    assert fit.weights == pytest.approx(games / games.sum(), abs=1e-3)


def test_the_model_says_nothing_of_too_few_people() -> None:
    design = np.column_stack((np.ones(2), [1.0, 0.0]))
    assert fitted(np.array([1.0, 2.0]), np.ones(2), 0.0, design, 1) is None
    assert fitted(np.array([1.0, 2, 3]), np.ones(3), 0.0, np.ones((3, 2)), 1) is None


# Levels


def game(who: str, number: int, cost: float, arm: str = "off", deal: str = "") -> ArmGame:
    named = deal or str(number)
    return ArmGame(who, arm, "training", number, True, 200, cost, 10, named)


def test_a_level_is_the_mean_of_own_games_and_noise_what_is_left() -> None:
    games = [
        game("a", 1, 10),
        game("a", 2, 14),
        game("b", 1, 30),
        game("b", 2, 31),
        game("c", 1, 5),
    ]
    found = levels_of(games, "cost", shared_dice=False)
    assert found.by_person() == {"a": 12.0, "b": 30.5, "c": 5.0}
    assert found.games.tolist() == [2, 2, 1]
    assert found.noise == pytest.approx((8 + 0.5) / 2)
    a_decision = levels_of(games, "cost_a_decision", shared_dice=False)
    assert a_decision.by_person() == {"a": 1.2, "b": 3.05, "c": 0.5}


@given(
    table=st.lists(
        st.lists(st.one_of(st.none(), costs), min_size=4, max_size=4), min_size=2, max_size=5
    )
)
def test_on_shared_dice_levels_are_those_of_least_squares(
    table: list[list[float | None]],
) -> None:
    for own in table:
        own[0] = 20.0 if own[0] is None else own[0]  # so that all are tied together
    cells = [
        (who, deal, value)
        for who, own in enumerate(table)
        for deal, value in enumerate(own)
        if value is not None
    ]
    found = levels_of(
        [game(f"p{who}", deal, value, deal=f"d{deal}") for who, deal, value in cells],
        "cost",
        shared_dice=True,
    )
    design = np.zeros((len(cells), len(table) + 4))
    for row, (who, deal, _value) in enumerate(cells):
        design[row, who] = design[row, len(table) + deal] = 1.0
    values = np.array([value for _who, _deal, value in cells])
    solved = np.linalg.lstsq(design, values, rcond=None)[0]
    expected = solved[: len(table)] - solved[0]
    assert found.values - found.values[0] == pytest.approx(expected, abs=1e-4)
    left = sorted(found.left[found.seen > 0].tolist())
    assert left == pytest.approx(sorted((values - design @ solved).tolist()), abs=1e-4)


# Within people


def crossed(
    values: dict[str, tuple[float, float]], first_on: str
) -> tuple[list[ArmGame], dict[str, ArmPerson]]:
    games = []
    for who, (first, second) in values.items():
        arms = ("on", "off") if who in first_on else ("off", "on")
        games += [game(who, 1, first, arms[0]), game(who, 2, second, arms[1])]
    return games, {who: ArmPerson(who, "", "b") for who in values}


def two_arms(people: dict[str, ArmPerson]) -> ArmComparison:
    return ArmComparison(people, ArmDesign(("off", "on")), Lots())


def test_what_everybody_gains_with_time_is_no_effect_of_an_arm() -> None:
    """Everybody loses 5 less in the second period, and the arm does nothing."""
    values = {who: (20.0 + at, 15.0 + at) for at, who in enumerate("abcdef")}
    games, people = crossed(values, "abc")
    (found,) = compared_within(games, two_arms(people), "cost")
    assert found.difference == pytest.approx(0.0, abs=1e-9)


@settings(max_examples=examples(30))
@given(values=st.lists(st.tuples(costs, costs), min_size=6, max_size=6, unique=True))
def test_two_orders_of_equal_size_are_half_the_difference_of_their_gains(
    values: list[tuple[float, float]],
) -> None:
    of = dict(zip("abcdef", values, strict=True))
    gains = {who: first - second for who, (first, second) in of.items()}
    assume(len({round(gain, 6) for gain in gains.values()}) > 4)
    games, people = crossed(of, "abc")
    (found,) = compared_within(games, two_arms(people), "cost")
    half = (fmean(gains[who] for who in "abc") - fmean(gains[who] for who in "def")) / 2
    assert found.difference == pytest.approx(half, abs=1e-9)
    spread = (variance([gains[w] for w in "abc"]) + variance([gains[w] for w in "def"])) / 2
    model = known(found.model)
    assert model.error == pytest.approx((spread / 6) ** 0.5)
    assert model.degrees == 4
    lot = known(found.lot)
    treated = [who in "abc" for who in of]
    assert lot.p == pytest.approx(slow_p(np.array([gains[who] for who in of]), treated))
    assert lot.difference == pytest.approx(half, abs=1e-9)


def test_one_order_alone_cannot_be_told_from_time() -> None:
    games, people = crossed({"a": (20, 10), "b": (22, 15), "c": (18, 12)}, "abc")
    assert compared_within(games, two_arms(people), "cost") == ()


def test_three_conditions_are_compared_within_people_too() -> None:
    worth, time = {"off": 20.0, "on": 14.0, "live": 11.0}, (0.0, -3.0, -4.0)
    orders = [("off", "on", "live"), ("on", "live", "off"), ("live", "off", "on")] * 2
    games = [
        game(f"p{who}", at, worth[arm] + time[at] + 3 * who, arm)
        for who, order in enumerate(orders)
        for at, arm in enumerate(order)
    ]
    people = {f"p{who}": ArmPerson(f"p{who}", "", "b") for who in range(6)}
    found = compared_within(games, ArmComparison(people, ArmDesign(tuple(worth)), Lots()), "cost")
    assert [one.difference for one in found] == pytest.approx([-6.0, -9.0])
    assert [one.lot for one in found] == [None, None]
    noisy = [replace(one, regret=known(one.regret) + at**2 % 5) for at, one in enumerate(games)]
    by = ArmComparison(people, ArmDesign(tuple(worth)), Lots())
    for one in compared_within(noisy, by, "cost"):
        shown, model = known(one.shown), known(one.model)
        assert (shown.low, shown.high, shown.p) == (model.low, model.high, known(one.test).p)


# Dropouts


def test_fishers_test_of_a_textbook() -> None:
    """The lady tasting tea: three of four cups right, two-sided 0.486."""
    assert _fisher([(4, 3), (4, 1)], 8, 4) == pytest.approx(34 / 70)
    assert _fisher([(20, 8), (20, 0)], 40, 8) == pytest.approx(0.003276, abs=1e-5)


def test_sampled_lots_come_close_to_fishers() -> None:
    for lost in ((5, 1), (4, 3)):
        arms = [(20, lost[0]), (20, lost[1])]
        exact = _fisher(arms, 40, sum(lost))
        assert _sampled(arms, 40, sum(lost)) == pytest.approx(exact, abs=0.015)
