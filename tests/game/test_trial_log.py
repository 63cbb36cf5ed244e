"""What happened in a trial is noted once, when it happened, and exported."""

import hashlib
import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from game.core.refusals import Refused
from game.trials.design.people import log_event
from game.trials.design.writing import close_trial, configure_trial, open_trial
from game.trials.exports.files import Export
from game.trials.exports.tables import TABLES, Standing
from game.trials.joining.answering import store_questions
from game.trials.joining.recruiting import store_recruitment
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.models import Trial, TrialEvent
from game.trials.questions.reading import read_ready_text
from game.trials.results.preregistration import log_lines
from tests.known import known
from tests.trials import CONSENT, joined, new_trial

pytestmark = pytest.mark.django_db
Kind = TrialEvent.Kind


def events(trial: Trial, at: datetime | None = None) -> list[dict[str, Any]]:
    rows = Standing(trial, at or timezone.now()).rows(TABLES["events"])
    return [dict(zip(TABLES["events"].names, row, strict=True)) for row in rows]


def kinds(trial: Trial, at: datetime | None = None) -> list[str]:
    return [row["event"] for row in events(trial, at)]


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
    assert kinds(trial) == ["opened", "closed", "reopened"]
    assert json.loads(events(trial)[-1]["detail"])["closed"] == closed.isoformat()
    assert kinds(trial, closed - timedelta(microseconds=1)) == ["opened"]


def test_what_the_open_link_is_set_to_is_noted_and_no_code_of_it() -> None:
    trial = new_trial(opened=False)
    settings: dict[str, Any] = {"open": True, "quota": 20, "labels": "pid"}
    for _ in range(2):  # the same is no change
        store_recruitment(trial=trial, ways_out={"complete": "SECRET1"}, **settings)
    first = json.loads(events(trial)[-1]["detail"])
    assert first["quota"] == {"from": None, "to": 20}
    assert not {"minutes", "letters"} & set(first)
    assert kinds(trial) == ["settings"]
    settings |= {"open": False, "quota": 5, "minutes": 60}
    store_recruitment(trial=trial, ways_out={"complete": "SECRET2"}, **settings)
    then = json.loads(events(trial)[-1]["detail"])
    code = then.pop("complete")
    assert then == {
        "open": {"from": True, "to": False},
        "quota": {"from": 20, "to": 5},
        "minutes": {"from": None, "to": 60},
    }
    assert code["from"] != code["to"]
    assert "SECRET" not in json.dumps(events(trial), default=str)
    said = " ".join(detail for line in log_lines(trial) for detail in line.details)
    assert "Maximum number of people by the open link: 20, now 5" in said


def test_other_questions_are_noted_by_the_digest_of_the_exported_file() -> None:
    trial = new_trial(opened=False)
    asked = store_questions(trial=trial, text=read_ready_text("experience"))
    exported = Export(asked).map_contents()["questions.yaml"]()
    digest = hashlib.sha256(exported).hexdigest()
    assert json.loads(events(trial)[-1]["detail"]) == {"questions": {"from": "", "to": digest}}
    store_questions(trial=trial, text=read_ready_text("experience"))
    store_questions(trial=trial, text="")
    assert json.loads(events(trial)[-1]["detail"]) == {"questions": {"from": digest, "to": ""}}
    assert kinds(trial) == ["settings"] * 2
    assert log_lines(trial)[0].details == [f"File of questions: –, now {digest}"]


def test_a_changed_setting_is_noted_with_what_it_was() -> None:
    trial = new_trial()
    for _ in range(2):  # saving what is as it was notes nothing
        configure_trial(trial=trial, consent=CONSENT, title="Another", games_each=2)
    (row,) = [row for row in events(trial) if row["event"] == "settings"]
    assert json.loads(row["detail"]) == {"title": {"from": "A study", "to": "Another"}}
    joined(trial)
    configure_trial(trial=trial, consent="Another text.")
    assert json.loads(events(trial)[-1]["detail"]) == {"consent": {"from": 1, "to": 2}}


def test_an_event_is_its_participants_and_goes_with_them() -> None:
    trial = new_trial()
    stays, leaves = joined(trial, 1), joined(trial, 2)
    log_event(trial, Kind.LEFT, stays)
    log_event(trial, Kind.LEFT, leaves)
    assert [row["participant"] for row in events(trial)] == [None, "P01", "P02"]
    withdraw_participant(participant=leaves)
    assert [row["participant"] for row in events(trial)] == [None, "P01"]
    assert not leaves.events.exists()
