"""What an estimand says is what is done: by slow and obvious ways."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product
from statistics import fmean, variance
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from solver.statistics.arm_compare import Lots, holm
from solver.statistics.arm_figures import ArmDesign, ArmGame, ArmPerson, Measure
from solver.statistics.estimating import Estimand, EstimandAnswer, PairAnswer, answered
from solver.statistics.randomisation import ALPHA, GREATER, LESS, LotTest, drawn_lots, welch_test
from solver.statistics.student import t_p
from tests.known import known
from tests.selection import examples

THREE = ("off", "after", "live")
costs = st.floats(0.0, 60.0).map(lambda value: round(value, 2))
FEW = Lots(299)
TWO, DESIGN = ArmDesign(("off", "on")), ArmDesign(THREE)
COSTS = Estimand(measure="cost", covariate="none")


def t_of(values: Sequence[float], lot: Sequence[int], pair: tuple[int, int]) -> float:
    one, other = ([v for v, arm in zip(values, lot, strict=True) if arm == of] for of in pair)
    error = variance(one) / len(one) + variance(other) / len(other)
    return float((fmean(one) - fmean(other)) / max(error**0.5, 1e-9))


def slow_max_t(
    values: Sequence[float],
    arms: Sequence[int],
    pairs: Sequence[tuple[int, int]],
    at: int,
    effect: float,
    side: int,
) -> float:
    """Every lot of the arms, one by one: all at their means, but that pair as far apart as is left.

    Half of what is left stands on either side, so that no other pair is as far apart.
    """
    means = {arm: fmean(v for v, of in zip(values, arms, strict=True) if of == arm) for arm in arms}
    one, other = pairs[at]
    beyond = means[one] - means[other] - effect
    moved = {one: beyond / 2, other: -beyond / 2}
    freed = [v - means[arm] + moved.get(arm, 0.0) for v, arm in zip(values, arms, strict=True)]

    def size(lot: Sequence[int], pair: tuple[int, int]) -> float:
        t = t_of(freed, lot, pair)
        return side * t if side else abs(t)

    own = size(arms, pairs[at])
    lots = set(permutations(arms))
    largest = [max(size(lot, pair) for pair in pairs) for lot in lots]
    return sum(one >= own - 1e-9 * max(1.0, abs(own)) for one in largest) / len(lots)


def lot_test(values: Sequence[float], arms: Sequence[int], pairs: object) -> LotTest:
    labels = np.array(arms)
    return known(LotTest.of(np.array(values), labels, ["b"] * len(arms), pairs))  # type: ignore[arg-type]


@settings(max_examples=examples(12), deadline=None)
@given(
    values=st.lists(costs, min_size=7, max_size=7, unique=True),
    effect=st.floats(-20, 20),
    at=st.integers(0, 1),
    side=st.sampled_from([0, GREATER, LESS]),
)
@example(values=[3.0, 9.5, 4.0, 17.0, 8.0, 1.0, 6.5], effect=4.0, at=1, side=0)
def test_of_several_pairs_the_largest_t_of_every_lot_is_what_each_is_held_against(
    values: list[float], effect: float, at: int, side: int
) -> None:
    arms, pairs = [0, 1, 2, 0, 1, 2, 0], [(1, 0), (2, 0)]
    test = lot_test(values, arms, pairs)
    assert (len(test.lots), test.listed) == (210, True)
    assert test.p(at, effect, side) == pytest.approx(
        slow_max_t(values, arms, pairs, at, effect, side)
    )


def test_all_lots_of_three_arms_are_listed_once_within_their_blocks() -> None:
    lots, listed = drawn_lots(np.array([0, 1, 2, 0, 1]), ["a", "a", "a", "b", "b"], 4999, 0)
    assert listed
    assert len({tuple(lot) for lot in lots.tolist()}) == len(lots) == 12
    assert lots[0].tolist() == [0, 1, 2, 0, 1]
    assert {tuple(sorted(lot[:3])) for lot in lots.tolist()} == {(0, 1, 2)}


@settings(max_examples=examples(15), deadline=None)
@given(
    values=st.lists(costs, min_size=12, max_size=12, unique=True),
    helps=st.floats(-40, 40),
    side=st.sampled_from([0, GREATER, LESS]),
)
def test_a_range_leaves_nought_out_just_where_p_is_small_enough(
    values: list[float], helps: float, side: int
) -> None:
    arms = [0, 1, 2] * 4
    moved = [v + helps * (arm == 1) for v, arm in zip(values, arms, strict=True)]
    labels, blocks = np.array(arms), ["a"] * 6 + ["b"] * 6
    pairs = [(1, 0), (2, 0), (2, 1)]
    test = known(LotTest.of(np.array(moved), labels, blocks, pairs, None, 299, 1))
    for at in range(3):
        for alpha in (ALPHA, 0.1):
            low, high = test.ends(at, alpha, side)
            held = (low is None or low < 0) and (high is None or high > 0)
            assert held == (test.p(at, 0.0, side) > alpha)
            for end in (low, high):
                assert end is None or test.p(at, end, side) <= alpha


def test_welchs_t_is_that_of_a_regression_with_unequal_variances() -> None:
    rng = np.random.default_rng(5)
    before, labels = rng.normal(20, 8, 30), np.tile([1, 0], 15)
    values = before + rng.normal(0, 1, 30) - 3.0 * labels
    for covariate, columns in ((None, ()), (before[:, None], (before,))):
        test = known(welch_test(values, labels, (1, 0), covariate))
        design = np.column_stack((np.ones(30), labels, *columns))
        fit = np.linalg.lstsq(design, values, rcond=None)[0]
        assert test.estimate == pytest.approx(fit[1])
        left = values - design @ fit
        parts = [float((left[labels == arm] ** 2).sum()) / 14 for arm in (0, 1)]
        pooled = (left**2).sum() / (30 - design.shape[1])  # as many in each arm
        classic = (pooled * np.linalg.inv(design.T @ design)[1, 1]) ** 0.5
        assert test.error == pytest.approx(classic)
        assert test.degrees == pytest.approx(
            sum(parts) ** 2 / sum(p**2 / 14 for p in parts) - len(columns)
        )
        p = t_p(test.estimate / test.error, test.degrees)
        assert test.p(0) == pytest.approx(p)
        assert test.p(0, 0.0, LESS) == pytest.approx(p / 2)
        assert test.p(0, 0.0, GREATER) == pytest.approx(1 - p / 2)
        assert known(test.ends(0, p)[1]) == pytest.approx(0.0, abs=1e-9)
        low, high = test.ends(0, p / 2, LESS)
        assert low is None
        assert known(high) == pytest.approx(0.0, abs=1e-9)
    assert welch_test(values, labels, (1, 0), labels[:, None].astype(float)) is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5))
@example([0.03, 0.04])
def test_holm_rejects_at_the_level_that_the_range_has(ps: list[float]) -> None:
    found = holm(dict(enumerate(ps)))
    order = sorted(range(len(ps)), key=ps.__getitem__)
    rejected, still = set(), True
    for rank, at in enumerate(order):
        still = still and ps[at] * (len(ps) - rank) <= ALPHA
        rejected |= {at} if still else set()
    for at, (p, times) in found.items():
        assert (p <= ALPHA) == (at in rejected)
        assert (ps[at] <= ALPHA / times) == (at in rejected) or abs(ps[at] * times - ALPHA) < 1e-12


def people_of(count: int, arms: Sequence[str] = THREE, block: int = 6) -> dict[str, ArmPerson]:
    names = [f"P{at:02}" for at in range(count)]
    return {
        who: ArmPerson(who, arms[at % len(arms)], str(at // block)) for at, who in enumerate(names)
    }


def played(
    people: dict[str, ArmPerson], helps: dict[str, float], phases: Sequence[str] = ("training",)
) -> list[ArmGame]:
    rng = np.random.default_rng(8)
    found = []
    for one in people.values():
        level = rng.normal(20, 3)
        for number, phase in enumerate(phases, start=1):
            helped = helps.get(one.arm, 0.0) if phase != "before" else 0.0
            cost = level - helped + rng.normal(0, 0.5)
            found.append(ArmGame(one.person, one.arm, phase, number, True, 220, cost, 10, "d"))
    return found


def ask(
    estimand: Estimand, people: int = 24, design: ArmDesign = DESIGN, **helps: float
) -> EstimandAnswer:
    them = people_of(people, design.arms)
    return answered(estimand, played(them, helps), them, design, FEW)


@pytest.mark.parametrize(
    ("test", "multiplicity", "direction"),
    [
        one
        for one in product(
            ("lot", "welch"), ("max_t", "holm", "none"), ("two_sided", "greater", "less")
        )
        if one[:2] != ("welch", "max_t")
    ],
)
def test_estimate_range_and_p_are_of_one_procedure(
    test: str, multiplicity: str, direction: str
) -> None:
    asked = replace(COSTS, pairs="all", test=test, multiplicity=multiplicity, direction=direction)
    alone = replace(asked, multiplicity="none")
    for helps in (0.0, 2.0, 4.5):
        arms: dict[str, Any] = {"after": helps, "live": -helps / 3}
        for pair, single in zip(ask(asked, **arms).pairs, ask(alone, **arms).pairs, strict=True):
            assert pair.different == (known(pair.p) <= ALPHA) == (0.0 not in pair)
            assert known(pair.estimate) in pair
            assert known(pair.estimate) == pytest.approx(pair.means[0] - pair.means[1])
            assert (pair.low is None, pair.high is None) == (
                direction == "less", direction == "greater"
            )  # fmt: skip
            assert known(pair.p) >= known(single.p) - 0.03  # several pay for being several


@pytest.mark.parametrize(
    ("changed", "pairs"),
    [
        ({}, [("after", "off"), ("live", "off")]),
        ({"pairs": "all"}, [("after", "off"), ("live", "off"), ("live", "after")]),
        ({"pairs": "chosen", "chosen": ("live", "after")}, [("live", "after")]),
    ],
)
def test_the_pairs_are_those_that_were_asked_about(
    changed: dict[str, Any], pairs: list[tuple[str, str]]
) -> None:
    found = ask(replace(COSTS, **changed), 18, after=12.0).pairs
    assert [(one.arm, one.beside) for one in found] == pairs
    assert all(one.people == (6, 6) for one in found)


@pytest.mark.parametrize("multiplicity", ["none", "holm"])
def test_alike_is_said_only_where_all_that_matters_is_ruled_out(multiplicity: str) -> None:
    asked = replace(COSTS, smallest=0.01, multiplicity=multiplicity)
    pair = ask(asked, 60).pairs[0]
    low, high = known(pair.alike_low), known(pair.alike_high)
    assert not pair.alike
    assert known(pair.low) < low < high < known(pair.high)
    for smallest in (1.001, 0.999):
        asked = replace(asked, smallest=max(-low, high) * smallest)
        assert ask(asked, 60).pairs[0].alike is (smallest > 1)


@pytest.mark.parametrize("measure", ["cost", "score"])
def test_whoever_has_no_value_counts_as_the_estimand_says(measure: Measure) -> None:
    people = people_of(12, TWO.arms, 4)
    games = [game for game in played(people, {"on": 5.0}) if game.person not in ("P01", "P02")]
    games = [replace(game, score=200 + at) for at, game in enumerate(games)]
    values = {g.person: float(known(g.regret if measure == "cost" else g.score)) for g in games}
    on = sum(value for who, value in values.items() if people[who].arm == "on")
    worst = (max if measure == "cost" else min)(values.values())
    for missing, mean in (
        ("complete", on / 5),
        ("worst", (on + worst) / 6),
        ("mean", (on + fmean(values.values())) / 6),
    ):
        found = answered(replace(COSTS, missing=missing, measure=measure), games, people, TWO, FEW)
        assert (found.people, found.filled) == ((10, 0) if missing == "complete" else (12, 2))
        assert found.pairs[0].means[0] == pytest.approx(mean)


def test_a_phase_is_that_which_was_named_and_change_is_from_before() -> None:
    people = people_of(12, ("off", "on"), 4)
    design = ArmDesign(TWO.arms, "after")
    games = played(people, {"on": 5.0}, ("before", "training", "after", "follow_up"))
    for at, phase in enumerate(("training", "after", "follow_up"), start=2):
        (pair,) = answered(replace(COSTS, phase=phase), games, people, design, FEW).pairs
        on = [known(g.regret) for g in games if (g.number, g.arm) == (at, "on")]
        assert pair.means[0] == pytest.approx(fmean(on))
    (change,) = answered(replace(COSTS, phase="change"), games, people, design, FEW).pairs
    later = [known(g.regret) for g in games if (g.number, g.arm) == (3, "on")]
    first = [known(g.regret) for g in games if (g.number, g.arm) == (1, "on")]
    assert change.means[0] == pytest.approx(fmean(later) - fmean(first))
    adjusted = answered(
        replace(COSTS, phase="after", covariate="before"), games, people, design, FEW
    )
    plain = answered(replace(COSTS, phase="after"), games, people, design, FEW)
    assert (adjusted.adjusted, plain.adjusted) == (True, False)
    assert width(adjusted.pairs[0]) < width(plain.pairs[0]) / 2


def width(one: PairAnswer) -> float:
    return known(one.high) - known(one.low)


def test_what_cannot_be_told_is_not_told() -> None:
    people = people_of(7)  # the last arm has two people, and one of them has played
    games = [game for game in played(people, {}) if game.person != "P05"]
    after, live = answered(COSTS, games, people, DESIGN, FEW).pairs
    assert (after.told, live.told, live.people) == (True, False, (1, 3))
    assert not any(one.told for one in answered(COSTS, [], people, DESIGN, FEW).pairs)


def crossed_games(people: dict[str, ArmPerson], worth: Sequence[float]) -> list[ArmGame]:
    rng = np.random.default_rng(2)
    found = []
    for at, one in enumerate(people.values()):
        orders = list(permutations(range(len(worth))))
        for number, arm in enumerate(orders[at % len(orders)]):
            cost = 20 + at % 5 + worth[arm] - 2 * number + rng.normal(0, 0.5)
            found.append(
                ArmGame(one.person, THREE[arm], "training", number + 1, True, 200, cost, 10, "d")
            )
    return found


def test_people_who_play_every_arm_are_compared_with_themselves() -> None:
    people = {who: replace(one, block="b") for who, one in people_of(18).items()}
    two = ArmDesign(THREE[:2], within=True)
    (pair,) = answered(
        Estimand.usual(two), crossed_games(people, (0.0, -4.0)), people, two, FEW
    ).pairs
    assert pair.different
    assert known(pair.estimate) * 10 == pytest.approx(-4.0, abs=0.5)
    three = ArmDesign(THREE, within=True)
    games = crossed_games(people, (0.0, -4.0, 0.1))
    first, second = answered(Estimand.usual(three), games, people, three, FEW).pairs
    assert (first.different, second.different) == (True, False)
    assert first.people == (18, 18)


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"pairs": "chosen"}, ("chosen", "two_arms")),
        ({"pairs": "chosen", "chosen": ("off", "off")}, ("chosen", "two_arms")),
        ({"pairs": "chosen", "chosen": ("off", "gone")}, ("chosen", "two_arms")),
        ({"test": "welch"}, ("multiplicity", "needs_lot")),
        ({"smallest": 0.0}, ("smallest", "above_nought")),
        ({"phase": "follow_up"}, ("phase", "not_played")),
        ({"phase": "change", "covariate": "none"}, None),
        ({"missing": "worst"}, None),
        ({}, None),
    ],
)
def test_what_cannot_be_carried_out_is_named(
    changed: dict[str, object], fault: tuple[str, str] | None
) -> None:
    asked = replace(Estimand(), **changed)  # type: ignore[arg-type]
    found = list(asked.faults(arms=THREE, phases=("before", "training", "after"), within=False))
    assert found == ([fault] if fault else [])


def test_without_games_before_or_within_people_less_can_be_asked() -> None:
    change = Estimand(phase="change").faults(arms=THREE, phases=("training",), within=False)
    assert [*change] == [("phase", "not_played"), ("covariate", "not_played")]
    after = Estimand(phase="after", missing="worst").faults(arms=THREE, phases=(), within=True)
    assert {name for name, _why in after} == {"phase", "covariate", "missing", "test"}
    for arms in (THREE[:2], THREE):
        usual = Estimand.usual(ArmDesign(arms, within=True))
        assert not list(usual.faults(arms=arms, phases=(), within=True))


def test_what_was_locked_is_read_back_as_it_was() -> None:
    asked = Estimand(pairs="chosen", chosen=("live", "off"), smallest=0.05)
    assert Estimand.from_facts(asked.facts()) == asked
