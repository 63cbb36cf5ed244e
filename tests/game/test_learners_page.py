"""The page of the players that learned: what it says is what the report says, and links lead on."""

from html import unescape

import pytest
from django.test import Client

from game.lab.learners import list_learners
from solver.arena.learners import find_learners, read_stored_report
from solver.rules import RULESETS

pytestmark = pytest.mark.django_db
PAGES = {"yatzy": "/lab/learners/", "yahtzee": "/lab/yahtzee/learners/"}


def page_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return unescape(answer.text)


@pytest.mark.parametrize("ruleset", PAGES)
def test_everybody_who_learned_is_there_with_what_it_is_worth(client: Client, ruleset: str) -> None:
    rules = RULESETS[ruleset]
    report = read_stored_report(rules)
    assert report is not None
    page = page_of(client, PAGES[ruleset])
    for facts in report["learners"]:
        assert f'id="{facts["player"]}"' in page
        assert f"{facts['mean']:.2f}" in page
        assert f"{facts['regret']:.2f}" in page
    others = ("the small game", "the drafts")
    assert page.count("<section") == len(find_learners(rules)) + len(others)
    assert f"{report['optimum']:.2f}" in page


@pytest.mark.usefixtures("all_tables")
@pytest.mark.parametrize("ruleset", PAGES)
def test_mistakes_are_listed_and_open_in_explore(client: Client, ruleset: str) -> None:
    rules = RULESETS[ruleset]
    report = read_stored_report(rules)
    assert report is not None
    page = page_of(client, PAGES[ruleset])
    for told in list_learners(rules, report):
        assert 0 < len(told.mistakes) <= 10
        for one in told.mistakes:
            assert f'href="{one.explore}"' in page
        opened = page_of(client, told.mistakes[0].explore)
        assert told.mistakes[0].best in opened
