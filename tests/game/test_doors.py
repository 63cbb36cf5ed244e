"""Five ways lead through the site, and Learn and You to everything about a player's own play."""

import re

import pytest

from solver.rules import PLAYED, YATZY
from tests.game.rulesets import finished_game
from tests.known import known
from tests.play import Browser
from tests.trials import into_trial

pytestmark = pytest.mark.django_db
WAYS = {"play": "/", "daily": "/daily/", "duels": "/duels/", "learn": "/learn/", "you": "/you/"}
# Addresses that the menu had once, each below one of the five.
BELOW = {
    "/drill/": "learn",
    "/explore/": "learn",
    "/five/": "learn",
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


@pytest.mark.parametrize("address", ["/?rules=yahtzee", "/daily/yahtzee/", "/you/?rules=yahtzee"])
def test_a_ruleset_is_chosen_once_for_all_five(browser: Browser, address: str) -> None:
    addresses = re.findall(r'href="([^"]+)"', menu(browser, address))
    asked = [way + "?rules=yahtzee" for name, way in WAYS.items() if name != "daily"]
    assert sorted(addresses) == sorted([*asked, "/daily/yahtzee/"])


def test_variants_of_a_ruleset_stand_behind_more(browser: Browser) -> None:
    first, more = browser.get("/").text.split('class="rules__more"')
    ids = r'data-of="([^"]+)"'
    assert re.findall(ids, first) == ["yatzy", "yahtzee", "maxi-yatzy", "yatzy-saved"]
    assert len(re.findall(ids, more)) == len(PLAYED) - 4


@pytest.mark.parametrize(("address", "way"), BELOW.items())
def test_the_way_of_a_page_is_marked(browser: Browser, address: str, way: str) -> None:
    marked = re.findall(r'href="([^"]+)" aria-current="page"', menu(browser, address))
    assert marked == ([WAYS[way]] if way else [])


@pytest.mark.needs("game.lab")
def test_learn_and_you_lead_to_all_that_the_menu_led_to(browser: Browser) -> None:
    learn, you = browser.get("/learn/").text, browser.get("/you/").text
    for address in ("/five/", "/drill/", "/drill/lessons/", "/drill/lists/", "/explore/"):
        assert f'href="{address}' in learn
    for address in ("/settings/", "/history/archive", "/history/export"):
        assert f'href="{address}' in you
    for address in ("/rules/", "/fair/", "/lab/", "/api/"):
        assert f'href="{address}' in you


@pytest.mark.parametrize("name", ["history", "profile", "statistics", "week", "profile/leaks"])
def test_what_was_a_page_of_its_own_leads_to_you_or_learn(browser: Browser, name: str) -> None:
    response = browser.get(f"/{name}/?rules=yahtzee")
    way = "learn" if "leaks" in name else "you"
    assert (response.status_code, response["Location"]) == (302, f"/{way}/?rules=yahtzee")


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
    assert browser.get("/you/").context["portrait"].skill.games
    into_trial(game)
    assert "portrait" not in browser.get("/you/").context
