"""The open link: strangers with labels, one place each, sent away with what was laid down."""

import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from game.core.refusals import Refused
from game.models import Player
from game.trials.design.masking import format_stopping_warning, is_rule_met
from game.trials.design.people import WAYS_OUT, count_outcomes
from game.trials.design.writing import close_trial, configure_trial
from game.trials.exports.files import Export
from game.trials.joining.links import make_link_path, return_code
from game.trials.joining.recruiting import (
    NoPlaceLeft,
    delete_labels,
    recruit_agree,
    store_recruitment,
)
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.models import Arrival, Participant, Preregistration, Recruitment, Trial
from game.trials.monitor import monitor
from tests.known import known
from tests.play import NOON, Answer, Browser, Clock, text
from tests.trials import (
    CONSENT,
    finish,
    joined,
    new_trial,
    next_game,
    play_next,
    preregister,
    researcher_user,
)

pytestmark = pytest.mark.django_db
ANNA = {"PROLIFIC_PID": "anna", "STUDY_ID": "s1", "SESSION_ID": "t1"}
BEN = {"PROLIFIC_PID": "ben", "STUDY_ID": "s1", "SESSION_ID": "t2"}


def recruiting(*, trial: dict[str, Any] | None = None, **settings: Any) -> Recruitment:
    wanted: dict[str, Any] = {"places": 1, "games_each": 1, "questionnaire": False} | (trial or {})
    made = new_trial(**wanted)
    ways_out = {name: settings.pop(name) for name in WAYS_OUT if name in settings}
    usual = {"open": True, "quota": 2, "ways_out": ways_out}
    return store_recruitment(trial=made, **(usual | settings))


def link(found: Recruitment, what: str = "") -> str:
    return f"/join/{found.token}/{what}"


def agree(browser: Browser, found: Recruitment, labels: dict[str, str]) -> Answer:
    page = text(browser.get(link(found), labels))
    action = known(re.search(r'action="(/join/[^"]+)"', page))[1].replace("&amp;", "&")
    return browser.post(action, {"version": 1, "agree": "on"})


def everything() -> list[int]:
    return [model.objects.count() for model in (Participant, Player, Arrival)]


def sent(browser: Browser, found: Recruitment, address: str, version: int = 1) -> int:
    agreed = browser.post(link(found, address), {"version": version, "agree": "on"})
    return agreed.status_code


def only() -> Participant:
    return Arrival.objects.get().participant


# Coming


def test_opening_the_link_and_not_agreeing_store_nothing(browser: Browser) -> None:
    found = recruiting(no_consent="https://panel.example/back?pid={PROLIFIC_PID}&code=NO")
    before = everything()
    with CaptureQueriesContext(connection) as captured:
        assert CONSENT in text(browser.get(link(found), ANNA))
        browser.head(link(found), ANNA)
        page = text(browser.get(link(found, "no"), {"PROLIFIC_PID": "a&b"}))
    assert 'href="https://panel.example/back?pid=a%26b&amp;code=NO"' in page
    assert everything() == before
    assert [one["sql"] for one in captured if not one["sql"].startswith("SELECT")] == []
    assert browser.cookies.keys() <= {"csrftoken", "browser"}


YEAR = 365 * 24 * 60 * 60


def kept(browser: Browser) -> dict[str, object]:
    """For how long the browser keeps the cookies of trials; "" for its session."""
    names = ("browser", "participant")
    found = {name: browser.cookies[name] for name in names if name in browser.cookies}
    return {name: cookie["max-age"] for name, cookie in found.items() if cookie.value}


def test_a_browser_keeps_nothing_beyond_its_session_before_consent(
    browser: Browser, yatzy_tables: None
) -> None:
    found = recruiting()
    assert browser.get("/explore/").status_code == 200
    browser.get(link(found), ANNA)
    assert kept(browser) == {"browser": ""}
    assert browser.get("/explore/").status_code == 403  # the coach is closed
    browser.get(link(found, "no"), ANNA)  # who does not agree is forgotten
    assert kept(browser) == {}
    assert browser.get("/explore/").status_code == 200
    agree(browser, found, ANNA)
    assert kept(browser) == {"browser": YEAR, "participant": YEAR}
    browser.post("/take-part/leave")
    browser.get(link(found, "no"), ANNA)  # nor is it forgotten what was agreed to before
    assert kept(browser) == {"browser": YEAR}
    assert browser.get("/explore/").status_code == 403
    close_trial(trial=found.trial)
    assert browser.get("/explore/").status_code == 200


def test_a_personal_link_is_kept_for_the_session_until_its_reader_agrees(browser: Browser) -> None:
    one = new_trial().participants.get(number=1)
    browser.get(make_link_path(one))
    assert kept(browser) == {"browser": "", "participant": ""}
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    other = Browser()
    other.get(make_link_path(one))
    assert kept(other) == kept(browser) == {"browser": YEAR, "participant": YEAR}


def test_personal_links_keep_their_places(browser: Browser) -> None:
    found = recruiting(trial={"places": 2})
    agree(browser, found, ANNA)
    trial = found.trial
    assert trial.participants.filter(consent__isnull=True).count() == 2
    configure_trial(trial=trial, consent=CONSENT, places=3)
    configure_trial(trial=trial, consent=CONSENT, places=1)
    labels = [one.label for one in trial.participants.order_by("number")]
    assert labels == ["P01", "R01"]
    browser.force_login(researcher_user("rosa"))
    for address in ("links/", "links.csv"):
        assert "R01" not in text(browser.get(f"/trials/study/{address}"))


def test_a_return_goes_on_in_the_same_and_by_its_link_in_another_browser(browser: Browser) -> None:
    found = recruiting()
    assert agree(browser, found, ANNA).headers["Location"] == "/take-part/"
    game, one = next_game(browser), only()
    assert game.trial_game.participant == one
    assert (one.label, one.arrival.parameters) == ("R01", ANNA)
    for again, address in ((browser, link(found)), (Browser(), make_link_path(only()))):
        assert again.get(address, ANNA).headers["Location"] == "/take-part/"
        assert next_game(again) == game
    assert Arrival.objects.count() == 1


def test_a_return_in_another_browser_is_refused_where_only_one_may_go_on(browser: Browser) -> None:
    found = recruiting(trial={"resume": "one"})
    agree(browser, found, ANNA)
    other = Browser()
    code = {"code": return_code(only())}
    assert other.post(link(found, "code?PROLIFIC_PID=anna"), code).status_code == 403
    assert other.get(make_link_path(only())).status_code == 403
    sent(other, found, "agree?PROLIFIC_PID=anna")
    assert other.get("/take-part/").status_code == 403


def test_one_label_has_one_place_however_often_it_agrees(browser: Browser) -> None:
    found = recruiting(quota=5)
    pages = [browser, Browser()]
    for one in pages:  # both saw the text before either agreed
        assert one.get(link(found), ANNA).status_code == 200
    for one in pages:
        sent(one, found, "agree?PROLIFIC_PID=anna")
    assert Arrival.objects.count() == 1
    assert Participant.objects.filter(consent__isnull=False).count() == 1


def test_two_people_cannot_share_a_browser_without_one_leaving(browser: Browser) -> None:
    found = recruiting()
    agree(browser, found, ANNA)
    assert browser.get(link(found), BEN).status_code == 403
    browser.post("/take-part/leave")
    agree(browser, found, BEN)
    assert Arrival.objects.count() == 2


@pytest.mark.parametrize("labels", [{}, {"PROLIFIC_PID": " "}, {"STUDY_ID": "s1"}])
def test_an_address_without_the_person_s_label_lets_nobody_in(
    browser: Browser, labels: dict[str, str]
) -> None:
    assert browser.get(link(recruiting()), labels).status_code == 403
    assert browser.get("/join/abcdefgh/", ANNA).status_code == 403  # a forged address


def test_any_names_can_be_asked_for_or_none(browser: Browser) -> None:
    """Without names the browser alone says who comes; others than these are not kept."""
    agree(Browser(), recruiting(labels="id"), {"id": "7", "mail": "anna@example.org"})
    assert Arrival.objects.get().parameters == {"id": "7"}
    Arrival.objects.all().delete()
    found = recruiting(labels="", trial={"slug": "unnamed"})
    agree(browser, found, {})
    assert browser.get(link(found)).headers["Location"] == "/take-part/"
    agree(Browser(), found, {})
    assert not Arrival.objects.exists()
    labels = found.trial.participants.filter(consent__isnull=False).order_by("number")
    assert [one.label for one in labels] == ["R01", "R02"]


# Quota, and who is let in


def test_no_more_come_than_the_quota_and_the_rest_is_sent_away() -> None:
    found = recruiting(quota=2, full="FULL-1", trial={"language": "sv"})
    assert '<html lang="sv"' in text(Browser().get(link(found), ANNA))
    for labels in (ANNA, BEN):
        agree(Browser(), found, labels)
    late = Browser()
    assert "FULL-1" in text(late.get(link(found), {"PROLIFIC_PID": "carl"}))
    sent(late, found, "agree?PROLIFIC_PID=carl")
    assert Arrival.objects.count() == 2
    assert 'name="code"' in text(Browser().get(link(found), ANNA))


def test_a_withdrawal_makes_room_and_leaves_no_label(browser: Browser) -> None:
    found = recruiting(quota=1)
    assert sent(browser, found, "agree?PROLIFIC_PID=a", version=9) == 409  # an earlier text
    assert not Arrival.objects.exists()
    agree(browser, found, ANNA)
    with pytest.raises(NoPlaceLeft):
        recruit_agree(recruitment=found, version=1, parameters=BEN)
    browser.post("/take-part/withdraw", {"confirm": "on"})
    assert not Arrival.objects.exists()
    assert recruit_agree(recruitment=found, version=1, parameters=BEN).label == "R02"


@pytest.mark.parametrize("how", ["link", "draft", "closed"])
def test_a_link_that_is_not_open_lets_nobody_in(browser: Browser, how: str) -> None:
    found = recruiting(trial={"opened": how != "draft"}, open=how != "link")
    if how == "closed":
        close_trial(trial=found.trial)
    assert browser.get(link(found), ANNA).status_code == 403
    with pytest.raises(Refused):
        recruit_agree(recruitment=Recruitment.objects.get(), version=1, parameters=ANNA)
    assert not Arrival.objects.exists()


@pytest.mark.parametrize("seconds", [-1, 0])
def test_after_so_many_hours_away_a_participant_cannot_go_on(
    browser: Browser, clock: Clock, seconds: int
) -> None:
    found = recruiting(trial={"resume": "6", "games_each": 2}, timed_out="LATE-7")
    agree(browser, found, ANNA)
    game = next_game(browser)
    clock(NOON + timedelta(hours=5))
    browser.act(game, "hold", seq=1, slot=[0])
    clock(NOON + timedelta(hours=11, seconds=seconds))
    gone = seconds == 0
    page = text(browser.get("/take-part/"))
    assert ("LATE-7" in page, 'id="next-game"' in page) == (gone, not gone)
    assert ("You were away for 6 hours" in page) == gone
    (row,) = [row for row in monitor(found.trial).rows if row.participant == only()]
    assert row.state == ("timed_out" if gone else "away")
    assert count_outcomes(found.trial, timezone.now())["timed_out"] == gone
    assert (browser.act(game, "hold", seq=2, slot=[0]).status_code == 409) == gone
    assert browser.get("/take-part/withdraw").status_code == 200


@pytest.mark.parametrize("follow_up", [0, 1])
def test_nobody_is_away_who_played_all_or_waits_for_the_follow_up(
    browser: Browser, clock: Clock, follow_up: int
) -> None:
    trial = {"resume": "6", "games_follow_up": follow_up, "follow_up_days": 14 * follow_up}
    found = recruiting(trial=trial)
    agree(browser, found, ANNA)
    finish(next_game(browser))
    clock(NOON + timedelta(days=15))
    assert count_outcomes(found.trial, timezone.now())["timed_out"] == 0
    page = text(browser.get("/take-part/"))
    assert ('id="next-game"' in page, "You were away" in page) == (bool(follow_up), False)


# Staff


def test_labels_are_a_file_of_their_own_and_in_no_export(
    browser: Browser, researcher: Browser, tmp_path: Path
) -> None:
    found = recruiting(quota=5)
    agree(browser, found, {"PROLIFIC_PID": "=cmd", "STUDY_ID": "s9"})
    game = next_game(browser)
    Export(found.trial).write(tmp_path)
    for path in tmp_path.glob("*.*"):
        assert not re.search(rb"=cmd|\bs9\b", path.read_bytes()), path
    finish(game)
    rows = text(researcher.get("/trials/study/labels.csv")).splitlines()
    assert rows[0] == "participant,PROLIFIC_PID,STUDY_ID,SESSION_ID,arrived_at,outcome"
    assert re.fullmatch("R01,'=cmd,s9,,.+,complete", rows[1])
    agree(Browser(), found, BEN)
    page = text(researcher.get("/trials/study/open/"))
    counts = dict(re.findall(r"<dt>(.*?)</dt><dd>(\d+)</dd>", page))
    told = {name: int(people) for name, people in counts.items() if int(people)}
    assert told == {"Places left": 3, "Under way": 1, "Complete": 1}
    assert len(counts) == 9
    for sent, left in (({}, 2), ({"confirm": "on"}, 0)):
        researcher.post("/trials/study/labels/delete", sent)
        assert Arrival.objects.count() == left
    assert browser.get("/take-part/").status_code == 200  # the place stays
    assert delete_labels(trial=found.trial) == 0


# A stopping rule out of reach


def test_a_rule_is_in_reach_as_long_as_places_are_free_or_kept() -> None:
    """Four are to play; there is one personal link, and three places by the open one."""
    ruled = recruiting(quota=3)
    preregister(ruled.trial, stopping="people", stopping_people=4)

    def warning() -> str:
        return format_stopping_warning(Trial.objects.get())

    Recruitment.objects.update(open=False)
    assert "only 1 can" in warning()  # the personal link
    Trial.objects.update(opened_at=None)
    assert warning() == ""
    Trial.objects.update(opened_at=timezone.now())
    Recruitment.objects.update(open=True)
    ruled.refresh_from_db()
    for number in range(3):
        labels = ANNA | {"PROLIFIC_PID": str(number)}
        recruit_agree(recruitment=ruled, version=1, parameters=labels)
        assert warning() == ""
    Participant.objects.filter(arrival__label="0").update(screened_out_at=timezone.now())
    assert warning() == ""  # another may come
    Recruitment.objects.update(open=False)
    assert "only 3 can" in warning()
    first = joined(ruled.trial)
    Participant.objects.filter(pk=first.pk).update(screened_out_at=timezone.now())
    assert "only 2 can" in warning()
    Preregistration.objects.update(locked_at=None, document="", digest="")
    assert warning() == "", "a plan that is not locked"


def met(trial: Trial) -> bool:
    found = Preregistration.objects.select_related("trial").get(trial=trial)
    return is_rule_met(found, timezone.now())


def test_everybody_has_played_when_nobody_is_waited_for_any_more() -> None:
    """A participant by the open link is one of them; one who left by it is not."""
    found = recruiting(quota=2)
    trial = found.trial
    preregister(trial, stopping="everybody")
    people = [joined(trial)]
    for labels in (ANNA, BEN):
        assert not met(trial)
        people.append(recruit_agree(recruitment=found, version=1, parameters=labels))
    for one in people[:2]:
        play_next(one)
        assert not met(trial)
    withdraw_participant(participant=people[0])
    gone = Participant.objects.filter(pk=people[2].pk)
    gone.update(screened_out_at=timezone.now())
    assert not met(trial)  # its place is free again
    Recruitment.objects.update(open=False)
    assert met(trial)
    configure_trial(trial=trial, consent=CONSENT, places=2)
    assert not met(trial)  # somebody may still come
    configure_trial(trial=trial, consent=CONSENT, places=1)
    gone.update(screened_out_at=None)
    close_trial(trial=trial)
    assert not met(Trial.objects.get())


def test_people_have_played_all_when_the_follow_up_is_played_too() -> None:
    trial = new_trial(games_each=1, games_follow_up=1)
    preregister(trial, stopping="people", stopping_people=1)
    one = joined(trial)
    play_next(one)
    assert not met(trial)
    play_next(one)
    assert met(trial)
    found = Preregistration.objects.select_related("trial").get()
    assert not is_rule_met(found, timezone.now() - timedelta(minutes=1))


@pytest.mark.parametrize(("days", "warned"), [(-1, True), (0, False), (1, False)])
def test_a_day_that_is_over_is_out_of_reach(days: int, warned: bool) -> None:
    trial = new_trial()
    day: date = timezone.localdate() + timedelta(days=days)
    preregister(trial, stopping="date", stopping_date=day)
    assert bool(format_stopping_warning(trial)) is warned


# Labels of another study


@pytest.mark.parametrize(
    ("study", "status"), [("s1", 200), ("s2", 200), ("s3", 403), ("", 403), ("s1 s2", 403)]
)
def test_a_label_that_is_not_expected_is_refused_with_a_page_that_says_so(
    browser: Browser, study: str, status: int
) -> None:
    found = recruiting(expected="STUDY_ID=s1 STUDY_ID=s2")
    page = browser.get(f"/join/{found.token}/", ANNA | {"STUDY_ID": study})
    assert page.status_code == status
    assert ("address belongs to another study" in text(page)) is (status == 403)
    sent(browser, found, f"agree?PROLIFIC_PID=anna&STUDY_ID={study}")
    assert Arrival.objects.count() == (status == 200)
