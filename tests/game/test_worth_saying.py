"""What the coach says after a move is worth saying: short, no sentence twice, silence otherwise."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from unittest.mock import patch

import pytest

from game.coach import panel
from game.coach.panel import Feedback, feedback_on
from game.core.game_queries import Move
from game.core.profile_queries import MIDDLE
from game.models import Coach, Game
from solver.advice import Advisor, position_of
from solver.rules import Action, Hold, Score, State, start, step, throw
from tests.selection import examples

GAMES = 2500  # of the four players together
MOST = 12  # words
# The share of moves that are not the best: perfect, careful and careless players, and a beginner.
ERRING = (0.0, 0.1, 0.3, 0.6)


def moves(coach: Advisor, seed: int, erring: float) -> Iterator[Move]:
    """Yield the judged moves of a game by a player who errs so often, by one of the best few."""
    random, state = Random(seed), start(coach.rules)
    while not state.finished:
        action: Action = Hold(0)
        if state.dice:
            options = coach.advise(position_of(state)).options
            among = options[: 1 + (len(options) > 1) * 8] if random.random() < erring else options
            option = random.choice(among) if among is not options else options[0]
            action = Score(option.category)
            if option.action == "hold":
                action = Hold.of(option.dice, state.dice, 0)
            yield Move(state, action, coach.entry(state, action))
        state = after(state, action, random)


def after(state: State, action: Action, random: Random) -> State:
    state = step(state, action)
    rules = state.rules
    waiting = state.waiting
    return throw(state, [random.randint(1, 6) for _ in range(rules.dice)]) if waiting else state


def feedbacks(coach: Advisor, seed: int) -> Iterator[tuple[Move, Feedback]]:
    game = Game(ruleset=coach.rules.id, coach=Coach.AFTER)
    with patch.object(panel, "grade_before", return_value=MIDDLE):
        for move in moves(coach, seed, ERRING[seed % len(ERRING)]):
            yield move, feedback_on(coach, game, move)


@pytest.mark.sampled("any_advisor")
def test_a_verdict_has_at_most_twelve_words(any_advisor: Advisor) -> None:
    lengths = Counter[int]()
    for seed in range(max(8, examples(GAMES) // 100)):
        for move, feedback in feedbacks(any_advisor, seed):
            entry = move.entry
            assert entry
            words = feedback.aloud.split()
            lengths[len(words)] += 1
            assert len(words) <= MOST, feedback.aloud
            if entry.forced:
                assert not words
            elif entry.regret < 0.05:
                assert "Best:" not in feedback.aloud  # nobody could see such a cost
                assert "−" not in feedback.aloud
            if feedback.luck:
                assert not -5 < entry.luck < 3
            sentences = [feedback.aloud, feedback.reason, feedback.luck]
            told = [sentence for sentence in sentences if sentence]
            assert len(set(told)) == len(told)
    assert lengths[0] > 0
    assert max(lengths) > 6
