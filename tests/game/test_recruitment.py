"""The open link: strangers with labels, one place each, sent away with what was laid down."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from game.core.refusals import Refused
from game.models import Player
from game.trials.design.people import WAYS_OUT, count_outcomes
from game.trials.design.phases import ArmSettings
from game.trials.design.writing import close_trial, configure_trial
from game.trials.exports.files import export_now
from game.trials.joining.links import make_link_path, return_code
from game.trials.joining.recruiting import (
    NoPlaceLeft,
    delete_labels,
    recruit_agree,
    store_recruitment,
)
from game.trials.models import Arrival, Participant, Recruitment
from game.trials.monitor import monitor
from tests.game.test_arms import finish
from tests.game.test_trials import next_game
from tests.known import known
from tests.play import NOON, Answer, Browser, Clock, text
from tests.trials import CONSENT, new_trial, researcher_user

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


def only() -> Participant:
    return Arrival.objects.get().participant


# Coming


def test_opening_the_link_stores_nothing_and_changes_no_row(browser: Browser) -> None:
    found = recruiting()
    before = everything()
    with CaptureQueriesContext(connection) as captured:
        page = text(browser.get(link(found), ANNA))
        browser.head(link(found), ANNA)
        browser.get(link(found, "no"), ANNA)
    assert CONSENT in page
    assert everything() == before
    assert [one["sql"] for one in captured if not one["sql"].startswith("SELECT")] == []
    assert browser.cookies.keys() <= {"csrftoken", "browser"}


def test_the_coach_is_closed_from_the_open_link_on_until_the_trial_is(
    browser: Browser, yatzy_tables: None
) -> None:
    found = recruiting()
    assert browser.get("/explore/").status_code == 200
    browser.get(link(found), ANNA)
    assert browser.get("/explore/").status_code == 403
    close_trial(trial=found.trial)
    assert browser.get("/explore/").status_code == 200


YEAR = 365 * 24 * 60 * 60


def kept(browser: Browser) -> dict[str, object]:
    """For how long the browser keeps the cookies of trials; "" for its session."""
    names = ("browser", "participant")
    found = {name: browser.cookies[name] for name in names if name in browser.cookies}
    return {name: cookie["max-age"] for name, cookie in found.items() if cookie.value}


def test_a_browser_keeps_nothing_beyond_its_session_before_consent(browser: Browser) -> None:
    found = recruiting()
    browser.get(link(found), ANNA)
    assert kept(browser) == {"browser": ""}
    agree(browser, found, ANNA)
    assert kept(browser) == {"browser": YEAR, "participant": YEAR}


def test_a_personal_link_is_kept_for_the_session_until_its_reader_agrees(
    browser: Browser, new_browser: type[Browser]
) -> None:
    one = new_trial().participants.get(number=1)
    browser.get(make_link_path(one))
    assert kept(browser) == {"browser": "", "participant": ""}
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    assert kept(browser) == {"browser": YEAR, "participant": YEAR}
    other = new_browser()
    other.get(make_link_path(one))
    assert kept(other) == {"browser": YEAR, "participant": YEAR}


def test_a_browser_forgets_a_trial_whose_reader_does_not_agree(
    browser: Browser, yatzy_tables: None
) -> None:
    found = recruiting()
    browser.get(link(found), ANNA)
    browser.get(link(found, "no"), ANNA)
    assert kept(browser) == {}
    assert browser.get("/explore/").status_code == 200


def test_a_browser_that_took_part_stays_closed_whatever_its_reader_declines_later(
    browser: Browser, yatzy_tables: None
) -> None:
    found = recruiting()
    agree(browser, found, ANNA)
    browser.post("/take-part/leave")
    browser.get(link(found, "no"), ANNA)
    assert kept(browser) == {"browser": YEAR}
    assert browser.get("/explore/").status_code == 403


def test_consent_takes_a_place_and_keeps_the_labels_apart(browser: Browser) -> None:
    found = recruiting()
    assert agree(browser, found, ANNA).headers["Location"] == "/take-part/"
    one = only()
    assert one.label == "R01"
    assert Arrival.objects.get().parameters == ANNA
    assert "You take part as R01" in text(browser.get("/take-part/"))
    assert next_game(browser).trial_game.participant == one


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
    assert "R01" not in text(browser.get("/trials/study/links/"))
    assert "R01" not in text(browser.get("/trials/study/links.csv"))


def test_a_return_goes_on_in_the_same_and_by_its_link_in_another_browser(
    browser: Browser, new_browser: type[Browser]
) -> None:
    found = recruiting()
    agree(browser, found, ANNA)
    game = next_game(browser)
    for again, address in ((browser, link(found)), (new_browser(), make_link_path(only()))):
        assert again.get(address, ANNA).headers["Location"] == "/take-part/"
        assert next_game(again) == game
    assert Arrival.objects.count() == 1


def test_a_return_in_another_browser_is_refused_where_only_one_may_go_on(
    browser: Browser, new_browser: type[Browser]
) -> None:
    found = recruiting(trial={"resume": "one"})
    agree(browser, found, ANNA)
    other = new_browser()
    code = {"code": return_code(only())}
    assert other.post(link(found, "code?PROLIFIC_PID=anna"), code).status_code == 403
    assert other.get(make_link_path(only())).status_code == 403
    other.post(link(found, "agree?PROLIFIC_PID=anna"), {"version": 1, "agree": "on"})
    assert other.get("/take-part/").status_code == 403


def test_one_label_has_one_place_however_often_it_agrees(
    browser: Browser, new_browser: type[Browser]
) -> None:
    found = recruiting(quota=5)
    pages = [browser, new_browser()]
    for one in pages:  # both saw the text before either agreed
        assert one.get(link(found), ANNA).status_code == 200
    for one in pages:
        one.post(link(found, "agree?PROLIFIC_PID=anna"), {"version": 1, "agree": "on"})
    assert Arrival.objects.count() == 1
    assert Participant.objects.filter(consent__isnull=False).count() == 1


def test_two_people_cannot_share_a_browser_without_one_leaving(browser: Browser) -> None:
    found = recruiting()
    agree(browser, found, ANNA)
    assert browser.get(link(found), BEN).status_code == 403
    browser.post("/take-part/leave")
    assert agree(browser, found, BEN).status_code == 302
    assert Arrival.objects.count() == 2


@pytest.mark.parametrize("labels", [{}, {"PROLIFIC_PID": " "}, {"STUDY_ID": "s1"}])
def test_an_address_without_the_person_s_label_lets_nobody_in(
    browser: Browser, labels: dict[str, str]
) -> None:
    found = recruiting()
    answer = browser.get(link(found), labels)
    assert answer.status_code == 403
    assert "PROLIFIC_PID" in text(answer)


def test_any_names_can_be_asked_for_and_others_are_not_kept(browser: Browser) -> None:
    found = recruiting(labels="id")
    agree(browser, found, {"id": "7", "mail": "anna@example.org"})
    assert Arrival.objects.get().parameters == {"id": "7"}


def test_without_names_the_browser_alone_says_who_comes(
    browser: Browser, new_browser: type[Browser]
) -> None:
    found = recruiting(labels="")
    agree(browser, found, {})
    assert browser.get(link(found)).headers["Location"] == "/take-part/"
    agree(new_browser(), found, {})
    assert not Arrival.objects.exists()
    labels = found.trial.participants.filter(consent__isnull=False).order_by("number")
    assert [one.label for one in labels] == ["R01", "R02"]


def test_the_page_is_in_the_language_of_the_trial(browser: Browser) -> None:
    found = recruiting(trial={"language": "sv"})
    assert '<html lang="sv"' in text(browser.get(link(found), ANNA))


# Quota, and who is let in


def test_no_more_come_than_the_quota_and_the_rest_is_sent_away(new_browser: type[Browser]) -> None:
    found = recruiting(quota=2, full="FULL-1")
    for labels in (ANNA, BEN):
        agree(new_browser(), found, labels)
    late = new_browser()
    page = text(late.get(link(found), {"PROLIFIC_PID": "carl"}))
    assert "All places in this trial are taken" in page
    assert "FULL-1" in page
    posted = late.post(link(found, "agree?PROLIFIC_PID=carl"), {"version": 1, "agree": "on"})
    assert "FULL-1" in text(posted)
    assert Arrival.objects.count() == 2
    assert "Your code" in text(new_browser().get(link(found), ANNA))


def test_whoever_withdrew_makes_room_and_leaves_no_label(browser: Browser) -> None:
    found = recruiting(quota=1)
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


def test_a_forged_link_is_refused(browser: Browser) -> None:
    recruiting()
    assert browser.get("/join/abcdefgh/", ANNA).status_code == 403


def test_a_text_that_was_changed_meanwhile_is_asked_about_again(browser: Browser) -> None:
    found = recruiting()
    refused = browser.post(link(found, "agree?PROLIFIC_PID=a"), {"version": 9, "agree": "on"})
    assert refused.status_code == 409
    assert not Arrival.objects.exists()
    assert not found.trial.participants.filter(consent__isnull=False).exists()


def test_strangers_are_given_arms_like_everybody_else(new_browser: type[Browser]) -> None:
    arms = [ArmSettings("off"), ArmSettings("after", coach="after")]
    found = recruiting(trial={"arms": arms}, quota=4)
    for number in range(4):
        browser = new_browser()
        agree(browser, found, {"PROLIFIC_PID": str(number)})
        browser.post("/take-part/game")
    given = found.trial.participants.filter(arm__isnull=False)
    assert sorted(known(one.draw) for one in given) == [1, 2, 3, 4]


# Sent away


def test_not_agreeing_leads_back_with_the_label_and_stores_nothing(browser: Browser) -> None:
    found = recruiting(no_consent="https://panel.example/back?pid={PROLIFIC_PID}&code=NO")
    before = everything()
    page = text(browser.get(link(found, "no"), {"PROLIFIC_PID": "a&b"}))
    assert 'href="https://panel.example/back?pid=a%26b&amp;code=NO"' in page
    assert everything() == before


def test_a_personal_link_leads_to_no_code(browser: Browser) -> None:
    found = recruiting(complete="DONE-42")
    browser.get(make_link_path(found.trial.participants.get(number=1)))
    browser.post("/take-part/agree", {"version": 1, "agree": "on"})
    finish(next_game(browser))
    assert "DONE-42" not in text(browser.get("/take-part/"))


def test_when_the_time_is_up_a_game_under_way_is_finished_and_no_other_begun(
    browser: Browser,
) -> None:
    found = recruiting(trial={"games_each": 2}, minutes=60, timed_out="LATE-7")
    agree(browser, found, ANNA)
    game = next_game(browser)
    player = known(only().player)
    Player.objects.filter(pk=player.pk).update(created_at=player.created_at - timedelta(hours=1))
    assert "LATE-7" not in text(browser.get("/take-part/"))
    assert next_game(browser) == game
    finish(game)
    page = text(browser.get("/take-part/"))
    assert "LATE-7" in page
    assert 'id="next-game"' not in page
    assert browser.post("/take-part/game").status_code == 409


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
    found = recruiting()
    agree(browser, found, {"PROLIFIC_PID": "=cmd", "STUDY_ID": "s9"})
    game = next_game(browser)
    export_now(found.trial).write(tmp_path, ["csv"])
    for path in tmp_path.glob("*.*"):
        assert not re.search(rb"=cmd|\bs9\b", path.read_bytes()), path
    finish(game)
    rows = text(researcher.get("/trials/study/labels.csv")).splitlines()
    assert rows[0] == "participant,PROLIFIC_PID,STUDY_ID,SESSION_ID,arrived_at,outcome"
    assert rows[1].startswith("R01,'=cmd,s9,,")
    assert rows[1].endswith(",complete")


def test_labels_are_deleted_with_one_action_and_the_games_stay(
    browser: Browser, researcher: Browser
) -> None:
    found = recruiting()
    agree(browser, found, ANNA)
    game = next_game(browser)
    researcher.post("/trials/study/labels/delete")
    assert Arrival.objects.exists()
    researcher.post("/trials/study/labels/delete", {"confirm": "on"})
    assert not Arrival.objects.exists()
    assert next_game(browser) == game
    assert delete_labels(trial=found.trial) == 0


def test_the_page_counts_what_came_of_everybody(
    browser: Browser, new_browser: type[Browser], researcher: Browser
) -> None:
    found = recruiting(quota=5)
    agree(browser, found, ANNA)
    finish(next_game(browser))
    agree(new_browser(), found, BEN)
    page = text(researcher.get("/trials/study/open/"))
    counts = dict(re.findall(r"<dt>(.*?)</dt><dd>(\d+)</dd>", page))
    assert counts == {
        "Places left": "3",
        "Under way": "1",
        "Complete": "1",
        "First session done": "0",
        "Screened out": "0",
        "Failed a check": "0",
        "Closed": "0",
        "Out of time": "0",
        "Withdrawn": "0",
    }
