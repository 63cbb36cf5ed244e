"""The standing tournament against adding up every pair of scores."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.arena import results
from solver.arena.chunks import find_tabular_agents
from solver.arena.contestants import find_contestants
from solver.arena.results import rank_distributions, rank_players
from solver.exact.distribution import Distribution
from solver.rules import YATZY
from solver.rules.rulesets import YAHTZEE


def of(weights: list[int]) -> Distribution:
    return Distribution(np.array(weights) / sum(weights), 0.0, 1)


some = st.lists(st.integers(1, 9), min_size=1, max_size=5)


@given(st.lists(some, min_size=1, max_size=3))
def test_chances_are_those_of_every_combination_of_scores(weights: list[list[int]]) -> None:
    found = rank_distributions({str(n): of(row) for n, row in enumerate(weights)})
    order = [int(name) for name in found.names]
    points, wins, ties = np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
    for scores in product(*(range(len(row)) for row in weights)):
        chance = np.prod([of(row).probabilities[s] for row, s in zip(weights, scores, strict=True)])
        for one, score in enumerate(scores):
            points[one] += chance * (score == max(scores))
            for other, less in enumerate(scores):
                wins[one, other] += chance * (score > less)
                ties[one, other] += chance * (score == less and one != other)
    assert found.points == pytest.approx(points[order])
    assert (np.diff(found.points) <= 1e-12).all()
    for a, one in enumerate(order):
        for b, other in enumerate(order):
            if a != b:
                assert found.wins[a, b] == pytest.approx(wins[one, other])
                assert found.ties[a, b] == pytest.approx(ties[one, other])


def test_players_of_the_same_strength_stay_as_they_are_listed() -> None:
    """The last bits of their points differ by the order of a sum."""
    little = 1e-14
    listed = {
        "weak": of([2, 1]),
        "first": Distribution(np.array([1 / 3 + little, 2 / 3 - little]), 0.0, 1),
        "second": Distribution(np.array([1 / 3 - little, 2 / 3 + little]), 0.0, 1),
    }
    assert rank_distributions(listed).names == ("first", "second", "weak")


def test_who_has_no_distribution_yet_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "read_result", lambda player, rules: None)
    assert rank_players(YAHTZEE).names == ()


def test_a_player_that_looks_at_its_opponents_is_in_no_exact_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its table is perfect play's, and it loses points on purpose where others are ahead."""
    asked: list[str] = []
    monkeypatch.setattr(results, "read_result", lambda player, rules: asked.append(player.id))
    rank_players(YATZY)
    assert "optimal" in asked
    assert "to-win" not in asked
    contestants = find_contestants(["optimal", "to-win"], YATZY)
    assert list(find_tabular_agents(contestants)) == [0]
