"""What decisions cost, found in three ways, and held against the means of players."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from solver.advice import Advisor, Position
from solver.arena.grading import DRAWN, EXACT, PLAYED, GradedPlayer, graded
from solver.arena.learners import (
    learners,
    report_path,
    rounded,
    stored_report,
    stored_simplified,
)
from solver.cli.solve import solve_to
from solver.dp.space import Space
from solver.exact.evaluation import evaluate, reached
from solver.learning.summary import random_facts
from solver.players import Tabular, greedy, optimal, random
from solver.players.values import ValuePlay
from solver.rules import RULESETS, Joker, Ruleset
from solver.tables import table_path
from tests.solver.conftest import Run

WITH_JOKERS = RULESETS["yahtzee"]
NAMES = ("sixes", "full_house", "yahtzee", "chance")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ruleset:
    """Four boxes, jokers, chips, and a bonus that one box can bring: solved."""
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    boxes = tuple(WITH_JOKERS.categories[WITH_JOKERS.index[name]] for name in NAMES)
    rules = Ruleset("small", "Small", boxes, 24, 35, 3, Joker("yahtzee", "forced", 100))
    solve_to(rules, table_path(rules), quiet=True)
    return rules


def wayward(rules: Ruleset) -> Tabular:
    """Values that are as good as any."""
    space = Space(rules)
    return ValuePlay(
        np.random.default_rng(5).uniform(0, 60, size=(space.rows, space.columns)), rules
    )


def greedily(rules: Ruleset) -> Tabular:
    return greedy.make(rules, "")


def at_random(rules: Ruleset) -> Tabular:
    agent = random.make(rules, "")
    assert isinstance(agent, Tabular)
    return agent


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
    grade = graded("it", agent, small)
    adds_up(grade)
    assert grade.how == EXACT
    assert grade.regret == pytest.approx(grade.optimum - evaluate(agent).mean, abs=1e-9)


def test_perfect_play_costs_nothing(small: Ruleset) -> None:
    grade = graded("it", optimal.make(small, ""), small)
    assert grade.regret == pytest.approx(0.0, abs=1e-9)
    assert grade.mistakes == []


def test_cards_drawn_from_games_and_games_themselves_tell_the_same(small: Ruleset) -> None:
    agent = wayward(small)
    exact = graded("it", agent, small)
    drawn = graded("it", agent, small, games=20_000, seed=2)
    played = graded("it", Choosing(agent), small, games=1500, seed=3)
    assert (drawn.how, played.how) == (DRAWN, PLAYED)
    for other in (drawn, played):
        adds_up(other)
        assert other.regret == pytest.approx(exact.regret, abs=4 * other.error)
        per_kind = exact.tally.regret.sum(axis=0)
        assert other.tally.regret.sum(axis=0) == pytest.approx(per_kind, abs=5 * other.error)
        assert other.tally.scored == pytest.approx(exact.tally.scored, abs=0.08)
        assert other.tally.by_best == pytest.approx(exact.tally.by_best, abs=5 * other.error)
    assert 0 < drawn.error < played.error


class Choosing:
    """Only answers, as a program of somebody else's would."""

    def __init__(self, agent: Tabular) -> None:
        self.choose = agent.choose


def test_every_card_that_is_reached_has_its_chance(small: Ruleset) -> None:
    rows, columns, chances = reached(wayward(small), threads=1)
    filled = np.bitwise_count(rows & small.full)
    for turn in range(len(small.categories)):
        assert chances[filled == turn].sum() == pytest.approx(1.0)
    assert Space(small).reachable[rows, columns].all()


def test_mistakes_cost_what_they_say_and_the_worst_come_first(small: Ruleset) -> None:
    grade, coach = graded("it", wayward(small), small), Advisor.open(small)
    losses = [one.cost * one.share for one in grade.mistakes]
    assert len(losses) == 10
    assert losses == sorted(losses, reverse=True)
    assert len({(one.filled, one.upper, one.chips_won) for one in grade.mistakes}) == 10
    for one in grade.mistakes:
        position = Position(
            small, small.mask(one.filled), one.upper, one.dice, one.throws_left, one.chips_won
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
    assert "What it misplays most" in out


@pytest.mark.parametrize("ruleset", ["yatzy", "yahtzee"])
def test_the_report_of_the_repository_knows_everybody_who_learned(ruleset: str) -> None:
    rules = RULESETS[ruleset]
    report = stored_report(rules)
    assert report is not None
    assert [one["player"] for one in report["learners"]] == [one.id for one in learners(rules)]
    for facts in report["learners"]:
        lost = report["optimum"] - facts["mean"]
        assert facts["regret"] == pytest.approx(lost, abs=1e-5)
    assert report_path(rules).stat().st_size < 200_000


@pytest.mark.sampled("ruleset")
@pytest.mark.usefixtures("all_tables")
@pytest.mark.parametrize("ruleset", ["yatzy", "yahtzee"])
def test_the_report_is_about_what_comes_with_the_program(ruleset: str) -> None:
    """A network is worked out anew with the nightly tests of learned players."""
    rules = RULESETS[ruleset]
    report = stored_report(rules)
    assert report is not None
    for player, facts in zip(learners(rules), report["learners"], strict=True):
        agent = player.tabular(rules)
        if isinstance(agent, ValuePlay):
            assert evaluate(agent).mean == pytest.approx(facts["mean"], abs=1e-5)


def test_the_smaller_game_has_random_learned_and_perfect_side_by_side() -> None:
    players = stored_simplified()["players"]
    assert players["random"]["turns"] == pytest.approx(55.15, abs=0.01)
    assert players["fewest turns"]["turns"] < players["learned"]["turns"] < 12
    assert stored_simplified()["random play"] == rounded(random_facts())
