"""The cost of decisions, found in three ways and compared with the means of players."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from solver.advice import Advisor, Position
from solver.advice.moments import evaluate
from solver.arena.grading import DRAWN, EXACT, PLAYED, AskedOnce, GradedPlayer, grade_agent
from solver.arena.learners import (
    find_learners,
    find_report_path,
    grade_learners,
    read_simplified,
    read_stored_report,
    round_floats,
)
from solver.arena.results import read_result
from solver.cli.solve import solve_to
from solver.dp.arrays import Floats, Ints
from solver.dp.space import Space
from solver.exact.distribution import calculate_distribution
from solver.learning.policy_gradient.update import make_initial_parameters, make_views
from solver.learning.simplified import Simplified
from solver.learning.summary import evaluate_random_play
from solver.players import Tabular, find_player, greedy, optimal, random
from solver.players.cards import CardPlay, Numbers
from solver.players.learned import NetworkPlay
from solver.players.network import Network, Shape
from solver.players.values import ValuePlay
from solver.rules import RULESETS, Joker, Ruleset
from solver.tables import find_table_path
from tests.known import known
from tests.solver.conftest import Run

WITH_JOKERS = RULESETS["yahtzee"]
NAMES = ("sixes", "full_house", "yahtzee", "chance")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ruleset:
    """Four boxes, jokers, chips, and a bonus that one box can bring: solved."""
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    boxes = tuple(WITH_JOKERS.categories[WITH_JOKERS.index[name]] for name in NAMES)
    rules = Ruleset("small", "Small", boxes, 24, 35, 3, Joker("yahtzee", "forced", 100))
    solve_to(rules, find_table_path(rules), quiet=True)
    return rules


def wayward(rules: Ruleset) -> Tabular:
    space = Space(rules)
    return ValuePlay(
        np.random.default_rng(5).uniform(0, 60, size=(space.rows, space.columns)), rules
    )


def adds_up(grade: GradedPlayer) -> None:
    rules, tally = grade.rules, grade.tally
    assert tally.used.sum(axis=1) == pytest.approx(np.ones(len(rules.categories)))
    assert tally.made[:, 0] == pytest.approx(np.ones(len(rules.categories)))
    assert tally.made[:, -1] == pytest.approx(np.ones(len(rules.categories)))
    assert tally.by_box.sum() == pytest.approx(tally.regret[:, -1].sum())
    assert tally.by_best.sum() == pytest.approx(tally.by_box.sum())
    bonus = grade.scores.bonus_probability * rules.bonus_points
    if grade.how != DRAWN:
        assert tally.used.sum(axis=0) == pytest.approx(np.ones(len(rules.categories)))
        assert tally.earned.sum() + bonus == pytest.approx(grade.scores.mean)


@pytest.mark.sampled("make")
@pytest.mark.parametrize(
    "make", [wayward, lambda r: greedy.make(r, ""), lambda r: random.make(r, "")]
)
def test_what_decisions_cost_is_what_is_missing_from_the_optimum(
    small: Ruleset, make: Callable[[Ruleset], Tabular]
) -> None:
    agent = make(small)
    grade = grade_agent("it", agent, small)
    adds_up(grade)
    assert grade.how == EXACT
    assert grade.regret == pytest.approx(grade.optimum - evaluate(agent).mean, abs=1e-9)


def test_a_network_is_asked_once_for_a_card_and_graded_like_anybody(small: Ruleset) -> None:
    asked: list[tuple[int, int]] = []

    class Counted(NetworkPlay):
        def cards(self, rows: Ints, columns: Ints) -> tuple[Numbers, Numbers]:
            asked.extend(zip(rows.tolist(), columns.tolist(), strict=True))
            return super().cards(rows, columns)

    shape = Shape(("dice", "open", "upper_share", "throws_left", "potential"), 16)
    weights = make_initial_parameters(shape, small, np.random.default_rng(3), "he")
    agent = Counted(Network(small, shape, make_views(weights, shape.list_parameters(small))))
    grade = grade_agent("it", agent, small)
    adds_up(grade)
    again = len(asked) - len(set(asked))  # to tell what was done there
    assert again <= len(grade.mistakes) < len(set(asked))
    assert grade.regret == pytest.approx(grade.optimum - evaluate(agent).mean, abs=1e-9)


class Telling(CardPlay):
    def cards(self, rows: Ints, columns: Ints) -> tuple[Numbers, Numbers]:
        shape = len(rows), 1, self.rules.throws - 1, len(self.cup.rolls)
        holds = np.broadcast_to(rows[:, None, None, None], shape).astype(np.int16)
        boxes = np.broadcast_to(columns[:, None, None], (shape[0], 1, shape[3])).astype(np.int16)
        return holds, boxes


def test_what_was_asked_is_looked_up_in_whatever_order_until_it_is_forgotten() -> None:
    once = AskedOnce(Telling(WITH_JOKERS))
    for rows in ([5, 3], [4]):
        once.make_tables(np.array(rows), np.array(rows) * 2)
    holds, boxes = once.cards(np.array([3, 4, 5]), np.array([6, 8, 10]))
    assert holds[:, 0, 1, 7].tolist() == [3, 4, 5]
    assert boxes[:, 0, 7].tolist() == [6, 8, 10]
    once.forget()
    once.make_tables(np.array([7]), np.array([1]))
    assert once.cards(np.array([7]), np.array([1]))[0][0, 0, 0, 0] == 7
    assert once.card(9, 2).holds[0, 0, 0] == 9  # the agent's choice for every question


def test_who_learned_is_graded_once_and_the_result_kept_with_what_it_learned(
    small: Ruleset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YATZY_VAR", str(tmp_path))
    (tmp_path / "it.npz").write_bytes(b"learned")
    player = replace(find_player("greedy"), rulesets=("small",), worked_out=tmp_path / "it.json")
    monkeypatch.setattr("solver.arena.learners.find_learners", lambda rules: [player])
    (grade,) = grade_learners(small).values()
    kept = known(read_result(player, small))
    assert kept.distribution.probabilities == pytest.approx(grade.scores.probabilities)
    assert 0 < kept.seconds < 60
    assert grade.player == "greedy"


def test_perfect_play_costs_nothing(small: Ruleset) -> None:
    grade = grade_agent("it", optimal.make(small, ""), small)
    assert grade.regret == pytest.approx(0.0, abs=1e-9)
    assert grade.mistakes == []


def test_cards_drawn_from_games_and_games_themselves_tell_the_same(small: Ruleset) -> None:
    agent = wayward(small)
    exact = grade_agent("it", agent, small)
    drawn = grade_agent("it", agent, small, games=20_000, seed=2)
    played = grade_agent("it", Choosing(agent), small, games=1500, seed=3)
    assert (drawn.how, played.how) == (DRAWN, PLAYED)
    for other in (drawn, played):
        adds_up(other)
        assert other.regret == pytest.approx(exact.regret, abs=4 * other.error)
        per_kind = exact.tally.regret.sum(axis=0)
        assert other.tally.regret.sum(axis=0) == pytest.approx(per_kind, abs=5 * other.error)
        assert other.tally.scored == pytest.approx(exact.tally.scored, abs=0.08)
        assert other.tally.by_best == pytest.approx(exact.tally.by_best, abs=5 * other.error)
    assert 0 < drawn.error < played.error


def test_more_games_draw_more_cards(small: Ruleset) -> None:
    less, more = (
        grade_agent("it", wayward(small), small, games=n, seed=2) for n in (2_000, 80_000)
    )
    assert more.error == pytest.approx(less.error / 2, rel=0.15)  # 1,600 of each turn, not 400


class Choosing:
    def __init__(self, agent: Tabular) -> None:
        self.choose = agent.choose


def test_every_card_that_is_reached_has_its_chance(small: Ruleset) -> None:
    levels: list[tuple[Ints, Ints, Floats]] = []
    calculate_distribution(wayward(small), visit=lambda *met: levels.append(met))
    rows, columns, chances = map(np.concatenate, zip(*levels, strict=True))
    filled = np.bitwise_count(rows & small.full)
    for turn in range(len(small.categories)):
        assert chances[filled == turn].sum() == pytest.approx(1.0)
    assert Space(small).reachable[rows, columns].all()


def test_mistakes_cost_what_they_say_and_the_worst_come_first(small: Ruleset) -> None:
    grade, coach = grade_agent("it", wayward(small), small), Advisor.open(small)
    losses = [one.cost * one.share for one in grade.mistakes]
    assert len(losses) == 10
    assert losses == sorted(losses, reverse=True)
    assert len({(one.filled, one.upper, one.chips_won) for one in grade.mistakes}) == 10
    for one in grade.mistakes:
        position = Position(
            small, small.make_mask(one.filled), one.upper, one.dice, one.throws_left, one.chips_won
        )
        options = coach.advise(position).options
        regrets = {option.category or option.dice: option.regret for option in options}
        assert regrets[one.choice] == pytest.approx(one.cost)
        assert regrets[one.best] < 1e-9
        assert one.cost > 0
        assert 0 < one.share <= 1


@pytest.mark.usefixtures("all_tables")
def test_a_grade_on_the_command_line(run: Run) -> None:
    status, out, _ = run("learn", "grade", "greedy", "--games", "500", "--json")
    facts = json.loads(out)
    assert status == 0
    assert (facts["how"], facts["games"], facts["kinds"]) == (
        "drawn",
        500,
        ["hold 1", "hold 2", "box"],
    )
    assert facts["regret"] == pytest.approx(48.5, abs=5)
    assert len(facts["mistakes"]) == 10
    status, out, _ = run("learn", "grade", "greedy", "--games", "500")
    assert "What this learner misplays most" in out


@pytest.mark.parametrize("ruleset", ["yatzy", "yahtzee"])
def test_the_report_of_the_repository_knows_everybody_who_learned(ruleset: str) -> None:
    rules = RULESETS[ruleset]
    report = read_stored_report(rules)
    assert report is not None
    assert [one["player"] for one in report["learners"]] == [one.id for one in find_learners(rules)]
    for facts in report["learners"]:
        lost = report["optimum"] - facts["mean"]
        assert facts["regret"] == pytest.approx(lost, abs=1e-5)
    assert find_report_path(rules).stat().st_size < 200_000


@pytest.mark.sampled("ruleset")
@pytest.mark.usefixtures("all_tables")
@pytest.mark.parametrize("ruleset", ["yatzy", "yahtzee"])
def test_the_report_is_about_what_comes_with_the_program(ruleset: str) -> None:
    """A network is worked out anew with the nightly tests of learned players."""
    rules = RULESETS[ruleset]
    report = read_stored_report(rules)
    assert report is not None
    for player, facts in zip(find_learners(rules), report["learners"], strict=True):
        agent = player.open_tabular(rules)
        if isinstance(agent, ValuePlay):
            assert evaluate(agent).mean == pytest.approx(facts["mean"], abs=1e-5)


def test_the_smaller_game_has_random_learned_and_perfect_side_by_side() -> None:
    players = read_simplified()["players"]
    assert players["random"]["turns"] == pytest.approx(55.15, abs=0.01)
    assert players["fewest turns"]["turns"] < players["learned"]["turns"] < 12
    read = evaluate_random_play(Simplified())["sets"]
    assert players["random"] == round_floats(asdict(read.random))
    assert players["fewest turns"] == round_floats(asdict(read.fewest_turns))
    assert players["most points"] == round_floats(asdict(read.most_points))
