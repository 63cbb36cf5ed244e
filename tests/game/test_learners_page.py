"""The page of the players that learned: what it says is what the report says, and links lead on."""

import re
from html import unescape

import pytest
from django.test import Client

from game.lab.learners import learners_of, profiles
from solver.arena.learners import learners, stored_report, stored_simplified
from solver.rules import RULESETS
from tests.known import known
from tests.play import Browser, into_trial

pytestmark = pytest.mark.django_db
PAGES = {"yatzy": "/lab/learners/", "yahtzee": "/lab/yahtzee/learners/"}
NOBODYS = "/lab/yahtzee-plain/learners/"


def page_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return unescape(answer.text)


@pytest.mark.parametrize("ruleset", PAGES)
def test_everybody_who_learned_is_there_with_what_it_is_worth(client: Client, ruleset: str) -> None:
    rules = RULESETS[ruleset]
    report = stored_report(rules)
    assert report is not None
    page = page_of(client, PAGES[ruleset])
    for facts in report["learners"]:
        assert f'id="{facts["player"]}"' in page
        assert f"{facts['mean']:.2f}" in page
        assert f"{facts['regret']:.2f}" in page
    others = ("the small game", "the drafts")
    assert page.count("<section") == len(learners(rules)) + len(others)
    assert f"{report['optimum']:.2f}" in page


@pytest.mark.usefixtures("all_tables")
@pytest.mark.parametrize("ruleset", PAGES)
def test_mistakes_are_listed_and_open_in_explore(client: Client, ruleset: str) -> None:
    rules = RULESETS[ruleset]
    report = stored_report(rules)
    assert report is not None
    page = page_of(client, PAGES[ruleset])
    for told in learners_of(rules, report):
        assert 0 < len(told.mistakes) <= 10
        for one in told.mistakes:
            assert f'href="{one.explore}"' in page
        opened = page_of(client, told.mistakes[0].explore)
        assert told.mistakes[0].best in opened


def test_a_person_stands_beside_them(client: Client) -> None:
    report = stored_report(RULESETS["yatzy"])
    assert report is not None
    rows = profiles(RULESETS["yatzy"], report)
    assert rows[-1].name == "A bot that errs as people do"
    each = zip(report["person"]["regret_by_kind"], report["person"]["decisions"], strict=True)
    assert rows[-1].each == tuple(f"{cost / made:.4f}" for cost, made in each)
    assert all(cost in page_of(client, PAGES["yatzy"]) for cost in rows[-1].each)


def test_rules_that_nobody_learned_have_the_smaller_game_alone(client: Client) -> None:
    page = page_of(client, NOBODYS)
    assert "No program has learned these rules yet." in page
    for figures in stored_simplified()["players"].values():
        assert f"{figures['turns']:.2f}" in page


def test_the_lab_leads_there(client: Client) -> None:
    assert 'href="/lab/learners/"' in page_of(client, "/lab/")
    assert 'href="/lab/yahtzee/learners/"' in page_of(client, "/lab/yahtzee/")


def test_a_learner_can_be_played_against(client: Client) -> None:
    (first, *_) = learners_of(RULESETS["yatzy"], known(stored_report(RULESETS["yatzy"])))
    assert f'href="{first.duel}"' in page_of(client, PAGES["yatzy"])
    form = client.get(first.duel).text
    chosen = re.findall(r'<input[^>]*name="opponent"[^>]*checked[^>]*>', form)
    assert [f'value="{first.pk}"' in one for one in chosen] == [True]


def test_participants_of_a_trial_do_not_see_it(browser: Browser) -> None:
    into_trial(browser.start())
    assert browser.get(PAGES["yatzy"]).status_code == 403


@pytest.mark.parametrize("ruleset", PAGES)
def test_what_is_counted_is_whole_and_has_its_thousands_apart(client: Client, ruleset: str) -> None:
    rules = RULESETS[ruleset]
    report = stored_report(rules)
    assert report is not None
    for told in learners_of(rules, report):
        counted = [told.trained, *(n for line in told.curve_lines for n in line[:2])]
        counted += [one.often.removeprefix("1 game in ") for one in told.mistakes]
        assert all(re.fullmatch(r"\d{1,3}(,\d{3})*|", one) for one in counted), counted
