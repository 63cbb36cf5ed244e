"""What a plan promises, against made-up trials and against power that is known from tables."""

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.statistics import inference
from solver.statistics.components import Group, dice_share, spread_of
from solver.statistics.inference import Games, Interval
from solver.statistics.planning import (
    COMPARISONS,
    Design,
    Plan,
    Spread,
    as_much_play,
    effect_found,
    people_needed,
    power_of,
    sureness,
)
from tests.known import known
from tests.selection import examples

SPREAD = Spread(between=18.0, change=6.0, within=12.0, dice=0.5)
OWN, SHARED = Plan(12, 6), Plan(12, 6, shared_dice=True)
EITHER = pytest.mark.parametrize("plan", [OWN, SHARED], ids=["own dice", "shared dice"])
TRIALS = 400
plans = st.builds(Plan, st.integers(4, 200), st.integers(3, 100), st.booleans())
spreads = st.builds(
    Spread, st.floats(0.1, 50), st.floats(0.1, 20), st.floats(0.1, 50), st.floats(0, 1)
)


def made_up(plan: Plan, spread: Spread, rng: np.random.Generator) -> list[list[float]]:
    """A trial, drawn number by number: a row of games a person, who may change half way."""
    dice = sqrt(spread.by_dice) * rng.standard_normal(plan.games)
    trial = []
    for _person in range(plan.people):
        level, change = (
            spread.between * rng.standard_normal(),
            spread.change * rng.standard_normal(),
        )
        games = []
        for number in range(plan.games):
            shared = dice[number]
            if not plan.shared_dice:
                shared = sqrt(spread.by_dice) * rng.standard_normal()
            own = sqrt(spread.by_game) * rng.standard_normal()
            # Spread over both halves, so that the change does not widen the people's means.
            turned = change / 2 if number >= plan.before else -change / 2
            games.append(float(level + turned + shared + own))
        trial.append(games)
    return trial


def numbered(trial: Sequence[Sequence[float]]) -> list[Games]:
    return [dict(enumerate(games, start=1)) for games in trial]


def these(trial: list[list[float]], plan: Plan) -> Interval | None:
    return inference.same_dice(numbered(trial)) if plan.shared_dice else inference.stratified(trial)


def like_these(trial: list[list[float]], plan: Plan) -> Interval | None:
    if plan.shared_dice:
        return inference.across_people_and_dice(numbered(trial))
    return inference.across_people(trial)


@EITHER
@pytest.mark.parametrize(
    ("design", "tell"), [(Design.THESE, these), (Design.LIKE_THESE, like_these)]
)
def test_a_range_is_as_wide_as_that_of_the_results_will_be(
    design: Design, tell: Callable[[list[list[float]], Plan], Interval | None], plan: Plan
) -> None:
    """The error in the middle of many made-up trials, judged as the page of results does."""
    rng = np.random.default_rng(7)
    still = Spread(SPREAD.between, 0.0, SPREAD.within, SPREAD.dice)
    errors = [known(tell(made_up(plan, still, rng), plan)).error ** 2 for _ in range(TRIALS)]
    promised = known(sureness(plan, still, design))
    assert sqrt(np.mean(errors)) == pytest.approx(promised.error, rel=0.06)


def difference(design: Design, trial: Sequence[Sequence[float]], plan: Plan) -> float:
    """What each comparison compares, in one number."""
    rows = np.array(trial)
    first, half = plan.people // 2, plan.before
    changes = rows[:, half:].mean(1) - rows[:, :half].mean(1)
    if design is Design.TWO_ARMS:
        return float(rows[:first].mean() - rows[first:].mean())
    if design is Design.BEFORE_AFTER:
        return float(changes.mean())
    return float(changes[:first].mean() - changes[first:].mean())


def spread_out(design: Design, plan: Plan) -> float:
    """How far the comparison lies from one made-up trial to the next."""
    rng = np.random.default_rng(11)
    found = [difference(design, made_up(plan, SPREAD, rng), plan) for _ in range(2 * TRIALS)]
    return float(np.std(found))


@EITHER
@pytest.mark.parametrize("design", [Design.TWO_ARMS, Design.GAINS])
def test_a_comparison_of_arms_is_as_far_off_as_is_promised(design: Design, plan: Plan) -> None:
    promised = known(sureness(plan, SPREAD, design))
    assert spread_out(design, plan) == pytest.approx(promised.error, rel=0.08)


def test_before_and_after_is_as_far_off_as_is_promised() -> None:
    promised = known(sureness(OWN, SPREAD, Design.BEFORE_AFTER))
    assert spread_out(Design.BEFORE_AFTER, OWN) == pytest.approx(promised.error, rel=0.08)


def test_before_and_after_on_shared_dice_promises_less_than_it_keeps() -> None:
    """What is neither of the person nor of the dice is in both errors, as in the results."""
    promised = known(sureness(SHARED, SPREAD, Design.BEFORE_AFTER)).error
    own = SPREAD.by_game * SHARED.phases / SHARED.people
    assert spread_out(Design.BEFORE_AFTER, SHARED) == pytest.approx(
        sqrt(promised**2 - own), rel=0.08
    )


# Power, in the tables of Cohen's Statistical Power Analysis and of every program since


@pytest.mark.parametrize(
    ("size", "each", "power"),
    [(0.2, 394, 0.80), (0.5, 64, 0.80), (0.8, 26, 0.81), (0.5, 20, 0.34), (1.0, 10, 0.56)],
)
def test_power_is_that_of_the_tables_for_two_groups(size: float, each: int, power: float) -> None:
    found = power_of(size * sqrt(each / 2), 2 * each - 2)
    assert found == pytest.approx(power, abs=0.006)


@pytest.mark.parametrize("degrees", [1.0, 2.5, 5.0, 58.0])
def test_where_there_is_no_difference_one_is_found_one_time_in_twenty(degrees: float) -> None:
    assert power_of(0.0, degrees) == pytest.approx(0.05, abs=1e-5)


@settings(max_examples=examples(20))
@given(degrees=st.floats(1, 500))
def test_the_smallest_difference_is_found_four_times_in_five(degrees: float) -> None:
    assert power_of(effect_found(degrees), degrees) == pytest.approx(0.8, abs=1e-6)


# What must hold for any plan


@given(plan=plans, spread=spreads)
def test_more_people_never_tell_less(plan: Plan, spread: Spread) -> None:
    more = Plan(2 * plan.people, plan.games, plan.shared_dice)
    for design in Design:
        assert known(sureness(more, spread, design)).error <= (
            known(sureness(plan, spread, design)).error * (1 + 1e-12)
        )


@given(plan=plans, spread=spreads)
def test_people_like_these_are_never_known_better_than_these(plan: Plan, spread: Spread) -> None:
    like = known(sureness(plan, spread, Design.LIKE_THESE))
    assert like.error >= known(sureness(plan, spread, Design.THESE)).error * (1 - 1e-12)


@given(plan=plans, spread=spreads)
def test_shared_dice_never_make_arms_less_sure(plan: Plan, spread: Spread) -> None:
    own, shared = Plan(plan.people, plan.games), Plan(plan.people, plan.games, shared_dice=True)
    for design in (Design.TWO_ARMS, Design.GAINS):
        assert known(sureness(shared, spread, design)).half <= (
            known(sureness(own, spread, design)).half * (1 + 1e-12)
        )


@pytest.mark.parametrize(
    ("plan", "silent"),
    [
        (Plan(1, 5), {Design.LIKE_THESE, Design.TWO_ARMS, Design.BEFORE_AFTER, Design.GAINS}),
        (Plan(8, 1), {Design.THESE, Design.BEFORE_AFTER, Design.GAINS}),
        (Plan(2, 8), {Design.TWO_ARMS, Design.GAINS}),
        (Plan(8, 1, shared_dice=True), set(Design) - {Design.TWO_ARMS}),
    ],
)
def test_nothing_is_promised_where_nothing_can_be_told(plan: Plan, silent: set[Design]) -> None:
    assert {one for one in Design if sureness(plan, SPREAD, one) is None} == silent


@pytest.mark.parametrize("design", COMPARISONS)
def test_as_many_people_as_are_needed_find_it_and_one_fewer_does_not(design: Design) -> None:
    needed = known(people_needed(OWN, SPREAD, design, 8.0))
    powers = [
        known(sureness(Plan(people, OWN.games), SPREAD, design)).power(8.0)
        for people in (needed - 1, needed)
    ]
    assert powers[0] < 0.8 <= powers[1]


def test_no_number_of_people_outweighs_the_luck_of_few_shared_dice() -> None:
    assert people_needed(SHARED, SPREAD, Design.BEFORE_AFTER, 2.0) is None


def test_as_much_play_is_divided_from_many_people_to_few() -> None:
    beside = as_much_play(Plan(60, 5), (1, 2, 5, 50, 250))
    assert [(one.people, one.games) for one in beside] == [(300, 1), (150, 2), (60, 5), (6, 50)]


# How far people and games differ, from games that were played


@pytest.mark.parametrize("shared", [False, True], ids=["own dice", "shared dice"])
def test_spreads_that_made_games_up_are_found_in_them(shared: bool) -> None:
    rng = np.random.default_rng(5)
    plan = Plan(150, 12, shared)
    groups = [Group(numbered(made_up(plan, SPREAD, rng)), shared) for _ in range(2)]
    found = known(spread_of(groups, SPREAD.dice))
    assert found.between == pytest.approx(SPREAD.between, rel=0.1)
    assert found.change == pytest.approx(SPREAD.change, rel=0.15)
    assert found.within == pytest.approx(sqrt(SPREAD.within**2 + SPREAD.change**2 / 4), rel=0.1)


def test_the_share_of_the_dice_is_found_in_games_that_were_made_with_it() -> None:
    rng = np.random.default_rng(5)
    still = Spread(SPREAD.between, 0.0, SPREAD.within, 0.3)
    many = [Group(numbered(made_up(Plan(15, 400, True), still, rng)), shared_dice=True)]
    assert dice_share(many) == pytest.approx(0.3, abs=0.05)


def test_people_who_all_play_the_same_dice_do_not_differ_by_them() -> None:
    """Taken for luck of each one's own, the dice would hide how far people differ."""
    luck = {1: -20.0, 2: 20.0, 3: -20.0, 4: 20.0}
    people = [{number: level + one for number, one in luck.items()} for level in (0.0, 4.0)]
    group = Group(people, shared_dice=True)
    assert known(spread_of([group], known(dice_share([group])))).between == pytest.approx(sqrt(8))


def test_with_as_many_games_each_people_differ_by_what_the_analysis_of_variance_says() -> None:
    """The textbook's formula for balanced groups, beside the one that takes unequal ones."""
    rng = np.random.default_rng(1)
    rows = np.array(made_up(Plan(9, 4), SPREAD, rng))
    within = float(rows.var(axis=1, ddof=1).mean())
    between = float(rows.mean(1).var(ddof=1)) - within / 4
    found = known(spread_of([Group(numbered(rows.tolist()))], 0.0))
    assert (found.within**2, found.between**2) == pytest.approx((within, between))


def test_an_easy_trial_and_a_hard_one_are_no_people_who_differ() -> None:
    easy, hard = (
        Group([{1: level, 2: level + 4}, {1: level + 4, 2: level}]) for level in (10.0, 90.0)
    )
    found = known(spread_of([easy, hard], 0.0))
    assert found.between == 0.0
    assert found.within == pytest.approx(sqrt(8))


def test_dice_that_explain_everything_have_all_of_the_spread_and_opposites_none() -> None:
    alike = Group([{1: 5.0, 2: 9.0}, {1: 15.0, 2: 19.0}], shared_dice=True)
    opposite = Group([{1: 5.0, 2: 9.0}, {1: 19.0, 2: 15.0}], shared_dice=True)
    assert (dice_share([alike]), dice_share([opposite])) == (1.0, 0.0)


def test_people_and_games_that_cannot_be_told_apart_give_no_spread() -> None:
    assert spread_of([], 0.0) is None
    assert spread_of([Group([{1: 5.0, 2: 6.0}])], 0.0) is None
    assert spread_of([Group([{1: 5.0}, {1: 6.0}])], 0.0) is None
    assert dice_share([Group([{1: 5.0}, {1: 6.0}], shared_dice=True)]) is None
    assert dice_share([Group([{1: 5.0, 2: 9.0}, {1: 15.0, 2: 19.0}])]) is None


@pytest.mark.parametrize("design", Design)
def test_where_nobody_differs_in_anything_nothing_is_unsure(design: Design) -> None:
    assert sureness(OWN, SPREAD, design)
    assert sureness(OWN, Spread(0.0, 0.0, 0.0, 0.0), design) is None
