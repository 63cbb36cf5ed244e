"""Nobody draws another arm by coming again, after withdrawing or in another browser."""

import re
from typing import Any

import pytest

from game.core.refusals import Refused
from game.trials.design.phases import ArmSettings
from game.trials.design.writing import close_trial, open_trial
from game.trials.joining.answering import store_questions
from game.trials.joining.links import return_code
from game.trials.joining.recruiting import (
    HasWithdrawn,
    delete_labels,
    recruit_agree,
    store_recruitment,
)
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.models import Arrival, Participant, Recruitment, Trial, WithdrawnLabel
from tests.game.questions import QUIZ, WRONG, send
from tests.game.test_recruitment import ANNA, agree, link, only, recruiting
from tests.game.test_withdrawing import WITHDRAW
from tests.known import known
from tests.play import Browser, text
from tests.trials import joined, new_trial

pytestmark = pytest.mark.django_db
NewBrowser = type[Browser]
ARMED: dict[str, Any] = {"arms": [ArmSettings("off"), ArmSettings("after", coach="after")]}


@pytest.fixture
def gone(browser: Browser) -> Recruitment:
    found = recruiting(trial=ARMED, quota=9)
    agree(browser, found, ANNA)
    browser.post("/take-part/game")
    browser.post(*WITHDRAW)
    return found


def drawn() -> list[int | None]:
    return list(Participant.objects.filter(draw__isnull=False).values_list("draw", flat=True))


def test_a_label_that_withdrew_comes_to_no_arm_again(
    gone: Recruitment, new_browser: NewBrowser
) -> None:
    before = Participant.objects.count()
    clean = new_browser()
    page = clean.get(link(gone), ANNA)
    assert page.status_code == 403
    assert 'name="agree"' not in text(page)
    address = link(gone, "agree?PROLIFIC_PID=anna&STUDY_ID=other")
    sent = clean.post(address, {"version": 1, "agree": "on"})
    assert sent.status_code == 403
    assert clean.post("/take-part/game").status_code == 403
    with pytest.raises(HasWithdrawn):
        recruit_agree(recruitment=gone, version=1, parameters=ANNA)
    assert (Participant.objects.count(), drawn()) == (before, [1])


def test_no_row_says_which_label_it_was(gone: Recruitment) -> None:
    kept = WithdrawnLabel.objects.get()
    assert re.fullmatch(r"[0-9a-f]{64}", kept.digest)
    told = {field.name for field in WithdrawnLabel._meta.get_fields()}
    assert told == {"id", "trial", "digest"}


def test_it_is_forgotten_with_the_labels_and_when_the_trial_is_closed(
    gone: Recruitment, new_browser: NewBrowser
) -> None:
    delete_labels(trial=gone.trial)
    assert not WithdrawnLabel.objects.exists()
    clean = new_browser()
    agree(clean, gone, ANNA)
    clean.post(*WITHDRAW)
    assert WithdrawnLabel.objects.count() == 1
    close_trial(trial=gone.trial)
    assert not WithdrawnLabel.objects.exists()


def test_a_closed_trial_keeps_no_hash_of_who_withdraws_then(browser: Browser) -> None:
    found = recruiting()
    agree(browser, found, ANNA)
    close_trial(trial=found.trial)
    withdraw_participant(participant=only())
    assert not WithdrawnLabel.objects.exists()


def test_who_came_without_a_label_leaves_no_hash(browser: Browser) -> None:
    agree(browser, recruiting(labels=""), {})
    browser.post(*WITHDRAW)
    withdraw_participant(participant=joined(Trial.objects.get()))
    assert not WithdrawnLabel.objects.exists()


def test_who_was_screened_out_and_comes_again_is_never_drawn(
    browser: Browser, new_browser: NewBrowser
) -> None:
    trial = new_trial(opened=False, questionnaire=False, **ARMED)
    store_questions(trial=trial, text=QUIZ)
    found = store_recruitment(trial=open_trial(trial=trial), open=True, quota=9)
    agree(browser, found, ANNA)
    send(browser, **WRONG)
    send(browser, **WRONG)
    one = only()
    clean = new_browser()
    assert "Someone used this web address before" in text(clean.get(link(found), ANNA))
    with pytest.raises(Refused, match="already used this web address"):
        recruit_agree(recruitment=found, version=1, parameters=ANNA)
    clean.post(
        link(found, "code?PROLIFIC_PID=anna&STUDY_ID=s&SESSION_ID=t"), {"code": return_code(one)}
    )
    assert "did not follow the instructions" in text(clean.get("/take-part/"))
    assert clean.post("/take-part/game").status_code == 409
    assert (drawn(), Arrival.objects.count()) == ([], 1)
    assert known(only()).screened_out_at is not None
