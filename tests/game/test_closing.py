"""The pages that a trial closes: to everybody, or in a browser that opened its link."""

from datetime import date

import pytest

from game.core.coach_lock import parse_mark
from game.models import Game
from game.trials.design.writing import close_trial, open_trial
from game.trials.joining.links import make_link_path
from game.trials.models import Trial, TrialEvent
from tests.game.test_blinding import SAYINGS, leaks, pushed
from tests.play import Browser, play_through, text
from tests.trials import agree_to, new_trial, person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("yatzy_tables")]
Kind = TrialEvent.Kind
TEACHING = ("/explore/", "/drill/", "/lab/", "/lab/study/")
ADVICE = {"dice": [1, 2, 3, 4, 5], "rolls_left": 1}


def teaches(browser: Browser) -> list[str]:
    found = [page for page in TEACHING if browser.get(page).status_code == 200]
    if browser.post("/api/v1/advise", ADVICE, content_type="application/json").status_code == 200:
        found.append("API")
    return found


def kinds(trial: Trial) -> list[str]:
    return [str(one.kind) for one in trial.events.exclude(kind=Kind.OPENED)]


# Closed for everybody


def test_a_stranger_is_told_nothing_anywhere_while_the_coach_is_closed(browser: Browser) -> None:
    past = play_through(browser, browser.start(coach="live"))
    open_game = browser.start(coach="off")
    new_trial(coach_closed=True)
    # The export has the player's own games as they are stored.
    assert leaks(browser, past, open_game, but=("/history/export",)) == {}


def test_it_opens_when_the_trial_is_closed_and_closes_when_it_opens_again(browser: Browser) -> None:
    end = date(2026, 12, 24)
    trial = new_trial(coach_closed=True, opened=False, expected_end=end)
    found = [len(teaches(browser))]
    for act in (open_trial, close_trial, open_trial):
        act(trial=trial)
        found.append(len(teaches(browser)))
    assert found == [len(TEACHING) + 1, 0] * 2
    assert "probably on 24" in text(browser.get("/explore/"))


def test_a_game_that_begins_meanwhile_has_no_coach_and_one_begun_keeps_it(browser: Browser) -> None:
    before = browser.start(coach="live")
    new_trial(coach_closed=True)
    assert browser.act(before, "hint").status_code == 200
    other = Browser()
    assert 'id="level"' not in text(other.get("/"))
    game = other.start(coach="live")
    assert game.coach == Game.Coach.OFF
    assert other.act(game, "hint").status_code == 403


# Closed in a browser


def test_a_browser_is_blind_from_the_link_on_until_the_trial_is_closed(browser: Browser) -> None:
    own = browser.start(coach="live")
    browser.act(own, "score", seq=1, category="ones")
    browser.act(own, "hold", seq=2)
    assert SAYINGS.search(pushed(browser, own))
    trial = new_trial()
    browser.get(make_link_path(person(trial)))
    assert "taking_part" not in text(browser.get("/take-part/"))
    browser.post("/take-part/page", {"state": "hidden"})
    assert teaches(browser) == []
    browser.post("/take-part/leave")
    assert kinds(trial) == [], "nobody has agreed"
    assert not SAYINGS.search(pushed(browser, own))
    assert browser.act(own, "hint").status_code == 403
    assert not SAYINGS.search(text(browser.act(own, "score", seq=3, category="twos")))
    assert len(teaches(Browser())) == len(TEACHING) + 1
    for act, open_pages in ((close_trial, len(TEACHING) + 1), (open_trial, 0)):
        act(trial=trial)
        assert len(teaches(browser)) == open_pages


def test_a_mark_keeps_apart_what_was_agreed_to_and_what_was_only_read() -> None:
    assert parse_mark("abc.1.2:forged").trials == ()
    mark = parse_mark("").with_trial(3).with_trial(4).with_trial(3)
    assert (parse_mark(mark.signed), mark.trials) == (mark, (4, 3))
    read = parse_mark("").with_trial(3).with_read_trial(4).with_read_trial(3)
    assert parse_mark(read.signed) == read
    assert (read.trials, read.read) == ((3,), (4,))
    agreed = read.with_trial(4)
    assert (agreed.trials, agreed.read) == ((3, 4), ())
    assert read.without_read_trial(4).without_read_trial(3).trials == (3,)
    many = parse_mark("")
    for pk in range(50):
        many = many.with_read_trial(pk)
    assert many.read == tuple(range(10, 50))


# The timeline


def test_a_hidden_page_and_coming_back_are_noted_with_the_game_that_was_played(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = new_trial(questionnaire=False)
    agree_to(browser, person(trial))
    assert "taking_part" in text(browser.get("/take-part/"))
    browser.post("/take-part/page", {"state": "hidden"})
    browser.post("/take-part/game")
    browser.post("/take-part/page", {"state": "shown"})
    browser.post("/take-part/page", {"state": "nonsense"})
    browser.post("/take-part/leave")
    browser.get(make_link_path(person(trial)))
    for _ in range(2):
        browser.post("/take-part/game")
    assert [(one.kind, one.detail) for one in trial.events.exclude(kind=Kind.OPENED)] == [
        ("entered", {"by": "link"}),
        ("hidden", {}),
        ("shown", {"game": 1}),
        ("left", {}),
        ("returned", {"another_browser": False, "by": "link"}),
    ]
    monkeypatch.setattr("game.trials.joining.writing.MOST_PAGE_EVENTS", 3)
    for _ in range(5):
        browser.post("/take-part/page", {"state": "hidden"})
    assert len(kinds(trial)) == 3 + 3
