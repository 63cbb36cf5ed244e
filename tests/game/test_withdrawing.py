"""Deletion: of all data of a participant who withdraws, and by a clock of what leads to people."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import models
from django.test import Client
from django.utils import timezone

from game.models import Game, Player
from game.trials.design.phases import ArmSettings
from game.trials.design.writing import close_trial, open_trial
from game.trials.joining.links import BadLink, find_linked_participant, make_link_path
from game.trials.joining.recruiting import (
    HasWithdrawn,
    delete_labels,
    recruit_agree,
)
from game.trials.joining.withdrawing import (
    ERASED,
    delete_expired_data,
    find_deadline,
    withdraw_participant,
)
from game.trials.joining.writing import start_trial_game
from game.trials.models import (
    Answer,
    Arrival,
    Participant,
    Trial,
    TrialEvent,
    WithdrawnLabel,
)
from tests.game.test_recruitment import ANNA, BEN, agree, link, only, recruiting
from tests.known import known
from tests.play import Browser, text
from tests.trials import finish, joined, new_trial, next_game

pytestmark = pytest.mark.django_db
WITHDRAW = ("/take-part/withdraw", {"confirm": "on"})


def count_rows() -> dict[type[models.Model], int]:
    roots: list[type[models.Model]] = [Player, Participant]
    stored = {each for root in roots for each in _list_dependents(root)} | {Player}
    return {each: each._base_manager.count() for each in stored - {Participant}}


def _list_dependents(on: type[models.Model]) -> set[type[models.Model]]:
    dependents: set[type[models.Model]] = set()
    for one in on._meta.related_objects:
        if one.on_delete is models.CASCADE and one.related_model not in dependents:
            dependents |= {one.related_model} | _list_dependents(one.related_model)
    return dependents


def test_no_row_of_a_withdrawn_participant_is_left(browser: Browser) -> None:
    found = recruiting(trial={"games_each": 2})
    start_trial_game(participant=joined(found.trial))
    before = count_rows()
    agree(browser, found, ANNA)
    finish(next_game(browser))
    next_game(browser)
    browser.post("/take-part/page", {"state": "hidden"})
    assert sum(count_rows().values()) > sum(before.values()) + 10
    game, participant = Game.objects.count(), only()
    browser.post(WITHDRAW[0])
    assert Game.objects.count() == game, "it was not confirmed"
    assert browser.post(*WITHDRAW).status_code == 200
    assert count_rows() == before
    for address in ("/take-part/", make_link_path(participant)):
        assert browser.get(address).status_code == 403
    participant.refresh_from_db()
    assert participant.withdrawn_at is not None
    assert (participant.player, participant.browser, participant.seen_at) == (None, "", None)


# Nobody draws another arm by coming again

ARMED: dict[str, Any] = {"arms": [ArmSettings("off"), ArmSettings("after", coach="after")]}


def drawn() -> list[int | None]:
    return list(Participant.objects.filter(draw__isnull=False).values_list("draw", flat=True))


def test_a_label_that_withdrew_comes_to_no_arm_until_it_is_forgotten(browser: Browser) -> None:
    found, clean = recruiting(trial=ARMED, quota=9), Browser()
    agree(browser, found, ANNA)
    browser.post("/take-part/game")
    browser.post(*WITHDRAW)
    before = Participant.objects.count()
    page = clean.get(link(found), ANNA)
    assert (page.status_code, 'name="agree"' in text(page)) == (403, False)
    address = link(found, "agree?PROLIFIC_PID=anna&STUDY_ID=other")
    for posted, sent in ((address, {"version": 1, "agree": "on"}), ("/take-part/game", {})):
        assert clean.post(posted, sent).status_code == 403
    with pytest.raises(HasWithdrawn):
        recruit_agree(recruitment=found, version=1, parameters=ANNA)
    assert (Participant.objects.count(), drawn()) == (before, [1])
    assert re.fullmatch(r"[0-9a-f]{64}", WithdrawnLabel.objects.get().digest)
    assert {field.name for field in WithdrawnLabel._meta.get_fields()} == {"id", "trial", "digest"}
    delete_labels(trial=found.trial)
    assert not WithdrawnLabel.objects.exists()
    agree(clean, found, ANNA)
    clean.post(*WITHDRAW)
    assert WithdrawnLabel.objects.count() == 1
    other = recruit_agree(recruitment=found, version=1, parameters=BEN)
    close_trial(trial=found.trial)
    assert not WithdrawnLabel.objects.exists()
    withdraw_participant(participant=other)  # nor is there a hash of who withdraws then
    assert not WithdrawnLabel.objects.exists()


def test_who_came_without_a_label_leaves_no_hash(browser: Browser) -> None:
    agree(browser, recruiting(labels=""), {})
    browser.post(*WITHDRAW)
    withdraw_participant(participant=joined(Trial.objects.get()))
    assert not WithdrawnLabel.objects.exists()


# What the clock and the command `forget` delete


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
