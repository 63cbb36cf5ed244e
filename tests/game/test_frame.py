"""The frame in which somebody takes part in a trial: a menu, a title and settings of their own."""

import re

import pytest
from django.contrib.auth.models import User

from game.models import Game, Player
from game.trials.design.phases import ArmSettings
from game.trials.design.writing import close_trial
from game.trials.joining.links import make_link_path
from game.trials.models import Participant, Trial
from tests.known import known
from tests.play import Browser
from tests.trials import new_trial

pytestmark = pytest.mark.django_db
SAVED = {
    "language": "",
    "theme": "dark",
    "coach": "live",
    "ruleset": "yahtzee",
    "read_out": "results",
}


def comes(browser: Browser, trial: Trial, *, agrees: bool = True) -> Participant:
    one = trial.participants.get(number=1)
    browser.get(make_link_path(one))
    if agrees:
        browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    one.refresh_from_db()
    return one


def begins(browser: Browser) -> Game:
    address = browser.post("/take-part/game").headers["Location"]
    return Game.objects.get(pk=address.split("/")[2])


def page(browser: Browser, address: str) -> str:
    return browser.get(address).text


def menu(html: str) -> list[str]:
    found = re.search(r'<nav id="menu".*?</nav>', html, re.DOTALL)
    return re.findall(r'(?:href|action)="([^"]+)"', known(found)[0])


def test_a_participant_has_the_menu_of_the_trial_and_no_other(browser: Browser) -> None:
    trial = new_trial(questionnaire=False)
    comes(browser, trial, agrees=False)
    before = ["/take-part/", "/rules/", "/take-part/leave"]
    assert menu(page(browser, "/take-part/")) == before
    comes(browser, trial)
    all_of_it = ["/take-part/", "/rules/", "/settings/", "/take-part/withdraw", "/take-part/leave"]
    game = begins(browser)
    for address in ("/take-part/", f"/games/{game.pk}/", "/rules/", "/nowhere/"):
        assert menu(page(browser, address)) == all_of_it, address
    close_trial(trial=trial)
    assert "/daily/" in menu(page(browser, "/take-part/"))


def test_whoever_is_screened_out_has_the_site_again(browser: Browser) -> None:
    comes(browser, new_trial())
    Participant.objects.update(screened_out_at="2026-01-01T12:00Z")
    assert "/daily/" in menu(page(browser, "/take-part/"))
    assert browser.get("/daily/").status_code == 200


def test_a_game_of_a_trial_is_called_after_it(browser: Browser) -> None:
    comes(browser, new_trial(title="How people play", questionnaire=False))
    html = page(browser, f"/games/{begins(browser).pk}/")
    assert "How people play" in known(re.search(r"<title>(.*?)</title>", html, re.DOTALL))[1]


def test_an_account_is_not_signed_in_where_somebody_takes_part(browser: Browser) -> None:
    User.objects.create_user("ada", password="five sixes at once")
    comes(browser, new_trial())
    word = {"username": "ada", "password": "five sixes at once"}
    assert browser.post("/account/login/", word).status_code == 403
    browser.post("/take-part/leave")
    assert browser.post("/account/login/", word).status_code == 302
    assert browser.get("/learn/").status_code == 403, "the browser remembers the trial"


def test_settings_of_a_participant_are_what_is_seen_and_heard(browser: Browser) -> None:
    one = comes(browser, new_trial())
    asked = re.findall(r'name="(\w+)"', page(browser, "/settings/"))
    assert {"language", "theme", "sound", "vibration", "confirm_boxes", "read_out"} <= set(asked)
    assert not {"coach", "coach_threshold", "ruleset", "confirm_costly"} & set(asked)
    assert browser.post("/settings/", SAVED).status_code == 302
    before = Player()
    player = Player.objects.get(pk=known(one.player).pk)
    assert (player.theme, player.read_out) == ("dark", "results")
    assert (player.coach, player.ruleset) == (before.coach, before.ruleset)


def test_settings_before_the_consent_would_be_somebody_elses(browser: Browser) -> None:
    browser.start()
    comes(browser, new_trial(), agrees=False)
    assert browser.get("/settings/").status_code == 403
    assert browser.post("/settings/", SAVED).status_code == 403
    assert not Player.objects.filter(theme="dark").exists()


def test_a_browser_that_has_left_is_asked_nothing_about_a_coach(browser: Browser) -> None:
    comes(browser, new_trial())
    browser.post("/take-part/leave")
    asked = re.findall(r'name="(\w+)"', page(browser, "/settings/"))
    assert "ruleset" in asked
    assert not {"coach", "coach_threshold"} & set(asked)
    assert 'name="coach_0"' not in page(browser, "/table/")
    assert 'name="name_0"' in page(browser, "/table/")


def test_the_rules_are_those_of_the_game_that_is_played_next(browser: Browser) -> None:
    arms = [ArmSettings("one", ruleset="yahtzee", games_each=1)]
    comes(browser, new_trial(arms=arms, questionnaire=False))
    assert "Rules of Yatzy" in page(browser, "/rules/"), "no arm is given yet"
    browser.post("/take-part/game")
    assert "Rules of Yahtzee" in page(browser, "/rules/")
    assert "Rules of Yatzy" in page(browser, "/rules/yatzy/")
    assert "/rules/yahtzee-plain/" not in page(browser, "/rules/")
