"""The monitor of a trial: what it shows of people, two people in one browser, and the log."""

import hashlib
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from game.core.playing import fill_box
from game.core.refusals import Refused
from game.models import Decision, Game
from game.trials.design.people import log_event
from game.trials.design.writing import close_trial, configure_trial, open_trial
from game.trials.exports.files import Export
from game.trials.joining.answering import store_questions
from game.trials.joining.recruiting import store_recruitment
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import participant_here, start_trial_game
from game.trials.models import Participant, Trial, TrialEvent
from game.trials.monitor import format_ago, monitor
from game.trials.questions.reading import read_ready_text
from game.trials.results.exclusions import EXCLUSIONS
from game.trials.results.preregistration import list_changes, log_lines
from tests.game.test_recruitment import agree, recruiting
from tests.known import known
from tests.play import Browser, score_all, text
from tests.trials import (
    CONSENT,
    joined,
    new_trial,
    preregister,
    researcher_user,
    table_rows,
    take_part,
)

pytestmark = pytest.mark.django_db


def states(trial: Trial) -> list[str]:
    return [row.state for row in monitor(trial).rows]


def test_everyone_is_in_one_state_and_totals_add_up() -> None:
    trial = new_trial(places=5, games_each=1)
    for number in (1, 2, 3, 4):
        joined(trial, number)
    played = start_trial_game(participant=trial.participants.get(number=2))
    game = score_all(played, played.game.player).game
    withdraw_participant(participant=trial.participants.get(number=3))
    start_trial_game(participant=trial.participants.get(number=4))
    assert states(trial) == ["playing", "done", "withdrawn", "playing", "invited"]
    seen = monitor(trial)
    assert (seen.mean, seen.finished, seen.planned) == (game.final_score, 1, 4)
    assert dict(seen.counts)["Not begun"] == 1
    times = {20: "just now", 61: "1 minute ago", 3540: "59 minutes ago", 259_200: "3 days ago"}
    assert {n: format_ago(timedelta(seconds=n)) for n in times} == times


def test_who_has_not_moved_for_long_is_away_and_comes_back() -> None:
    trial = new_trial(idle_minutes=10)
    participant = joined(trial)
    start_trial_game(participant=participant)
    long_ago = timezone.now() - timedelta(minutes=11)
    Participant.objects.update(seen_at=long_ago)
    Game.objects.update(started_at=long_ago)
    Decision.objects.update(created_at=long_ago)
    assert states(trial)[0] == "away"
    game = Game.objects.get()
    fill_box(game_id=game.pk, player=participant.player, seq=1, category="chance")
    assert states(trial)[0] == "playing"


@pytest.mark.parametrize("dice", ["virtual", "real"])
def test_it_costs_six_queries_however_many_play(dice: str) -> None:
    trial = new_trial(places=20, dice=dice)
    for number in range(1, 9):
        start_trial_game(participant=joined(trial, number))
    with CaptureQueriesContext(connection) as captured:
        cards = [row.card for row in monitor(trial).drawn()]
    assert cards == ["turn 1, 0 points"] * 8 + [""] * 12
    assert len(captured) == (6 if dice == "real" else 5)


# Two participants in one browser

WORDS = "Browser shared with another participant"


def flagged(trial: Trial) -> list[str]:
    return [row.participant.label for row in monitor(trial).rows if row.shared]


@pytest.fixture
def shared(browser: Browser) -> Trial:
    """The first two in one browser, one after the other; the third in another."""
    trial = new_trial(questionnaire=False)
    for number in (1, 2):
        take_part(browser, trial.participants.get(number=number))
        browser.post("/take-part/leave")
    take_part(Browser(), trial.participants.get(number=3))
    return trial


def test_both_are_flagged_and_nobody_else(shared: Trial, browser: Browser) -> None:
    assert flagged(shared) == ["P01", "P02"]
    browser.force_login(researcher_user("rosa"))
    assert text(browser.get("/trials/study/monitor/")).count(WORDS) == 2


def test_it_is_noted_once_of_each_and_says_of_neither_who_the_other_is(
    shared: Trial, browser: Browser
) -> None:
    take_part(browser, shared.participants.get(number=1))
    browser.post("/take-part/leave")
    take_part(browser, shared.participants.get(number=2))
    noted = shared.events.filter(kind="shared").order_by("participant__number")
    assert list(noted.values_list("participant__number", "detail")) == [(1, {}), (2, {})]


def test_it_stays_when_they_go_on_elsewhere_and_when_the_other_withdraws(shared: Trial) -> None:
    first, second, third = shared.participants.order_by("number")
    participant_here(participant=first, device="elsewhere")
    withdraw_participant(participant=second)
    assert flagged(shared) == ["P01"]
    other = new_trial(slug="other")  # there browsers are not compared with those of this trial
    for number, device in ((1, ""), (2, ""), (3, third.device)):
        participant_here(participant=joined(other, number), device=device)
    assert (flagged(other), flagged(shared)) == ([], ["P01"])


def test_the_export_and_the_rule_know_it_as_it_stood(shared: Trial) -> None:
    now = timezone.now()
    rows = table_rows(shared, "participants", now)
    assert [row["shared_browser"] for row in rows] == [True, True, False]
    finds = EXCLUSIONS["shared_browser"].finds
    assert finds(shared, now, 1) == {one.pk for one in shared.participants.filter(number__lt=3)}
    assert finds(shared, now - timedelta(hours=1), 1) == set()


def test_who_leaves_and_takes_a_second_place_without_a_label_is_flagged(browser: Browser) -> None:
    found = recruiting(labels="", quota=5)
    for _ in range(2):
        agree(browser, found, {})
        browser.post("/take-part/leave")
    assert flagged(found.trial) == ["R01", "R02"]


# The log


Kind = TrialEvent.Kind


def list_kinds(trial: Trial, at: datetime | None = None) -> list[Any]:
    return [row["event"] for row in table_rows(trial, "events", at)]


def last_detail(trial: Trial) -> dict[str, Any]:
    detail: dict[str, Any] = json.loads(str(table_rows(trial, "events")[-1]["detail"]))
    return detail


def test_opening_closing_and_opening_again_are_noted_once_each() -> None:
    trial = new_trial(opened=False)
    with pytest.raises(Refused):
        close_trial(trial=trial)
    open_trial(trial=trial)
    open_trial(trial=trial)
    close_trial(trial=trial)
    close_trial(trial=trial)
    closed = known(trial.closed_at)
    open_trial(trial=trial)
    assert list_kinds(trial) == ["opened", "closed", "reopened"]
    assert last_detail(trial)["closed"] == closed.isoformat()
    assert list_kinds(trial, closed - timedelta(microseconds=1)) == ["opened"]


def test_what_the_open_link_is_set_to_is_noted_and_no_code_of_it() -> None:
    trial = new_trial(opened=False)
    settings: dict[str, Any] = {"open": True, "quota": 20, "labels": "pid"}
    for _ in range(2):  # the same is no change
        store_recruitment(trial=trial, ways_out={"complete": "SECRET1"}, **settings)
    first = last_detail(trial)
    assert first["quota"] == {"from": None, "to": 20}
    assert not {"minutes", "letters"} & set(first)
    assert list_kinds(trial) == ["settings"]
    settings |= {"open": False, "quota": 5, "minutes": 60}
    store_recruitment(trial=trial, ways_out={"complete": "SECRET2"}, **settings)
    then = last_detail(trial)
    code = then.pop("complete")
    assert then == {
        "open": {"from": True, "to": False},
        "quota": {"from": 20, "to": 5},
        "minutes": {"from": None, "to": 60},
    }
    assert code["from"] != code["to"]
    assert "SECRET" not in json.dumps(table_rows(trial, "events"), default=str)
    said = " ".join(detail for line in log_lines(trial) for detail in line.details)
    assert "Maximum number of people by the open link: 20, now 5" in said


def test_other_questions_are_noted_and_locked_by_the_digest_of_the_exported_file(
    tmp_path: Path,
) -> None:
    trial, asked = new_trial(opened=False), read_ready_text("experience")
    store_questions(trial=trial, text=asked)
    exported = Export(trial).write_one("questions.yaml", tmp_path).read_bytes()
    digest = hashlib.sha256(exported).hexdigest()
    assert last_detail(trial) == {"questions": {"from": "", "to": digest}}
    plan = preregister(trial)
    assert plan.locked["questions"] == digest
    assert list_changes(plan) == []
    for questions in (asked, ""):
        store_questions(trial=trial, text=questions)
    assert last_detail(trial) == {"questions": {"from": digest, "to": ""}}
    assert list_kinds(trial) == ["settings", "preregistered", "settings"]
    (change,) = list_changes(plan)
    assert (change.name, change.was) == ("File of questions", digest)
    assert [f"File of questions: –, now {digest}"] in [line.details for line in log_lines(trial)]


def test_a_changed_setting_is_noted_with_what_it_was() -> None:
    trial = new_trial()
    for _ in range(2):  # saving what is as it was notes nothing
        configure_trial(trial=trial, consent=CONSENT, title="Another", games_each=2)
    (row,) = [row for row in table_rows(trial, "events") if row["event"] == "settings"]
    assert json.loads(str(row["detail"])) == {"title": {"from": "A study", "to": "Another"}}
    joined(trial)
    configure_trial(trial=trial, consent="Another text.")
    assert last_detail(trial) == {"consent": {"from": 1, "to": 2}}


def test_an_event_is_its_participants_and_goes_with_them() -> None:
    trial = new_trial()
    stays, leaves = joined(trial, 1), joined(trial, 2)
    log_event(trial, Kind.LEFT, stays)
    log_event(trial, Kind.LEFT, leaves)
    assert [row["participant"] for row in table_rows(trial, "events")] == [None, "P01", "P02"]
    withdraw_participant(participant=leaves)
    assert [row["participant"] for row in table_rows(trial, "events")] == [None, "P01"]
    assert not leaves.events.exists()
