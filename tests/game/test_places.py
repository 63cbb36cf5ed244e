"""A place belongs to one person: a label finds it, however it is written, and its code opens it."""

import re
import zlib
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.http import urlencode
from hypothesis import given
from hypothesis import strategies as st

from game.models import Game
from game.trials.design.writing import close_trial
from game.trials.joining import withdrawing
from game.trials.joining.links import make_link_path, return_code
from game.trials.joining.recruiting import (
    MOST_LATER,
    PANELS,
    CodeNeeded,
    HasWithdrawn,
    recruit_agree,
)
from game.trials.joining.withdrawing import has_label_withdrawn, withdraw_participant
from game.trials.joining.writing import issue_link, parse_browser_kind, revoke_link
from game.trials.models import (
    LONGEST_LABEL,
    Arrival,
    Participant,
    Recruitment,
    Trial,
    TrialEvent,
    WithdrawnLabel,
    normalise_label,
)
from tests.game.test_recovery import models_at
from tests.game.test_recruitment import ANNA, BEN, agree, everything, link, only, recruiting
from tests.known import known
from tests.play import Answer, Browser, text
from tests.trials import finish, next_game, researcher_user

pytestmark = pytest.mark.django_db


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
    anna: Recruitment,
) -> None:
    stranger, game = Browser(), Game.objects.get()
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


def test_the_page_is_the_same_whether_the_place_was_played_in_or_not(anna: Recruitment) -> None:
    agree(Browser(), anna, BEN)
    close_trial(trial=anna.trial)
    pages = [text(Browser().get(link(anna), labels)) for labels in (ANNA, BEN)]
    varying = r'(action="[^"]*"|name="csrfmiddlewaretoken" value="[^"]*"|nonce="[^"]*"|csrf[^>]*)'
    one, other = (re.sub(varying, "", page) for page in pages)
    assert one == other


# The owner of a place


def test_the_code_of_the_page_after_agreeing_leads_on_in_another_browser(
    anna: Recruitment, browser: Browser, researcher: Browser
) -> None:
    assert return_code(only()) in text(researcher.get("/trials/study/monitor/"))
    shown = text(browser.get("/take-part/"))
    code = known(re.search(r'id="return-code"[^>]*>([^<]+)<', shown))[1]
    assert re.fullmatch(r"[A-Z2-9]{4}-[A-Z2-9]{4}", code)
    assert f"http://testserver{make_link_path(only())}" in shown
    assert "<svg" in shown
    for typed in (code, code.lower().replace("-", " ")):
        phone = Browser()
        assert enter(phone, anna, typed, ANNA).headers["Location"] == "/take-part/"
        assert next_game(phone) == Game.objects.get()


def test_a_wrong_code_lets_nobody_in_and_is_noted(anna: Recruitment) -> None:
    agree(Browser(), anna, BEN)
    of_ben = return_code(Arrival.objects.get(label="ben").participant)
    for wrong in ("", "AAAA-AAAA", of_ben):
        stranger = Browser()
        assert enter(stranger, anna, wrong, ANNA).status_code == 409
        assert stranger.get("/take-part/").status_code == 403
    kinds = anna.trial.events.filter(participant__arrival__label="anna")
    assert list(kinds.values_list("kind", flat=True)) == ["entered", *["code_refused"] * 3]


def test_a_code_of_a_link_that_was_replaced_or_of_no_place_is_worth_nothing(
    anna: Recruitment, browser: Browser
) -> None:
    old = return_code(only())
    issue_link(participant=only())
    new = return_code(only())
    for code, status in ((old, 409), (new, 302)):
        assert enter(Browser(), anna, code, ANNA).status_code == status
        nobody = link(anna, "code?PROLIFIC_PID=nobody")
        assert Browser().post(nobody, {"code": code}).status_code == 409
    revoke_link(participant=only())
    assert enter(Browser(), anna, new, ANNA).status_code == 409


def test_codes_cannot_be_guessed_for_long(
    anna: Recruitment, settings: pytest.FixtureRequest
) -> None:
    settings.LOGIN_FAILURES = 3  # type: ignore[attr-defined]
    stranger = Browser()
    answers = [enter(stranger, anna, "AAAA-AAAA", written_as(label)) for label in WRITTEN[:4]]
    assert [answer.status_code for answer in answers] == [409, 409, 409, 429]
    assert enter(Browser(), anna, return_code(only()), ANNA).status_code == 429
    elsewhere = Browser(REMOTE_ADDR="192.0.2.7")
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


def test_the_log_says_from_where_a_place_was_entered(browser: Browser, researcher: Browser) -> None:
    found = recruiting()
    agree(browser, found, ANNA)
    phone = Browser(HTTP_USER_AGENT=PHONE)
    enter(phone, found, return_code(only()), ANNA)
    for _ in range(2):
        next_game(phone)
    phone.post("/take-part/leave")
    assert browser.post("/take-part/game").status_code == 302
    desk = Browser()
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
    anna: Recruitment, browser: Browser
) -> None:
    stranger = Browser()
    stranger.get(link(anna), LATER)
    stranger.post(f"{link(anna, 'code')}?{urlencode(LATER)}", {"code": "AAAA-AAAA"})
    assert Arrival.objects.get().later == []
    enter(stranger, anna, return_code(only()), LATER)
    assert Arrival.objects.get().latest == LATER
    for number in range(MOST_LATER + 1):  # sessions that are made up fill no database
        browser.get(link(anna), ANNA | {"SESSION_ID": f"made-up-{number}"})
    assert len(Arrival.objects.get().later) == MOST_LATER
    assert anna.trial.events.filter(kind=TrialEvent.Kind.ARRIVED).count() == MOST_LATER


# An external ID is the same however it is written


# Each is "anna": in capitals, in full width, with a soft hyphen, a blank, a word joiner, a filler.
WRITTEN = [
    "ANNA",
    "ａｎｎａ",
    "an\u00adna",
    " an na",
    "anna\u2060",
    "\u3164anna",
    "an\u200dNA\ufe0f",
]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        *((written, "anna", True) for written in WRITTEN),
        ("é", "e\u0301", True),
        ("é", "e\u200d\u0301", True),
        ("STRASSE", "straße", True),
        ("ﬁn", "FIN", True),
        ("Ω", "ω", True),
        ("anna", "hanna", False),
        ("o", "0", False),
        ("a-b", "ab", False),
        ("é", "e", False),
    ],
)
def test_composition_case_and_ligatures_make_no_other_key(one: str, other: str, same: bool) -> None:
    assert (normalise_label(one) == normalise_label(other)) == same


@given(st.text(max_size=30))
def test_a_key_is_its_own_key_and_fits_its_column(label: str) -> None:
    key = normalise_label(label * 20)
    assert normalise_label(key) == key
    assert len(key) <= LONGEST_LABEL
    assert not any(letter.isspace() or letter < " " for letter in key)


def written_as(label: str) -> dict[str, str]:
    return ANNA | {"PROLIFIC_PID": label}


def test_a_label_written_differently_is_the_same_participant(browser: Browser) -> None:
    complete = "https://panel.example/?of={PROLIFIC_PID}"
    found, written = recruiting(quota=9, complete=complete), WRITTEN[-1]
    agree(browser, found, ANNA)
    other = Browser()
    assert 'name="code"' in text(other.get(link(found), written_as(written)))
    assert browser.get(link(found), written_as(written)).headers["Location"] == "/take-part/"
    (arrival,) = Arrival.objects.all()
    assert (arrival.label, arrival.later) == ("anna", [])  # the same label is no other session
    assert only().trial.participants.filter(consent__isnull=False).count() == 1
    finish(next_game(browser))
    assert "?of=anna" in text(browser.get("/take-part/")), "as it was sent at first"
    withdraw_participant(participant=only())
    with pytest.raises(HasWithdrawn):
        recruit_agree(recruitment=found, version=1, parameters=written_as(written))


def test_the_database_refuses_a_second_place_for_a_key() -> None:
    found = recruiting(quota=9)
    recruit_agree(recruitment=found, version=1, parameters=ANNA)
    ben = recruit_agree(recruitment=found, version=1, parameters=BEN)
    guest = Participant.objects.create(trial=found.trial, number=9_999)
    for changed in (
        lambda: Arrival.objects.filter(participant=ben).update(key="anna"),
        lambda: Arrival.objects.create(
            trial=found.trial, participant=guest, label="ANNA", at=timezone.now()
        ),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            changed()


def test_a_digest_of_an_earlier_version_counts_for_the_label_as_it_was_sent() -> None:
    trial = recruiting().trial
    digest = withdrawing._hash_label(trial, "ANNA")[1]
    WithdrawnLabel.objects.create(trial=trial, digest=digest)
    assert [has_label_withdrawn(trial, label) for label in ("ANNA", "BEN")] == [True, False]


# Old rows


@pytest.mark.django_db(transaction=True)
def test_old_rows_get_keys_what_collides_keeps_its_place_and_a_withdrawn_label_stays_withdrawn(
    capsys: Any, browser: Browser
) -> None:
    """Before labels had keys: three places of "anna", one of "ben" and "zoe"; "yan" withdrew."""
    found = recruiting(quota=9)
    labels = ("Anna", "ben", "ANNA", "an\u200bna", "Zoe")
    people = [
        recruit_agree(recruitment=found, version=1, parameters=written_as(label))
        for label in [*(f"{n}{label}" for n, label in enumerate(labels)), "Yan"]
    ]
    withdraw_participant(participant=people.pop())
    WithdrawnLabel.objects.update(digest=withdrawing._hash_label(found.trial, "Yan")[1])
    packed = zlib.compress(b'[{"model": "game.arrival", "fields": {"label": "Yan"}}]')
    gone = Participant.objects.get(withdrawn_at__isnull=False).pk
    before = models_at("0004_spent_tickets")
    rows = before.get_model("game", "Withdrawal").objects
    rows.create(participant_id=gone, at=timezone.now(), rows=packed)
    arrivals = before.get_model("game", "Arrival").objects
    for person, label in zip(people, labels, strict=True):
        arrivals.filter(participant_id=person.pk).update(label=label, at=timezone.now())
    places = list(Arrival.objects.defer("key").order_by("at").values_list("participant", "label"))
    call_command("migrate", verbosity=0)
    kept = Arrival.objects.order_by("at")
    assert list(kept.values_list("participant", "label")) == places  # nobody is merged
    assert list(kept.values_list("key", flat=True)) == ["anna", "ben", "anna 2", "anna 3", "zoe"]
    (event,) = TrialEvent.objects.filter(kind=TrialEvent.Kind.SAME_LABEL)
    assert (event.trial, event.detail) == (found.trial, {"places": ["R01", "R03", "R04"]})
    assert "study: R01, R03, R04" in capsys.readouterr().out
    assert has_label_withdrawn(Trial.objects.get(), "yan")
    browser.force_login(researcher_user())
    assert "places: R01, R03, R04" in text(browser.get("/trials/study/"))
