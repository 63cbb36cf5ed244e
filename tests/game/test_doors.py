"""Five ways lead through the site, and Learn and You to everything about a player's own play."""

import re

import pytest

from solver.rules import YATZY
from tests.game.rulesets import finished_game
from tests.known import known
from tests.play import Browser, into_trial

pytestmark = pytest.mark.django_db
WAYS = {"play": "/", "daily": "/daily/", "duels": "/duels/", "learn": "/learn/", "you": "/you/"}
# Addresses that the menu had once, each below one of the five.
BELOW = {
    "/drill/": "learn",
    "/explore/": "learn",
    "/five/": "learn",
    "/profile/leaks/": "learn",
    "/history/": "you",
    "/profile/": "you",
    "/statistics/": "you",
    "/week/": "you",
    "/settings/": "you",
    "/account/login/": "you",
    "/rules/": "",
    "/lab/": "",
}


def menu(browser: Browser, address: str) -> str:
    return known(re.search(r'<nav id="menu".*?</nav>', browser.get(address).text, re.DOTALL))[0]


@pytest.mark.parametrize("address", WAYS.values())
def test_five_ways_from_every_page(browser: Browser, address: str) -> None:
    here = menu(browser, address)
    assert re.findall(r'href="([^"]+)"', here) == list(WAYS.values())
    assert re.findall(r'href="([^"]+)" aria-current="page"', here) == [address]


@pytest.mark.parametrize(("address", "way"), BELOW.items())
def test_the_way_of_a_page_is_marked(browser: Browser, address: str, way: str) -> None:
    marked = re.findall(r'href="([^"]+)" aria-current="page"', menu(browser, address))
    assert marked == ([WAYS[way]] if way else [])


def test_learn_and_you_lead_to_all_that_the_menu_led_to(browser: Browser) -> None:
    learn, you = browser.get("/learn/").text, browser.get("/you/").text
    for address in ("/five/", "/drill/", "/drill/lessons/", "/drill/lists/", "/explore/"):
        assert f'href="{address}' in learn
    for address in ("/profile/", "/profile/leaks/", "/history/", "/statistics/", "/settings/"):
        assert f'href="{address}' in you
    for address in ("/rules/", "/fair/", "/lab/", "/api/"):
        assert f'href="{address}' in you


def test_you_shows_the_latest_games_and_the_skill(browser: Browser) -> None:
    player = browser.start().player
    assert 'class="figures' not in browser.get("/you/").text
    games = [finished_game(player, YATZY, seed) for seed in range(2)]
    html = browser.get("/you/").text
    assert 'class="figures' in html
    for game in games:
        assert f'href="/games/{game.pk}/"' in html


def test_you_shows_no_skill_while_a_trial_goes_on(browser: Browser) -> None:
    game = browser.start()
    finished_game(game.player, YATZY, 1)
    assert browser.get("/you/").context["skill"]
    into_trial(game)
    assert browser.get("/you/").context["skill"] is None
