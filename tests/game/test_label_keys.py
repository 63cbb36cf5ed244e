"""An external ID is the same however it is written: look-up, hash, quota, database and old rows."""

import zlib
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from game.trials.joining import withdrawing
from game.trials.joining.recruiting import HasWithdrawn, recruit_agree
from game.trials.joining.withdrawing import has_label_withdrawn, withdraw_participant
from game.trials.models import (
    LONGEST_LABEL,
    Arrival,
    Participant,
    Trial,
    TrialEvent,
    WithdrawnLabel,
    normalise_label,
)
from tests.game.test_arms import finish
from tests.game.test_places import enter
from tests.game.test_recovery import models_at
from tests.game.test_recruitment import ANNA, BEN, agree, link, only, recruiting
from tests.game.test_trials import next_game
from tests.play import Browser, text
from tests.trials import researcher_user

pytestmark = pytest.mark.django_db
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


def test_a_label_written_differently_is_the_same_participant(
    browser: Browser, new_browser: type[Browser]
) -> None:
    complete = "https://panel.example/?of={PROLIFIC_PID}"
    found, written = recruiting(quota=9, complete=complete), WRITTEN[-1]
    agree(browser, found, ANNA)
    other = new_browser()
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


def test_wrong_codes_are_counted_for_the_place_however_its_label_is_written(
    browser: Browser, new_browser: type[Browser], settings: Any
) -> None:
    cache.clear()
    settings.LOGIN_FAILURES = 3
    found = recruiting(quota=1)
    agree(browser, found, ANNA)
    stranger = new_browser()
    for written in WRITTEN:  # the quota counts a label once
        again = recruit_agree(
            recruitment=found, version=1, parameters=written_as(written), admitted=only()
        )
        assert again == only()
    statuses = [
        enter(stranger, found, "AAAA-AAAA", written_as(WRITTEN[guess % len(WRITTEN)])).status_code
        for guess in range(settings.LOGIN_FAILURES + 1)
    ]
    assert statuses[-1] == 429
    assert 429 not in statuses[:-1]


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
