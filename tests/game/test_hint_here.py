"""Who is given the script that hints by what the browser has solved, and who never is."""

import pytest
from django.templatetags.static import static

from game.models import Player
from game.trials.joining.links import make_link_path
from tests.play import Browser, new_duel, seat_of
from tests.trials import drawn, into_trial, new_trial

pytestmark = pytest.mark.django_db
PROGRAM = ("hint_here", "pocket", "facts.json")


@pytest.fixture
def solver(browser: Browser) -> Browser:
    browser.cookies["solved"] = "1"
    return browser


def given(browser: Browser, address: str) -> bool:
    answer = browser.get(address, follow=True)
    assert answer.status_code == 200
    page = answer.text
    assert (PROGRAM[0] in page) == any(name in page for name in PROGRAM)
    return PROGRAM[0] in page


def player_of(browser: Browser) -> Player:
    game = browser.start()
    assert game.player is not None
    return game.player


def test_it_comes_with_a_game_alone_where_something_was_solved(solver: Browser) -> None:
    for address in ("/", f"/games/{solver.start().pk}/"):
        assert given(solver, address)
        solver.cookies["solved"] = ""
        assert not given(solver, address)
        solver.cookies["solved"] = "1"
    assert static("js/hint_here.js") in solver.get("/").text


def test_it_comes_neither_with_a_day_nor_with_a_duel(solver: Browser) -> None:
    assert not given(solver, "/daily/")
    assert not given(solver, f"/games/{solver.start(mode='daily').pk}/")
    player = player_of(solver)
    duel = new_duel([player, player_of(Browser())])
    assert not given(solver, f"/games/{seat_of(duel, player).game_id}/")
    assert not given(solver, f"/duel/{duel.token}/")


def test_a_participant_never_gets_it(solver: Browser) -> None:
    game = solver.start()
    assert given(solver, f"/games/{game.pk}/")
    into_trial(game)
    assert not given(solver, f"/games/{game.pk}/")
    assert not given(solver, "/")
    stranger = Browser()
    stranger.cookies["solved"] = "1"
    participant = drawn(new_trial(slug="another"))
    assert not given(stranger, make_link_path(participant))
    assert not given(stranger, "/")
