"""The workbench puts players together, without a script and without working anything out."""

import re
from html import unescape

import pytest
from django.test import Client

from game.lab.workbench import MixFigures, _describe_untried
from tests.play import Browser
from tests.trials import into_trial

pytestmark = pytest.mark.django_db
PAGE = "/lab/workbench/"


def page(query: str = "") -> str:
    answer = Client().get(PAGE + query)
    assert answer.status_code == 200
    return unescape(answer.text)


def figures(html: str) -> list[str]:
    return re.findall(r"<dd>(.*?)</dd>", html.partition('id="wishes"')[0])


def test_any_holds_with_any_boxes() -> None:
    html = page("?holds=scorecard-based&boxes=upper-first")
    assert figures(html) == ["201.37", *figures(html)[1:3], "198.99", "195.47"]
    assert figures(html)[2].endswith("%")
    assert re.findall(r'<option value="([\w-]+)" selected', html) == [
        "scorecard-based",
        "upper-first",
    ]


def test_a_player_with_both_its_own_stands_there_once() -> None:
    mean, _spread, _bonus, *beside = figures(page("?holds=greedy&boxes=greedy"))
    assert (mean, beside) == ("199.16", ["199.16"])


def test_strategies_that_fill_other_boxes_are_not_said_to_fill_the_same() -> None:
    alike = {
        "dice-based": MixFigures(180.0, 40.0, 0.5),
        "scorecard-based": MixFigures(180.0, 40.0, 0.5),
    }
    other = {**alike, "scorecard-based": MixFigures(180.1, 40.0, 0.5)}
    for holds, wishes in ((alike, 3), (other, 2)):
        row = dict.fromkeys(("optimal", "upper-first"), MixFigures(190.0, 40.0, 0.5)) | holds
        names = ("dice-based", "scorecard-based", "upper-first", "optimal")
        assert len(list(_describe_untried(dict.fromkeys(names, row), 200.0))) == wishes


def test_who_is_nobody_has_no_page() -> None:
    for query in ("?holds=nobody", "?boxes=learned-yatzy", "?holds="):
        assert Client().get(PAGE + query).status_code == 404


def test_participants_of_a_trial_do_not_see_it(browser: Browser) -> None:
    into_trial(browser.start())
    assert browser.get(PAGE).status_code == 403
