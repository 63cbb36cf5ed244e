"""The page of whoever comes for the first time is drawn once, and is theirs all the same."""

import re
from collections.abc import Callable

import pytest
from django.conf import settings
from django.test import Client
from django.urls import set_script_prefix

from game.core.fair import tickets
from game.models import Game
from game.pages import play_views as first_page
from game.trials.models import Trial
from solver.rules import RULESETS
from tests.play import Browser
from tests.trials import new_trial

pytestmark = pytest.mark.django_db
LANGUAGES = [code for code, _ in settings.LANGUAGES]
COACHES = ("", *Game.Coach.values)
OWN = {
    "token": re.compile(r'"X-CSRFToken": "(\w+)"'),
    "forms": re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"'),
    "tab": re.compile(r'"X-Tab": "([\w-]+)"'),
    "nonce": re.compile(r'name="nonce" value="([^"]+)"'),
    "seal": re.compile(r'class="hash">(\w+)<'),
}


def own(page: str) -> dict[str, str]:
    found = {name: pattern.findall(page) for name, pattern in OWN.items()}
    assert all(found.values()), found
    return {name: values[0] for name, values in found.items()}


def without(page: str) -> str:
    for name, value in own(page).items():
        page = page.replace(value, name)
    return page


def asked(path: str, language: str, cookie: str = "") -> str:
    headers = {"accept-language": language} | ({"cookie": cookie} if cookie else {})
    answer = Client().get(path, headers=headers)
    assert answer.status_code == 200
    return answer.text


@pytest.mark.sampled("ruleset")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("ruleset", ["", *RULESETS])
def test_it_is_the_page_that_somebody_with_a_cookie_is_given(language: str, ruleset: str) -> None:
    for coach in COACHES:
        path = f"/?rules={ruleset}&coach={coach}"
        drawn = asked(path, language, "somebody=else")
        assert without(asked(path, language)) == without(drawn)
        assert without(asked(path, language)) == without(drawn)  # and once more what was kept


def test_what_is_of_one_visitor_alone_is_nobody_elses() -> None:
    mine, yours = own(asked("/", "en")), own(asked("/", "en"))
    assert all(mine[name] != yours[name] for name in mine)
    for found in (mine, yours):
        assert tickets.redeem(found["nonce"]).commitment == found["seal"]
    assert first_page._render_board.cache_info().currsize == 1


def test_its_addresses_lie_under_what_the_site_lies_under() -> None:
    assert 'href="/daily/"' in asked("/", "en")
    try:
        set_script_prefix("/yatzy/")
        assert 'href="/yatzy/daily/"' in asked("/", "en")
    finally:
        set_script_prefix("/")
    assert 'href="/daily/"' in asked("/", "en")


def test_a_game_can_be_begun_from_it_by_a_browser_that_is_asked_for_its_token(
    new_browser: Callable[[], Browser],
) -> None:
    for _ in range(2):
        browser = Browser(enforce_csrf_checks=True)
        found = own(browser.get("/").text)
        data = {"mode": "solo", "nonce": found["nonce"]}
        assert browser.post("/games/", data).status_code == 403
        headers = {"X-CSRFToken": found["token"], "HX-Request": "true"}
        assert browser.post("/games/", data, headers=headers).status_code == 200
    seals = set(Game.objects.values_list("commitment", flat=True))
    assert len(seals) == 2


def test_a_trial_that_closes_the_coach_is_told_from_its_first_day_to_its_last() -> None:
    open_before = without(asked("/", "en"))
    trial = new_trial(coach_closed=True)
    closed = without(asked("/", "en"))
    assert "closed for everyone" in closed
    assert closed == without(asked("/", "en", "somebody=else"))
    Trial.objects.filter(pk=trial.pk).delete()
    assert without(asked("/", "en")) == open_before


def test_who_writes_templates_sees_them_anew(settings: object) -> None:
    settings.DEBUG = True  # type: ignore[attr-defined]
    asked("/", "en")
    assert first_page._render_board.cache_info().currsize == 0
