"""A place belongs to one person: a label finds it, and only who it belongs to goes in."""

import re

import pytest
from django.core.cache import cache
from django.utils.http import urlencode

from game.models import Game
from game.trials.design.writing import close_trial
from game.trials.joining.links import make_link_path, return_code
from game.trials.joining.recruiting import MOST_LATER, PANELS, CodeNeeded, recruit_agree
from game.trials.joining.writing import issue_link, parse_browser_kind, revoke_link
from game.trials.models import Arrival, Recruitment, TrialEvent
from tests.game.test_arms import finish
from tests.game.test_recruitment import ANNA, BEN, agree, everything, link, only, recruiting
from tests.game.test_trials import next_game
from tests.known import known
from tests.play import Answer, Browser, text

pytestmark = pytest.mark.django_db
NewBrowser = type[Browser]


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    cache.clear()


def enter(browser: Browser, found: Recruitment, code: str, labels: dict[str, str]) -> Answer:
    page = text(browser.get(link(found), labels))
    action = known(re.search(r'action="(/join/[^"]+/code[^"]*)"', page))[1]
    return browser.post(action.replace("&amp;", "&"), {"code": code})


def send_agreement(browser: Browser, found: Recruitment, labels: dict[str, str]) -> Answer:
    address = f"{link(found, 'agree')}?{urlencode(labels)}"
    return browser.post(address, {"version": 1, "agree": "on"})


@pytest.fixture
def anna(browser: Browser) -> Recruitment:
    found = recruiting(quota=5)
    agree(browser, found, ANNA)
    next_game(browser)
    return found


# The attack


def test_a_stranger_who_knows_the_label_is_asked_for_the_code_and_can_do_and_learn_nothing(
    anna: Recruitment, new_browser: NewBrowser
) -> None:
    stranger, game = new_browser(), Game.objects.get()
    page = stranger.get(link(anna), ANNA)
    assert (page.status_code, 'name="code"' in text(page)) == (200, True)
    assert not re.search(rf"\bR01\b|{return_code(only())}", text(page))
    assert "participant" not in stranger.cookies
    before = everything(), game.decisions.count()
    assert 'name="code"' in text(send_agreement(stranger, anna, ANNA))
    with pytest.raises(CodeNeeded):
        recruit_agree(recruitment=anna, version=1, parameters=ANNA)
    again = recruit_agree(recruitment=anna, version=1, parameters=ANNA, admitted=only())
    assert again == only()
    for deed in ("game", "withdraw", "leave"):
        assert stranger.post(f"/take-part/{deed}", {"confirm": "on"}).status_code == 403
    for address in ("/take-part/", "/take-part/withdraw", f"/games/{game.pk}/"):
        assert stranger.get(address).status_code == 403
    assert (everything(), game.decisions.count()) == before
    assert only().withdrawn_at is None


def test_the_page_is_the_same_whether_the_place_was_played_in_or_not(
    anna: Recruitment, new_browser: NewBrowser
) -> None:
    agree(new_browser(), anna, BEN)
    close_trial(trial=anna.trial)
    pages = [text(new_browser().get(link(anna), labels)) for labels in (ANNA, BEN)]
    varying = r'(action="[^"]*"|name="csrfmiddlewaretoken" value="[^"]*"|nonce="[^"]*"|csrf[^>]*)'
    one, other = (re.sub(varying, "", page) for page in pages)
    assert one == other


# The owner of a place


def test_the_code_of_the_page_after_agreeing_leads_on_in_another_browser(
    anna: Recruitment, browser: Browser, new_browser: NewBrowser, researcher: Browser
) -> None:
    assert return_code(only()) in text(researcher.get("/trials/study/monitor/"))
    shown = text(browser.get("/take-part/"))
    code = known(re.search(r'id="return-code"[^>]*>([^<]+)<', shown))[1]
    assert re.fullmatch(r"[A-Z2-9]{4}-[A-Z2-9]{4}", code)
    assert f"http://testserver{make_link_path(only())}" in shown
    assert "<svg" in shown
    for typed in (code, code.lower().replace("-", " ")):
        phone = new_browser()
        assert enter(phone, anna, typed, ANNA).headers["Location"] == "/take-part/"
        assert next_game(phone) == Game.objects.get()


def test_a_wrong_code_lets_nobody_in_and_is_noted(
    anna: Recruitment, new_browser: NewBrowser
) -> None:
    agree(new_browser(), anna, BEN)
    of_ben = return_code(Arrival.objects.get(label="ben").participant)
    for wrong in ("", "AAAA-AAAA", of_ben):
        stranger = new_browser()
        assert enter(stranger, anna, wrong, ANNA).status_code == 409
        assert stranger.get("/take-part/").status_code == 403
    kinds = anna.trial.events.filter(participant__arrival__label="anna")
    assert list(kinds.values_list("kind", flat=True)) == ["entered", *["code_refused"] * 3]


def test_a_code_of_a_link_that_was_replaced_or_of_no_place_is_worth_nothing(
    anna: Recruitment, browser: Browser, new_browser: NewBrowser
) -> None:
    old = return_code(only())
    issue_link(participant=only())
    new = return_code(only())
    for code, status in ((old, 409), (new, 302)):
        assert enter(new_browser(), anna, code, ANNA).status_code == status
        nobody = link(anna, "code?PROLIFIC_PID=nobody")
        assert new_browser().post(nobody, {"code": code}).status_code == 409
    revoke_link(participant=only())
    assert enter(new_browser(), anna, new, ANNA).status_code == 409


def test_codes_cannot_be_guessed_for_long(
    anna: Recruitment, new_browser: NewBrowser, settings: pytest.FixtureRequest
) -> None:
    settings.LOGIN_FAILURES = 3  # type: ignore[attr-defined]
    stranger = new_browser()
    answers = [enter(stranger, anna, "AAAA-AAAA", ANNA).status_code for _ in range(4)]
    assert answers == [409, 409, 409, 429]
    assert enter(new_browser(), anna, return_code(only()), ANNA).status_code == 429
    elsewhere = new_browser(REMOTE_ADDR="192.0.2.7")
    assert enter(elsewhere, anna, return_code(only()), ANNA).status_code == 302


# Addresses that cannot be meant


@pytest.mark.parametrize(
    "label", ["", "{{%PROLIFIC_PID%}}", "{id}", "[ID]", "%SURVEY_CODE%", "${workerId}", "<id>"]
)
def test_a_placeholder_that_was_not_filled_in_is_refused_and_said(
    browser: Browser, label: str
) -> None:
    found = recruiting(panel="prolific")
    for name in ANNA:
        labels = {key: label if key == name else value for key, value in ANNA.items()}
        answer = browser.get(link(found), labels)
        assert answer.status_code == 403
        assert ("instead of your ID" in text(answer)) == bool(label)
        assert send_agreement(browser, found, labels).status_code == 403
    assert not Arrival.objects.exists()


# The researcher


@pytest.mark.parametrize(
    ("panel", "query"),
    [
        ("prolific", "?" + "&".join(f"{name}={{{{%{name}%}}}}" for name in ANNA)),
        ("sona", "?survey_code=%SURVEY_CODE%"),
        ("mturk", ""),
        ("class", "?student={student}"),
        ("", "?pid={pid}&study={study}"),
    ],
)
def test_a_panel_has_its_address_in_its_own_syntax(
    researcher: Browser, panel: str, query: str
) -> None:
    names = " ".join(PANELS[panel].names) if panel in PANELS else "pid study"
    found = recruiting(panel=panel, labels=names)
    page = text(researcher.get("/trials/study/open/")).replace("&amp;", "&")
    assert f"/join/{found.token}/{query}</code>" in page


# Which browsers, and which sessions

PHONE = "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"
LATER = ANNA | {"SESSION_ID": "t9"}


@pytest.mark.parametrize(
    ("agent", "kind"),
    [
        (PHONE, "Firefox, Android"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge, Windows"),
        ("Mozilla/5.0 (iPhone; like Mac OS X) Version/18.0 Safari/604.1", "Safari, iOS"),
        ("Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36", "Chrome, Linux"),
        ("curl/8.0", ""),
    ],
)
def test_a_browser_is_described_coarsely(agent: str, kind: str) -> None:
    assert parse_browser_kind(agent) == kind


def test_the_log_says_from_where_a_place_was_entered(
    browser: Browser, new_browser: NewBrowser, researcher: Browser
) -> None:
    found = recruiting()
    agree(browser, found, ANNA)
    phone = new_browser(HTTP_USER_AGENT=PHONE)
    enter(phone, found, return_code(only()), ANNA)
    next_game(phone)
    phone.post("/take-part/leave")
    assert browser.post("/take-part/game").status_code == 302
    desk = new_browser()
    desk.get(make_link_path(only()))
    next_game(desk)
    noted = found.trial.events.filter(participant=only()).order_by("pk")
    assert [(one.kind, one.detail) for one in noted] == [
        ("entered", {"by": "label"}),
        ("device", {"by": "code", "browser": "Firefox, Android"}),
        ("left", {}),
        ("returned", {"another_browser": True, "by": "label"}),
        ("device", {"by": "link"}),
    ]
    page = text(researcher.get("/trials/study/monitor/"))
    assert re.search(r'id="entries".*R01: Went on in another browser', page, re.DOTALL)
    for detail in ("way in: the participant code", "browser: Firefox, Android"):
        assert re.search(rf"<small[^>]*>{detail}</small>", page)


def test_another_session_of_the_same_person_is_noted_and_no_new_place(
    browser: Browser, researcher: Browser
) -> None:
    found = recruiting(complete="https://panel.example/?session={SESSION_ID}")
    agree(browser, found, ANNA)
    for labels in (ANNA, LATER, LATER, {"PROLIFIC_PID": "anna"}):
        assert browser.get(link(found), labels).headers["Location"] == "/take-part/"
    came = Arrival.objects.get()
    assert [labels for _at, labels in came.visits] == [ANNA, LATER]
    (noted,) = found.trial.events.filter(kind=TrialEvent.Kind.ARRIVED)
    assert noted.detail == {"labels": ["SESSION_ID"]}
    finish(next_game(browser))
    assert "?session=t9" in text(browser.get("/take-part/"))
    rows = text(researcher.get("/trials/study/labels.csv")).splitlines()
    assert [row.split(",")[:4] for row in rows[1:]] == [
        ["R01", "anna", "s1", session] for session in ("t1", "t9")
    ]
    assert "changed external IDs: SESSION_ID" in text(researcher.get("/trials/study/monitor/"))


def test_somebody_who_only_has_the_label_notes_no_session(
    anna: Recruitment, browser: Browser, new_browser: NewBrowser
) -> None:
    stranger = new_browser()
    stranger.get(link(anna), LATER)
    stranger.post(f"{link(anna, 'code')}?{urlencode(LATER)}", {"code": "AAAA-AAAA"})
    assert Arrival.objects.get().later == []
    enter(stranger, anna, return_code(only()), LATER)
    assert Arrival.objects.get().latest == LATER
    for number in range(MOST_LATER + 1):  # sessions that are made up fill no database
        browser.get(link(anna), ANNA | {"SESSION_ID": f"made-up-{number}"})
    assert len(Arrival.objects.get().later) == MOST_LATER
    assert anna.trial.events.filter(kind=TrialEvent.Kind.ARRIVED).count() == MOST_LATER
