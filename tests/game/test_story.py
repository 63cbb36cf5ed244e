"""The end of a game says only what is true of the game."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.core.game_queries import Move, replay_game
from game.core.profile_queries import MIDDLE
from game.core.words.equation import Equation
from game.core.words.speech import LIMITS, TABLE
from game.core.worth.severity import INACCURACY
from game.models import Player
from game.pages.board import story
from solver.advice import Entry
from solver.exact.distribution import Distribution
from solver.rules import YATZY
from tests.game.rulesets import known_game
from tests.known import known

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
EVEN = Distribution(np.full(400, 1 / 400), 0.5, 1)  # every score from 0 to 399 is as likely


@pytest.fixture
def judged(player: Player) -> list[tuple[Move, Entry]]:
    moves = replay_game(known_game(player, YATZY)).moves
    return [(move, known(move.entry)) for move in moves]


def number(text: str) -> float:
    return float(known(re.search(r"[\d.]+", text))[0])


def test_the_turn_that_decided_it_is_the_costliest_and_the_habit_leaves_it_out(
    judged: list[tuple[Move, Entry]],
) -> None:
    turn, habit = story.list_sentences(judged, Equation(248.4, 200, 90.0), None, MIDDLE)
    costs = sorted((entry.regret for _move, entry in judged), reverse=True)
    assert number(turn.facts["figure"]) == pytest.approx(costs[0], abs=0.05)
    worst = next(move for move, entry in judged if entry.regret == costs[0])
    assert turn.says.startswith(f"Turn {worst.state.turn + 1}: ")
    sees = TABLE["sees"][MIDDLE.id]
    others = [cost for cost in costs[1:] if cost >= sees]
    assert number(habit.facts["figure"]) <= sum(others) + 0.05
    example, entry = judged[habit.facts["example"] - 1]
    assert f"Turn {example.state.turn + 1}: " in habit.says
    assert sees <= entry.regret < costs[0]
    assert LIMITS["habit"] <= number(habit.says) <= len(others)
    assert (turn.event, habit.event) == ("turn", "habit")


def test_a_game_without_mistakes_has_only_its_luck(judged: list[tuple[Move, Entry]]) -> None:
    clean = [(move, entry) for move, entry in judged if entry.regret < INACCURACY]
    (luck,) = story.list_sentences(clean, Equation(200.0, 50, 0.0), EVEN, MIDDLE)
    assert luck.facts["figure"] == "−150.0"
    assert luck.event == "luck"
    assert story.list_sentences(clean, Equation(200.0, 150, 0.0), None, MIDDLE) == []
    assert story.choose_way(clean, Equation(200.0, 150, 0.0)) == "again"


@given(st.integers(-199, 199))
def test_rare_luck_is_as_rare_as_perfect_play_with_it_would_be(luck: int) -> None:
    told = story._compare_luck(Equation(200.0, 200 + luck, 0.0), EVEN)
    below = EVEN.below(200 + luck)
    assert (told is None) == (max(below, 1 - below) <= LIMITS["rare_luck"])
    if told is None:
        return
    numbers = [int(number) for number in re.findall(r"\d+", told.says)]
    games, of = numbers
    assert told.says.startswith("You had worse" if luck < 0 else "You had better")
    share = 1 - EVEN.below(200 + luck) if luck < 0 else EVEN.below(200 + luck)
    assert abs(games / of - share) <= 1.5 / of
    assert games < of
    assert (of == 1000) == (share > LIMITS["rarest_luck"])


@given(st.floats(-150, 150), st.floats(0, 200))
def test_a_headline_says_nothing_that_the_equation_denies(luck: float, lost: float) -> None:
    score = round(248.4 + luck - lost)
    equation = Equation(248.4, score, lost)
    said = story.describe_score("headline", equation)
    if said == "You lost no points.":
        assert equation.lost_words == "0.0"
    else:  # nothing is blamed, neither luck nor mistakes
        assert bool(said) == (score >= 248.4)
    cost = story.describe_score("points_lost", equation)
    assert bool(cost) == (equation.lost_words != "0.0")
    assert not cost or abs(number(cost) - max(1, equation.printed_lost)) <= 0.5


def test_what_comes_next_is_what_the_game_asks_for(judged: list[tuple[Move, Entry]]) -> None:
    assert max(entry.regret for _move, entry in judged) >= LIMITS["replayed"]
    assert story.choose_way(judged, Equation(248.4, 200, 90.0)) == "learn"
    small = [(move, entry) for move, entry in judged if entry.regret < LIMITS["replayed"]]
    assert story.choose_way(small, Equation(248.4, 200, 12.0)) == "review"
    assert story.choose_way(small, Equation(248.4, 240, 2.0)) == "again"


@given(st.lists(st.integers(0, 374), min_size=4, max_size=80), st.data())
def test_every_game_is_a_dot_and_this_one_stands_out(
    scores: list[int], data: st.DataObject
) -> None:
    latest = scores[-story.LATEST :]
    now = data.draw(st.sampled_from(latest))
    own = known(story.make_games_chart(scores, now))
    assert own.games == len(own.dots) == len(latest)
    assert len({(dot.x, dot.y) for dot in own.dots}) == len(latest)
    (mine,) = [dot for dot in own.dots if dot.now]
    same = [dot for dot in own.dots if dot.x == mine.x]
    assert mine.y == min(dot.y for dot in same)
    assert len(same) == sum(score // 10 == now // 10 for score in latest)
    assert all(0 < dot.x < own.width and 0 < dot.y < own.height for dot in own.dots)
    assert story.make_games_chart(scores[:3], now) is None
