"""How hard a decision was, when a good one is explained, and how sparingly it is praised."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

import numpy as np
import pytest

from game.coach.hints import Hardness, measure_hardness
from game.coach.panel import Feedback
from game.core.game_queries import replay_game
from game.core.profile_queries import MIDDLE, _grades, grade_before
from game.core.words.speech import LIMITS
from game.core.worth.peers import ERRING, read_peers
from game.core.worth.tables import load_advisor as site_advisor
from game.models import Game, Player
from solver.advice import Advisor, Evaluated, find_position
from solver.arena.match import make_random_roller, play_out
from solver.players.erring import Erring
from solver.rules import RULESETS, YATZY, Hold, Ruleset, State
from tests.conftest import solved
from tests.game.test_profile import START, finished
from tests.known import known
from tests.play import Browser
from tests.trials import into_trial

GAMES = 50
PRAISED = 1 / 6  # of the moves of perfect games: more would be no praise


@pytest.fixture(params=sorted(RULESETS))
def rules(request: pytest.FixtureRequest) -> Ruleset:
    rules = RULESETS[request.param]
    solved(rules)
    return rules


def decided(advisor: Advisor, games: int, *, rate: float = 0.0) -> list[State]:
    rng, player = np.random.default_rng(8), Erring(advisor, rate, 2.0)
    played = (
        play_out(player, advisor.rules, make_random_roller(rng), rng) for _game in range(games)
    )
    return [state for match in played for state, _action in match.decisions if state.dice]


def evaluated(advisor: Advisor, states: list[State]) -> list[Evaluated]:
    return [advisor.evaluate(find_position(state)) for state in states]


@pytest.mark.sampled("rules")
def test_at_most_one_move_of_six_in_perfect_games_is_praised_whatever_the_grade(
    rules: Ruleset,
) -> None:
    advisor = Advisor.open(rules)
    states = evaluated(advisor, decided(advisor, GAMES))
    for grade in ERRING:
        praised = sum(measure_hardness(one, read_peers(rules)[grade.id]).rare for one in states)
        assert 0 < praised <= PRAISED * len(states), grade.id


@pytest.mark.sampled("rules")
def test_what_is_forced_or_obvious_is_passed_over_in_silence(rules: Ruleset) -> None:
    """All else costs more than anybody of the grade loses, or there is nothing else."""
    advisor, passed = Advisor.open(rules), 0
    for at_hand in evaluated(advisor, decided(advisor, 10, rate=0.3)):
        others = [
            option.regret for option in advisor.make_advice(at_hand).options if not option.best
        ]
        if min(others, default=20.0) < 20.0:
            continue
        passed += 1
        for grade in ERRING:
            assert not measure_hardness(at_hand, read_peers(rules)[grade.id]).hard
    assert passed


def test_the_runner_up_is_what_costs_least_without_being_best(yatzy_tables: None) -> None:
    advisor = Advisor.open(YATZY)
    for at_hand in evaluated(advisor, decided(advisor, 2)):
        regrets = [one.regret for one in advisor.make_advice(at_hand).options if not one.best]
        found = measure_hardness(at_hand, read_peers(YATZY)["strong"]).runner_up
        assert found == pytest.approx(min(regrets, default=float("inf")), abs=1e-9)


@pytest.mark.parametrize(
    ("found", "lost", "runner_up", "hard", "rare"),
    [
        (0.9, 0.1, 5.0, False, False),  # obvious
        (0.9, 0.1, LIMITS["close"] - 0.01, True, False),  # close
        (0.45, 1.2, 1.0, True, False),  # mostly missed
        (0.45, 0.2, 1.0, False, False),  # missed, and no harm done
        (0.2, 2.0, 1.0, True, True),  # seldom found, and dear
        (0.2, 1.2, 1.0, True, False),
        (0.4, 2.0, 1.0, True, False),
    ],
)
def test_what_is_hard_and_what_deserves_a_praise(
    found: float, lost: float, runner_up: float, hard: bool, rare: bool
) -> None:
    difficulty = Hardness(found, lost, runner_up)
    assert (difficulty.hard, difficulty.rare) == (hard, rare)


# What the panel makes of it

database = pytest.mark.usefixtures("db", "yatzy_tables")


def best_move(browser: Browser, game: Game, coach: Advisor) -> tuple[Evaluated, Feedback]:
    played = replay_game(game)
    state, seq = played.state, len(played.actions)
    at_hand = coach.evaluate(find_position(state))
    best = at_hand.best
    if best.action == "score":
        page = browser.act(game, "score", seq=seq, category=best.category)
    else:
        slots = Hold.of(best.dice, state.dice, state.held).places
        page = browser.act(game, "hold", seq=seq, slot=slots)
    return at_hand, page.context["board"].coach.feedback


def perfect_game(browser: Browser, **how: object) -> Iterator[tuple[Hardness, Feedback]]:
    game, coach = browser.start(**how), known(site_advisor(YATZY))
    Game.objects.filter(pk=game.pk).update(seed="5" * 64)
    game.refresh_from_db()
    while not replay_game(game).state.finished:
        if not replay_game(game).state.dice:
            browser.act(game, "hold", seq=len(replay_game(game).actions))
        at_hand, feedback = best_move(browser, game, coach)
        yield measure_hardness(at_hand, read_peers(YATZY)[MIDDLE.id]), feedback
        game.refresh_from_db()


@database
def test_a_good_move_is_explained_where_it_was_hard_and_praised_where_few_find_it(
    browser: Browser,
) -> None:
    said, before = Counter[tuple[bool, bool]](), ["", ""]
    for difficulty, feedback in perfect_game(browser, coach="after"):
        assert feedback.best == ""
        if not difficulty.hard:
            assert feedback.reason == ""
        assert not feedback.praise or difficulty.rare
        assert feedback.praise or not difficulty.rare or any(before)  # once a turn
        before = [before[-1], feedback.praise]
        said[bool(feedback.reason), bool(feedback.praise)] += 1
    assert said[True, True]
    assert said[True, False]
    assert said[False, False] > said[True, True] + said[True, False]


@database
def test_the_grade_is_the_one_that_the_player_began_the_game_with(
    player: Player, advisor: Advisor
) -> None:
    for day in range(9):
        finished(player, advisor, 230, 6.0, day)
    too_early = finished(player, advisor, 230, 6.0, 9)
    after_ten = finished(player, advisor, 200, 60.0, 10)
    assert grade_before(too_early, advisor.value_start) == MIDDLE
    assert grade_before(after_ten, advisor.value_start).id == "expert"
    _grades.clear()
    for day in range(20, 60):
        finished(player, advisor, 200, 60.0, day)
    assert grade_before(after_ten, advisor.value_start).id == "expert"


@database
def test_the_grade_is_asked_for_once_a_game(
    player: Player, advisor: Advisor, django_assert_num_queries: object
) -> None:
    game = finished(player, advisor, 230, 4.0)
    grade_before(game, advisor.value_start)
    with django_assert_num_queries(0):  # type: ignore[operator]
        grade_before(game, advisor.value_start)


@database
def test_a_participant_is_told_nothing_of_the_own_grade(browser: Browser) -> None:
    game = browser.start()
    coach = known(site_advisor(YATZY))
    for day in range(12):
        finished(game.player, coach, 240, 0.0, day, started_at=START - timedelta(days=30 + day))
    assert grade_before(game, coach.value_start).id == "grandmaster"
    _grades.clear()
    assert grade_before(into_trial(game), coach.value_start) == MIDDLE
