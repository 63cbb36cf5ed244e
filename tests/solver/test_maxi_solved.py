"""Maxi Yatzy and saved throws as a whole, solved afresh: minutes of work, so nightly."""

from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from solver.advice import Advisor
from solver.advice.moments import read_stored_worth
from solver.arena.performance import simulate
from solver.cli.solve import GOLDEN, find_largest_error
from solver.players.values import ValuePlay
from solver.rules import SOLVED, Ruleset
from solver.tables import open_table
from solver.tables.parts import make_values
from tests.known import known

pytestmark = pytest.mark.nightly

Z999 = 3.29


def solved(rules: Ruleset, folder: Path) -> Advisor:
    path = folder / rules.id
    make_values(rules, path)
    return Advisor(open_table(rules, path=path), rules)


@pytest.mark.parametrize("name", ["maxi-yatzy", "yatzy-saved"])
def test_the_value_is_golden_and_one_step_back_gives_it_again(name: str, tmp_path: Path) -> None:
    advisor = solved(SOLVED[name], tmp_path)
    golden, tolerance = GOLDEN[name]
    assert advisor.value_start == pytest.approx(golden, abs=tolerance)
    assert find_largest_error(advisor, positions=10_000) < 1e-9 + 2 * advisor.values.precision


def test_games_of_maxi_yatzy_come_to_its_value(tmp_path: Path) -> None:
    rules, games = SOLVED["maxi-yatzy"], 100_000
    advisor = solved(rules, tmp_path)
    values: np.ndarray[tuple[int, int], np.dtype[np.float64]] = advisor.values.read_all()
    played = simulate(ValuePlay(values, rules), rules, "optimal", games, seed=7)
    scores = np.repeat(np.arange(len(played.counts)), played.counts)
    of, games = known(read_stored_worth(rules)).evaluation, len(scores)
    fourth, variance = float(((scores - of.mean) ** 4).mean()), of.deviation**2
    assert scores.mean() == pytest.approx(of.mean, abs=Z999 * of.deviation / sqrt(games))
    error = sqrt((fourth - variance**2) / games)
    assert scores.var() == pytest.approx(variance, abs=Z999 * error)
    error = sqrt(of.bonus_probability * (1 - of.bonus_probability) / games)
    assert played.bonus_share == pytest.approx(of.bonus_probability, abs=Z999 * error)
