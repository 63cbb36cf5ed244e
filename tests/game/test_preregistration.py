"""A plan is locked before anybody agrees, carried out as it is, and first in the results."""

import hashlib
import json
import subprocess
import sys
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from game.core.refusals import Refused
from game.trials.design.phases import ArmSettings
from game.trials.design.reading import make_trial_seal
from game.trials.design.writing import configure_trial
from game.trials.exports.description import CONSORT, OSF, render_documents
from game.trials.exports.files import Export
from game.trials.joining.answering import store_questions
from game.trials.joining.recruiting import store_recruitment
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.models import Preregistration, to_canonical_json
from game.trials.results.preregistration import (
    list_changes,
    lock_preregistration,
    log_lines,
)
from game.trials.results.results import calculate_results
from solver.advice import Advisor
from tests.game.export_reference import every_fault
from tests.game.test_masking import CHECKS
from tests.game.trial_games import play_all
from tests.known import known
from tests.trials import CONSENT, draft, joined, new_trial, preregister

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables", "no_script")]
# Writing and locking


def test_a_draft_is_written_as_often_as_one_likes_and_then_locked_for_good() -> None:
    trial = new_trial()
    with pytest.raises(Refused, match="nothing to lock"):
        lock_preregistration(trial=trial)
    draft(trial)
    draft(trial, hypotheses="Something else.")
    found = lock_preregistration(trial=trial)
    assert Preregistration.objects.count() == 1
    assert found.locked["hypotheses"] == "Something else."
    with pytest.raises(Refused, match="locked"):
        draft(trial, hypotheses="What came out.")
    with pytest.raises(Refused, match="locked"):
        lock_preregistration(trial=trial)
    assert Preregistration.objects.get().locked["hypotheses"] == "Something else."
    details = [detail for line in log_lines(trial) for detail in line.details]
    assert f"SHA-256: {found.digest}" in details


def test_once_somebody_has_agreed_nothing_can_be_written_or_locked() -> None:
    trial = new_trial()
    draft(trial)
    withdraw_participant(participant=joined(trial))  # who has withdrawn had agreed
    with pytest.raises(Refused, match="already"):
        lock_preregistration(trial=trial)
    with pytest.raises(Refused, match="already"):
        draft(trial, hypotheses="What came out.")
    assert not Preregistration.objects.get().is_locked


def test_the_digest_is_that_of_a_text_that_does_not_depend_on_the_order_of_its_facts() -> None:
    trial = new_trial()
    found = preregister(trial, exclusions={"fewer_games": 2})
    backwards = dict(reversed(found.locked.items()))
    text = json.dumps(backwards, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(text.encode()).hexdigest() == found.digest
    assert found.locked["trial"]["games_each"] == 2
    assert found.locked["consent"] == CONSENT
    assert found.locked["words"]["exclusions"] == ["people who finished fewer than 2 games"]


def test_the_database_takes_no_lock_without_a_text() -> None:
    found = draft(new_trial())
    with pytest.raises(IntegrityError), transaction.atomic():
        Preregistration.objects.filter(pk=found.pk).update(locked_at=timezone.now())


def test_settings_that_were_changed_afterwards_are_told() -> None:
    trial = new_trial()
    found = preregister(trial)
    assert list_changes(found) == []
    trial = configure_trial(trial=trial, consent=CONSENT, places=5, title="A study")
    found.trial.refresh_from_db()
    (change,) = list_changes(found)
    assert (change.name, change.was, change.now) == ("Participants", "3", "5")
    assert ["Participants: 3, now 5"] in [line.details for line in log_lines(trial)]


# The planned analysis


def test_who_was_screened_out_and_who_paid_no_attention_are_told_apart() -> None:
    trial = store_questions(trial=new_trial(places=4), text=CHECKS.replace("after:", "before:"))
    preregister(trial, exclusions={"failed_attention": True})
    one, other, third, late = (joined(trial, number) for number in (1, 2, 3, 4))
    failed = {"value": "2", "state": "answered", "page_finished": True, "at": timezone.now()}
    one.answers.create(key="minds.check", moment="before", passed=False, **failed)
    other.answers.create(key="rules", moment="before", passed=False, **failed)
    third.answers.create(key="minds.check", moment="before", passed=True, **failed)
    then = timezone.now()
    trial.participants.filter(pk=other.pk).update(screened_out_at=then)
    trial.participants.filter(pk=late.pk).update(screened_out_at=then + timedelta(hours=1))
    assert known(calculate_results(trial, then).lock).left_out == {"failed_attention": [one.label]}


def test_the_open_link_is_locked_and_what_is_changed_of_it_is_told() -> None:
    trial = new_trial()
    store_recruitment(trial=trial, open=True, quota=20, ways_out={"complete": "CODE"})
    found = preregister(trial)
    assert found.locked["recruitment"]["quota"] == 20
    assert "CODE" not in found.document
    assert list_changes(found) == []
    store_recruitment(trial=trial, open=True, quota=5, minutes=30, ways_out={"complete": "CODE"})
    told = {(change.name, change.was, change.now) for change in list_changes(found)}
    assert told == {
        ("Maximum number of people by the open link", "20", "5"),
        ("Minutes for each session", "–", "30"),
    }
    old = {name: one for name, one in found.locked.items() if name != "recruitment"}
    found.document = to_canonical_json(old | {"questions": "of other bytes"})
    assert list_changes(found) == []


# Stopping


@pytest.mark.parametrize(("day", "stopped"), [(1, True), (2, True), (3, False)])
def test_a_day_has_come_from_its_first_hour_on(day: int, stopped: bool) -> None:
    trial = new_trial()
    preregister(trial, stopping="date", stopping_date=date(2100, 1, day))
    midnight = datetime(2100, 1, 2, tzinfo=timezone.get_current_timezone())
    assert known(calculate_results(trial, midnight).lock).stopped is stopped


@pytest.mark.parametrize("lock", [True, False])
def test_results_show_the_planned_analysis_first_and_call_the_rest_exploratory(
    lock: bool, staff: Client, advisor: Advisor
) -> None:
    trial = new_trial(games_each=1, places=2)
    if lock:
        preregister(trial)
    play_all(trial, advisor)
    page = staff.get("/trials/study/results/").text
    order = ['id="flow"', 'id="planned"', "exploratory", 'id="tell"']
    if not lock:
        assert 'id="planned"' not in page
        order = ["No analysis on this page was locked", 'id="tell"']
    places = [page.index(text) for text in order]
    assert places == sorted(places)


# The export


ITEMS = (
    "1a 1b 2 3 4 5a 5b 6 7 8 9 10 11 12a 12b 13 14 15 16a 16b 17a 17b 18 19 20a 20b 21a 21b 21c"
    " 21d 22a 23a 23b 24a 24b 25 26 27 28 29 30"
)


def test_a_locked_plan_gives_the_texts_for_osf_and_consort() -> None:
    trial = new_trial(opened=False, arms=[ArmSettings("quiet"), ArmSettings("loud", coach="after")])
    assert render_documents(trial) == {}
    plan = preregister(trial)
    texts = {name: text.decode() for name, text in render_documents(trial).items()}
    assert set(texts) == {OSF, CONSORT}
    for text in texts.values():
        assert plan.digest in text
        assert make_trial_seal(trial) in text
        assert "They learn." in text
    numbers = [line.split(" ", 1)[0].rstrip(",") for line in texts[CONSORT].splitlines() if line]
    assert " ".join(number for number in numbers if number in ITEMS.split()) == ITEMS
    plain = new_trial(slug="plain", opened=False)
    preregister(plain)
    assert set(render_documents(plain)) == {OSF}  # without arms there is no CONSORT list


def test_the_bundle_has_the_locked_text_and_how_to_check_it(
    advisor: Advisor, tmp_path: Path
) -> None:
    trial = new_trial(games_each=1, places=2)
    found = preregister(trial, hypotheses="Sie lernen – spürbar.")
    play_all(trial, advisor)
    Export(trial).write(tmp_path)
    path = tmp_path / "preregistration.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    assert told["sha256"] == found.digest
    assert told["locked_at"] < told["first_consent_at"]
    program = told["how_to_check"].split('python -c "', 1)[1].rsplit('" <', 1)[0]
    run = [sys.executable, "-X", "utf8", "-c", program]
    checked = subprocess.run(run, input=path.read_bytes(), capture_output=True, check=True)
    assert checked.stdout.decode().strip() == found.digest
    assert every_fault(trial, tmp_path) == []
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert found.digest in report
