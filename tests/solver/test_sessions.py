"""Errors that allow for sittings, and curves that lead on: checked on made-up people."""

import numpy as np
import pytest

from solver.statistics import inference
from solver.statistics.sessions import mean_by_sessions, several, slope_by_sessions
from solver.statistics.trial import Conditions, TrialGame, analyse
from tests.known import known

Rows = list[dict[int, float]]
Sat = list[dict[int, int]]


def made_up(
    rng: np.random.Generator, people: int, sittings: int, each: int, moves: float
) -> tuple[Rows, Sat, float]:
    """What decisions cost people whose level moves by such a part from sitting to sitting."""
    groups: Rows = []
    sat: Sat = []
    levels = 15 + 3 * rng.standard_normal(people)
    for level in levels:
        moved = level * (1 + moves * rng.standard_normal(sittings))
        costs = np.repeat(moved, each) + 5 * rng.standard_normal(sittings * each)
        groups.append({number: float(cost) for number, cost in enumerate(costs, 1)})
        sat.append({number: (number - 1) // each for number in groups[-1]})
    return groups, sat, float(levels.mean())


def values(group: dict[int, float]) -> list[float]:
    return list(group.values())


def test_games_that_are_each_a_sitting_are_games() -> None:
    """All people have as many games: then the plain error and this one are nearly the same."""
    groups, _, _ = made_up(np.random.default_rng(1), 3, 8, 1, 0.0)
    alone = [{number: number for number in group} for group in groups]
    found = known(mean_by_sessions(groups, alone))
    plain = known(inference.stratified([list(group.values()) for group in groups]))
    assert (found.mean, found.error) == pytest.approx((plain.mean, plain.error))
    slope, its = known(slope_by_sessions(groups, alone)), known(inference.slope(groups))
    assert slope.mean == pytest.approx(its.mean)
    assert slope.degrees == its.degrees


def test_the_squares_of_one_sitting_are_those_of_a_hand_made_sample() -> None:
    """Two sittings of two games: means 2 and 8 around 5, so 3 and 3 with one degree of freedom."""
    found = known(mean_by_sessions([{1: 1.0, 2: 3.0, 3: 7.0, 4: 9.0}], [{1: 1, 2: 1, 3: 2, 4: 2}]))
    assert (found.mean, found.degrees) == pytest.approx((5.0, 1.0))
    assert found.error == pytest.approx(3.0)


def test_one_sitting_of_each_tells_nothing_of_sittings() -> None:
    groups, _, _ = made_up(np.random.default_rng(1), 3, 2, 4, 0.0)
    assert not several(groups, [dict.fromkeys(group, 1) for group in groups])
    assert not several(groups, [{} for _ in groups])
    assert several(groups, [{number: number // 4 for number in group} for group in groups])
    assert mean_by_sessions([{1: 2.0, 2: 3.0}], [{1: 1, 2: 1}]) is None


def test_sittings_widen_the_ranges_of_a_trial_and_are_counted() -> None:
    groups, sat, _ = made_up(np.random.default_rng(2), 4, 5, 6, 0.4)

    def played(*, told: bool, number: int) -> list[TrialGame]:
        return [
            TrialGame(
                f"P{who}", n, 200, 0, lost, 200 - 248.4 + lost, 0, sat[who][n] if told else None
            )
            for who, group in enumerate(groups)
            for n, lost in group.items()
        ][:number]

    conditions = Conditions(248.4, 38.5)
    plain = analyse(played(told=False, number=1000), conditions)
    known_sat = analyse(played(told=True, number=1000), conditions)
    assert (plain.sessions, known_sat.sessions) == (None, 20)
    wide, narrow = (known(known(of.skill).these_people).half for of in (known_sat, plain))
    assert wide > 1.3 * narrow


def test_unequal_games_have_two_means_and_everybody_counts_the_same_in_the_first() -> None:
    """Three strong people with fifty games and three weak ones with five."""
    rows = [
        TrialGame(f"P{who}", n, 238 + n % 3 if who < 3 else 189 + n % 3, 0)
        for who in range(6)
        for n in range(1, 51 if who < 3 else 6)
    ]
    found = analyse(rows, Conditions(None))
    raw = known(found.raw)
    assert found.unequal
    assert round(raw.mean, 1) == 234.6
    assert round(raw.of_people, 1) == 214.6
    assert raw.of_people in known(raw.these_people_alike)
    assert raw.mean not in known(raw.these_people_alike)
    assert known(raw.people_like_these).mean == pytest.approx(raw.of_people)
