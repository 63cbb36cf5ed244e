"""A place belongs to one person: a label finds it, and only who it belongs to goes in."""

import re

import pytest
from django.core.cache import cache
from django.utils.http import urlencode

from game.models import Game
from game.trials.design.writing import close_trial
from game.trials.joining.links import make_link_path, return_code
from game.trials.joining.presence import parse_browser_kind
from game.trials.joining.recruiting import MOST_LATER, PANELS, CodeNeeded, recruit_agree
from game.trials.joining.writing import issue_link, revoke_link
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
    agreed = stranger.post(
        f"{link(anna, 'agree')}?{urlencode(ANNA)}", {"version": 1, "agree": "on"}
    )
    assert 'name="code"' in text(agreed)
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


def test_two_who_agree_at_once_with_one_label_are_not_both_let_in() -> None:
    found = recruiting()
    one = recruit_agree(recruitment=found, version=1, parameters=ANNA)
    with pytest.raises(CodeNeeded):
        recruit_agree(recruitment=found, version=1, parameters=ANNA)
    again = recruit_agree(recruitment=found, version=1, parameters=ANNA, admitted=one)
    assert again == one


# The owner of a place


def test_the_code_of_the_page_after_agreeing_leads_on_in_another_browser(
    anna: Recruitment, browser: Browser, new_browser: NewBrowser
) -> None:
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
        page = enter(stranger, anna, wrong, ANNA)
        assert page.status_code == 409
        assert "not the code" in text(page)
        assert stranger.get("/take-part/").status_code == 403
    kinds = anna.trial.events.filter(participant__arrival__label="anna")
    assert list(kinds.values_list("kind", flat=True)) == ["entered", *["code_refused"] * 3]


def test_a_code_of_a_link_that_was_replaced_is_worth_nothing(
    anna: Recruitment, new_browser: NewBrowser
) -> None:
    old = return_code(only())
    issue_link(participant=only())
    assert enter(new_browser(), anna, old, ANNA).status_code == 409
    new = return_code(only())
    assert enter(new_browser(), anna, new, ANNA).status_code == 302
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


def test_a_code_for_a_label_without_a_place_is_as_wrong_as_any(
    anna: Recruitment, browser: Browser, new_browser: NewBrowser
) -> None:
    code = {"code": return_code(only())}
    posted = new_browser().post(link(anna, "code?PROLIFIC_PID=nobody"), code)
    assert posted.status_code == 409
    assert browser.post(link(anna, "code?PROLIFIC_PID=nobody"), code).status_code == 403


def test_by_which_way_a_place_was_entered_is_noted(
    anna: Recruitment, browser: Browser, new_browser: NewBrowser
) -> None:
    phone, desk = new_browser(), new_browser()
    enter(phone, anna, return_code(only()), ANNA)
    next_game(phone)
    desk.get(make_link_path(only()))
    next_game(desk)
    entered = anna.trial.events.filter(kind=TrialEvent.Kind.DEVICE).order_by("pk")
    assert [one.detail for one in entered] == [{"by": "code"}, {"by": "link"}]


# Addresses that cannot be meant


@pytest.mark.parametrize(
    "label", ["{{%PROLIFIC_PID%}}", "{id}", "[ID]", "%SURVEY_CODE%", "${workerId}", "<id>"]
)
def test_a_placeholder_that_was_not_filled_in_is_refused_and_said(
    browser: Browser, label: str
) -> None:
    found = recruiting(labels="PROLIFIC_PID STUDY_ID")
    for labels in ({"PROLIFIC_PID": label}, {"PROLIFIC_PID": "anna", "STUDY_ID": label}):
        answer = browser.get(link(found), labels)
        assert answer.status_code == 403
        assert "instead of your ID" in text(answer)
        posted = browser.post(
            f"{link(found, 'agree')}?{urlencode(labels)}", {"version": 1, "agree": "on"}
        )
        assert posted.status_code == 403
    assert not Arrival.objects.exists()


# The researcher


@pytest.mark.parametrize(
    ("panel", "query"),
    [
        (
            "prolific",
            "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
        ),
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


def test_prolific_s_study_and_session_have_to_be_there_too(browser: Browser) -> None:
    found = recruiting(panel="prolific")
    whole = {"PROLIFIC_PID": "anna", "STUDY_ID": "s", "SESSION_ID": "t"}
    for name in whole:
        lacking = {key: value for key, value in whole.items() if key != name}
        answer = browser.get(link(found), lacking)
        assert answer.status_code == 403
        assert name in text(answer)
    agree(browser, found, whole)
    assert Arrival.objects.get().parameters == whole


def test_the_monitor_tells_whoever_runs_the_trial_the_code(
    anna: Recruitment, researcher: Browser
) -> None:
    assert return_code(only()) in text(researcher.get("/trials/study/monitor/"))


# Which browsers, and which sessions

PHONE = "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"
LATER = ANNA | {"SESSION_ID": "t9"}


@pytest.mark.parametrize(
    ("agent", "kind"),
    [
        (PHONE, "Firefox, Android"),
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
            "Edge, Windows",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
            "Safari, iOS",
        ),
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
    noted = found.trial.events.filter(participant=only()).order_by("pk")
    assert [(one.kind, one.detail) for one in noted] == [
        ("entered", {"by": "label"}),
        ("device", {"by": "code", "browser": "Firefox, Android"}),
        ("left", {}),
        ("returned", {"another_browser": True, "by": "label"}),
    ]
    page = text(researcher.get("/trials/study/monitor/"))
    assert 'id="entries"' in page
    assert re.search(
        r"<td>\s*R01: Went on in another browser\s*"
        r"<br><small[^>]*>way in: the participant code</small>"
        r"<br><small[^>]*>browser: Firefox, Android</small>",
        page,
    )
    assert "different browser: yes" in page


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
    anna: Recruitment, new_browser: NewBrowser
) -> None:
    stranger = new_browser()
    stranger.get(link(anna), LATER)
    stranger.post(f"{link(anna, 'code')}?{urlencode(LATER)}", {"code": "AAAA-AAAA"})
    assert Arrival.objects.get().later == []
    enter(stranger, anna, return_code(only()), LATER)
    assert Arrival.objects.get().latest == LATER


def test_sessions_that_are_made_up_fill_no_database(anna: Recruitment, browser: Browser) -> None:
    for number in range(MOST_LATER + 1):
        browser.get(link(anna), ANNA | {"SESSION_ID": f"made-up-{number}"})
    assert len(Arrival.objects.get().later) == MOST_LATER
    assert anna.trial.events.filter(kind=TrialEvent.Kind.ARRIVED).count() == MOST_LATER
