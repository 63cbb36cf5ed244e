"""What happened in a trial is noted once, when it happened, and exported."""

import json
from typing import Any

import pytest
from django.utils import timezone

from game import services
from game.exports.trial import Standing
from game.exports.trial_events import EVENTS
from game.models import Trial, TrialEvent
from game.services.trial_log import note
from tests.game.trials import CONSENT, joined, new_trial

pytestmark = pytest.mark.django_db
Kind = TrialEvent.Kind


def events(trial: Trial) -> list[dict[str, Any]]:
    rows = Standing(trial, timezone.now()).rows(EVENTS)
    return [dict(zip(EVENTS.names, row, strict=True)) for row in rows]


def kinds(trial: Trial) -> list[str]:
    return [row["event"] for row in events(trial)]


def test_opening_closing_and_opening_again_are_noted_once_each() -> None:
    trial = new_trial(opened=False)
    services.trial_open(trial=trial)
    services.trial_open(trial=trial)
    services.trial_close(trial=trial)
    services.trial_close(trial=trial)
    closed = trial.closed_at
    assert closed is not None
    services.trial_open(trial=trial)
    assert kinds(trial) == ["opened", "closed", "reopened"]
    assert json.loads(events(trial)[-1]["detail"])["closed"] == closed.isoformat()


def test_a_closing_that_is_refused_is_not_noted() -> None:
    trial = new_trial(opened=False)
    with pytest.raises(services.Refused):
        services.trial_close(trial=trial)
    assert kinds(trial) == []


def test_a_changed_setting_is_noted_with_what_it_was() -> None:
    trial = new_trial()
    services.trial_configure(trial=trial, consent=CONSENT, title="Another", games_each=2)
    (row,) = [row for row in events(trial) if row["event"] == "settings"]
    assert json.loads(row["detail"]) == {"title": {"from": "A study", "to": "Another"}}


def test_saving_what_is_as_it_was_notes_nothing() -> None:
    trial = new_trial()
    services.trial_configure(trial=trial, consent=CONSENT, title="A study", games_each=2)
    assert kinds(trial) == ["opened"]


def test_a_changed_text_is_noted_by_its_version() -> None:
    trial = new_trial()
    joined(trial)
    services.trial_configure(trial=trial, consent="Another text.")
    assert json.loads(events(trial)[-1]["detail"]) == {"consent": {"from": 1, "to": 2}}


def test_an_event_is_its_participants_and_goes_with_them() -> None:
    trial = new_trial()
    stays, leaves = joined(trial, 1), joined(trial, 2)
    note(trial, Kind.LEFT, stays)
    note(trial, Kind.LEFT, leaves)
    assert [row["participant"] for row in events(trial)] == [None, "P01", "P02"]
    services.participant_withdraw(participant=leaves)
    assert [row["participant"] for row in events(trial)] == [None, "P01"]
    assert not leaves.events.exists()


def test_what_happens_after_the_moment_of_an_export_is_not_in_it() -> None:
    trial = new_trial()
    then = timezone.now()
    services.trial_close(trial=trial)
    assert [row[1] for row in Standing(trial, then).rows(EVENTS)] == ["opened"]
