"""The command that forgets guests also deletes what leads from trials to people."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from game.models import Player
from game.trials.design.writing import close_trial, open_trial
from game.trials.joining.links import BadLink, find_linked_participant, make_link_path
from game.trials.joining.withdrawing import ERASED, delete_expired_data, find_deadline
from game.trials.models import (
    Answer,
    Arrival,
    Participant,
    Trial,
    TrialEvent,
)
from tests.known import known
from tests.trials import joined, new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.needs("game.trials")]
NOW = timezone.now()


@pytest.fixture
def person() -> Participant:
    person = joined(new_trial())
    Arrival.objects.create(trial=person.trial, participant=person, label="anna", at=NOW)
    facts = {"key": "note", "moment": "before", "value": "Fine", "state": "answered", "at": NOW}
    Answer.objects.create(participant=person, page_finished=True, **facts)
    return person


def left() -> list[int]:
    return [each.objects.count() for each in (Arrival, Answer)]


def forget(capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    call_command("forget", "--idle-days", "30", *options)
    return capsys.readouterr().out.splitlines()[1:]


@pytest.mark.parametrize("clock", [True, False])
@pytest.mark.parametrize(("days", "kept"), [(29, 1), (31, 0), (None, 1)])
def test_labels_go_once_their_trial_has_been_closed_for_so_long(
    person: Participant, capsys: Any, staff: Client, clock: bool, days: int | None, kept: int
) -> None:
    if days is None:  # a trial that goes on keeps them
        Trial.objects.update(opened_at=NOW - timedelta(days=400))
    else:
        close_trial(trial=person.trial)
        Trial.objects.update(closed_at=NOW - timedelta(days=days))
        assert 'id="deadlines"' in staff.get(f"/trials/{person.trial.slug}/close/").text
    printed = [] if kept else ["External IDs of closed trials deleted: 1"]
    assert forget(capsys, "--dry-run") == printed
    assert left() == [1, 1]
    if clock:
        delete_expired_data()
    else:
        assert forget(capsys) == printed
    assert left() == [kept, 1]


def outdated(trial: Trial, **settings: object) -> Trial:
    """Close the trial two years ago; its consent text promises storage for a year."""
    close_trial(trial=trial)
    Trial.objects.update(closed_at=NOW - timedelta(days=730), **settings)
    return Trial.objects.get()


def read_identities() -> list[object]:
    people = Participant.objects.values("code", "link_revoked", "browser", "device", "table")
    return [*people, *Player.objects.values_list("code"), *Answer.objects.values_list("value")]


def test_after_the_promised_months_nothing_leads_to_a_person(person: Participant) -> None:
    Participant.objects.filter(pk=person.pk).update(browser="b", device="d", table="t")
    link = make_link_path(person).rsplit("/", 2)[-2]
    assert find_linked_participant(link) == person
    assert person.player is not None
    old = {person.code, person.player.code}
    trial = outdated(person.trial)
    closed = known(trial.closed_at)
    assert find_deadline(trial) == closed.replace(year=closed.year + 1)
    delete_expired_data()
    person = Participant.objects.get(pk=person.pk)
    assert person.player is not None
    assert not old & {person.code, person.player.code}
    assert (person.browser, person.device, person.table) == ("", "", "")
    assert Answer.objects.get().value == ERASED
    with pytest.raises(BadLink):
        find_linked_participant(link)
    once = read_identities()
    delete_expired_data()
    assert read_identities() == once
    assert TrialEvent.objects.filter(kind=TrialEvent.Kind.FORGOTTEN).count() == 1


def test_people_who_join_after_a_deletion_are_forgotten_too(person: Participant) -> None:
    trial = outdated(person.trial)
    delete_expired_data()
    assert find_deadline(trial) is None
    TrialEvent.objects.filter(kind=TrialEvent.Kind.FORGOTTEN).update(at=NOW - timedelta(days=365))
    open_trial(trial=trial)
    late = joined(trial, 2)
    close_trial(trial=trial)
    Trial.objects.update(closed_at=NOW - timedelta(days=364))
    delete_expired_data()
    assert Participant.objects.get(pk=late.pk).code == late.code
    Trial.objects.update(facts={"kept": 11})
    delete_expired_data()
    assert Participant.objects.get(pk=late.pk).code != late.code


@pytest.mark.parametrize("kept", ["forever", "0", "-3", "1201", "1.5"])
def test_a_trial_promises_a_number_of_months(kept: str) -> None:
    with pytest.raises(CommandError, match="--kept"):
        call_command("trial_create", "study", "--kept", kept)
    trial = new_trial(facts={"kept": kept if kept == "forever" else "12"})
    assert (find_deadline(close_trial(trial=trial)) is None) is (kept == "forever")


@pytest.mark.parametrize("case", ["too early", "rehearsal", "opened again", "older version"])
def test_a_trial_without_a_deadline_keeps_its_codes(person: Participant, case: str) -> None:
    trial = outdated(person.trial, rehearsal=case == "rehearsal")
    if case == "too early":
        Trial.objects.update(facts={"kept": 25})
    elif case == "opened again":
        open_trial(trial=trial)
    elif case == "older version":
        TrialEvent.objects.filter(kind=TrialEvent.Kind.OPENED).update(detail={})
    before = read_identities()
    delete_expired_data()
    assert read_identities() == before
