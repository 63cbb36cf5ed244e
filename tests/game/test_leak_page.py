"""The page of the leak finder: whose games it looks at, what it says, and the drill it leads to."""

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from game import services
from game.coach.leaks import LeakPage, path_name
from game.judgement.leaks import DEEPEST, FEWEST, Path, path_of, place
from game.judgement.severity import INACCURACY
from game.models import Coach, Decision, DrillAttempt, Game, Player
from game.selectors import leaks as selector
from game.selectors.drill import decision_state, drill_mistakes, drill_next_among
from game.selectors.leaks import leak_mistakes, player_slips
from solver.advice import Advisor
from solver.players.erring import Erring
from solver.players.optimal import PLAYER as OPTIMAL
from solver.rules import RULESETS, YATZY, Action, Hold, Score, State
from tests.game.conftest import Answer, Browser
from tests.game.leaky import store_games
from tests.game.trials import into_trial
from tests.known import known

pytestmark = pytest.mark.usefixtures("db", "yatzy_tables")
PAGE = "/profile/leaks/"


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    selector._remembered.clear()
    yield
    selector._remembered.clear()


@pytest.fixture
def person(browser: Browser) -> Player:
    browser.post("/settings/", {"theme": "auto", "coach": "off", "coach_threshold": "1"})
    return Player.objects.get()


def text_of(response: Answer) -> str:
    assert response.status_code == 200
    return response.content.decode()


def shown(browser: Browser, query: str = "") -> LeakPage:
    response = browser.get(f"{PAGE}{query}")
    assert response.status_code == 200
    page = response.context["page"]
    assert isinstance(page, LeakPage)
    return page


# What is looked at


def test_the_points_of_the_tree_are_those_of_the_games(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    games = store_games(person, advisor, 12)
    page = shown(browser)
    assert page.root.leak.points == pytest.approx(sum(g.regret or 0 for g in games) / 12)
    assert page.root.leak.lost.count == 12
    assert page.rating == pytest.approx(
        sum((g.regret or 0) / (g.free_decisions or 0) for g in games) / 12
    )


def test_only_the_latest_hundred_are_looked_at(
    person: Player, advisor: Advisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("game.selectors.profile.HABITS", 3)
    games = store_games(person, advisor, 5)
    assert [one.game.pk for one in player_slips(person, advisor)] == [
        game.pk for game in games[:1:-1]
    ]


@pytest.mark.parametrize(
    "facts",
    [
        {"coach": Coach.LIVE},
        {"hints": 1},
        {"mode": Game.Mode.REMATCH},
        {"regret": None, "luck": None, "free_decisions": None},
        {"finished_at": None, "final_score": None, "bonus": None},
        {
            "finished_at": None,
            "final_score": None,
            "bonus": None,
            "mode": Game.Mode.DAILY,
            "day": "2026-05-01",
        },
    ],
    ids=str,
)
def test_what_says_nothing_about_the_player_is_left_out(
    person: Player, advisor: Advisor, facts: dict[str, object]
) -> None:
    games = store_games(person, advisor, 2)
    Game.objects.filter(pk=games[0].pk).update(**facts)
    assert [one.game.pk for one in player_slips(person, advisor)] == [games[1].pk]


def test_a_game_of_a_trial_is_left_out_and_a_participant_is_told_nothing(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    games = store_games(person, advisor, FEWEST + 1)
    into_trial(games[0])
    assert len(player_slips(person, advisor)) == FEWEST
    other = store_games(services.player_create(), advisor, 1)[0]
    Game.objects.filter(pk=other.pk).update(player=person)
    into_trial(other, playing=True) if False else None
    assert browser.get(PAGE).status_code in {200, 403}


def test_other_peoples_games_and_other_rules_are_left_out(
    browser: Browser, person: Player, advisor: Advisor, yahtzee: Advisor
) -> None:
    store_games(services.player_create(), advisor, 1)
    store_games(person, yahtzee, 1)
    mine = store_games(person, advisor, 1, seed=2)
    assert [one.game.pk for one in player_slips(person, advisor)] == [mine[0].pk]
    assert len(shown(browser, "?rules=yahtzee").games) == 1


def test_a_game_is_replayed_once_and_says_the_same_again(person: Player, advisor: Advisor) -> None:
    store_games(person, advisor, 3)
    with CaptureQueriesContext(
        connection,
    ) as first:
        found = player_slips(person, advisor)
    with CaptureQueriesContext(connection) as second:
        again = player_slips(person, advisor)
    assert [one.slips for one in found] == [one.slips for one in again]
    assert (len(first), len(second)) == (2, 1)


def test_what_is_remembered_is_bounded(
    person: Player, advisor: Advisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selector, "REMEMBERED", 3)
    store_games(person, advisor, 2)
    player_slips(person, advisor)
    store_games(person, advisor, 2, seed=2)
    assert len(player_slips(person, advisor)) == 4
    assert len(selector._remembered) == 2


def test_the_numbers_of_slips_are_those_of_the_review(
    browser: Browser, person: Player, advisor: Advisor
) -> None:
    store_games(person, advisor, FEWEST)
    for line in shown(browser).findings[:2]:
        example = line.examples[0]
        review = browser.get(example.url)
        step = review.context["step"]
        assert step.entry.regret == pytest.approx(example.slip.regret)
        assert step.turn == example.slip.turn + 1
        assert place(advisor, step.state, step.entry.action) == example.slip.place
        assert [die.face for die in step.dice] == [face for face, _ in example.dice]
        assert [die.kept for die in step.dice] == [kept for _, kept in example.dice]


# What it says


class Spendthrift:
    """Plays the best, but keeps nothing of its first throw where that is worth most to others."""

    def __init__(self, advisor: Advisor) -> None:
        self.advisor = advisor

    def choose(self, state: State, rng: object, others: object = ()) -> Action:
        best = self.advisor.best(services_position(state))
        if state.throws_left == 2 and best.action == "hold" and state.dice.count(6) == 2:
            return Hold(0)
        if best.action == "hold":
            return Hold.of(best.dice, state.dice, state.held)
        return Score(best.category)
