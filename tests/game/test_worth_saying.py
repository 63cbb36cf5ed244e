"""What the coach says after a move is worth saying: short, no sentence twice, silence otherwise."""

import re
from collections import Counter
from collections.abc import Iterator
from math import exp
from typing import Any
from unittest.mock import patch

import pytest

from game.coach import panel
from game.coach.panel import Feedback
from game.core.game_queries import Move, Played
from game.core.words.speech import TABLE
from game.core.worth.peers import read_peers
from game.core.worth.severity import GRADES, find_grade
from game.models import Coach, Game
from solver.advice import Advisor
from solver.rules import Hold, Score
from tests.game.rulesets import played_erring
from tests.known import known
from tests.play import Browser, said

MOST = 12  # words
# The share of moves that are not the best: perfect, careful and careless players, and a beginner.
ERRING = (0.0, 0.1, 0.3, 0.6)


def feedbacks(coach: Advisor, seed: int, grade: Any = None) -> Iterator[tuple[Move, Feedback]]:
    """Yield the moves of a game. Without ``grade``, the player's grade is that of this game."""
    game, made = Game(ruleset=coach.rules.id, coach=Coach.AFTER), list[Move]()
    erring = ERRING[seed % len(ERRING)]
    moves = [
        Move(state, action, coach.entry(state, action))
        for state, action in played_erring(coach, seed, erring).moves
        if state.dice
    ]
    lost = sum(known(move.entry).regret for move in moves)
    n, grade = 3 if grade or erring < 0.6 else 0, grade or find_grade(lost, coach.rules)
    facts: dict[str, Any] = {"grade_before": lambda *_: grade, "count_earlier_games": lambda _: n}
    with patch.multiple(panel, **facts):
        for move in moves:
            made.append(move)
            played = Played(game, (), move.state, game.started_at, tuple(made))
            feedback = panel._find_feedback(coach, played)
            assert feedback
            yield move, feedback


@pytest.mark.sampled("any_advisor")
def test_the_better_a_player_is_the_smaller_the_costs_that_the_coach_mentions(
    any_advisor: Advisor,
) -> None:
    sees, costs = TABLE["sees"], list[int]()
    for grade in GRADES:
        said = [feedback for _move, feedback in feedbacks(any_advisor, 7, grade)]
        costly = [one for one in said if one.costs and not (one.forced or one.repeated)]
        assert all(bool(one.aloud) == (one.regret >= sees[grade.id]) for one in costly)
        costs.append(sum(bool(one.aloud) for one in costly))
    assert costs == sorted(costs, reverse=True)
    assert len(set(costs)) > 3
    for grade in GRADES[1:]:  # the grade's bots choose such an option less often than the best one
        temperature = read_peers(any_advisor.rules)[grade.id].temperature
        assert 0.6 < exp(-sees[grade.id] / temperature) < 0.75


def test_everyone_in_a_trial_hears_of_the_same_costs() -> None:
    with patch.object(panel, "grade_before", return_value=GRADES[-1]):
        assert panel.find_player_grade(Game(mode="trial"), 0.0) == GRADES[0]


@pytest.mark.sampled("any_advisor")
def test_the_first_costly_move_of_a_beginners_game_decides_what_the_coach_explains(
    any_advisor: Advisor,
) -> None:
    kinds = set[type]()
    for seed in range(3, 60, 4):  # a beginner's
        said = feedbacks(any_advisor, seed)
        move, first = next(pair for pair in said if pair[1].regret >= TABLE["sees"]["beginner"])
        assert first.idea
        assert all(
            one.idea == (type(at.action) is type(move.action)) for at, one in said if one.costs
        )
        kinds.add(type(move.action))
    assert kinds == {Hold, Score}


@pytest.mark.sampled("any_advisor")
def test_a_verdict_has_at_most_twelve_words(any_advisor: Advisor) -> None:
    lengths = Counter[int]()
    for seed in range(8):
        heard = set[tuple[int, str]]()
        for move, feedback in feedbacks(any_advisor, seed):
            assert not feedback.aloud or (move.state.turn, feedback.aloud) not in heard
            heard.add((move.state.turn, feedback.aloud))
            entry = known(move.entry)
            words = feedback.aloud.split()
            lengths[len(words)] += 1
            assert len(words) <= MOST, feedback.aloud
            if entry.forced:
                assert not words
            elif ERRING[seed % 4] == 0.6 and feedback.costs:  # in a first game
                assert not words or (words[0] == "Better:" and entry.regret >= 2)
            elif entry.regret < 0.05:
                assert not re.search("Best:|−", feedback.aloud)  # no page shows so small a cost
            assert not (feedback.luck and -5 < entry.luck < 3)
            told = list(filter(None, (feedback.aloud, feedback.reason, feedback.luck)))
            assert len(set(told)) == len(told)
    assert lengths[0] > 0
    assert max(lengths) > 6


@pytest.mark.django_db
def test_a_beginner_hears_of_one_idea_in_a_game(browser: Browser, yatzy_tables: None) -> None:
    game = browser.start(coach="after")
    heard = set[str]()
    for turn, box in enumerate(("chance", "yatzy", "sixes", "pair", "ones")):
        moves: list[dict[str, Any]] = [{"slot": [0]}, {"slot": []}, {"category": box}]
        for action in moves:
            seq = 4 * turn + 1 + ("slot" not in action) * 2 + (action == {"slot": []})
            way = "score" if "category" in action else "hold"
            reply = browser.act(game, way, seq=seq, **action, confirmed="on").text
            lines = said(reply)
            heard |= {way for line in lines if line.startswith("Better: ")}
            assert not any("costs" in line or "−" in line for line in lines)
            assert len(re.findall("data-verdict=", reply)) == 1
        browser.act(game, "hold", seq=4 * turn + 4, slot=[])
    assert len(heard) == 1
