"""A withdrawal deletes a participant's data from every table at once, and draws no arm again."""

import re
from typing import Any

import pytest
from django.db import models

from game.models import Game, Player
from game.trials.design.phases import ArmSettings
from game.trials.design.writing import close_trial, open_trial
from game.trials.joining.answering import store_questions
from game.trials.joining.links import make_link_path, return_code
from game.trials.joining.recruiting import (
    HasWithdrawn,
    delete_labels,
    recruit_agree,
    store_recruitment,
)
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import start_trial_game
from game.trials.models import Arrival, Participant, Trial, WithdrawnLabel
from tests.game.questions import QUIZ, WRONG, send
from tests.game.test_arms import finish
from tests.game.test_recruitment import ANNA, BEN, agree, link, only, recruiting
from tests.game.test_trials import next_game
from tests.known import known
from tests.play import Browser, text
from tests.trials import joined, new_trial

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
    assert browser.get("/take-part/").status_code == 403
    participant.refresh_from_db()
    assert participant.withdrawn_at is not None
    assert (participant.player, participant.browser, participant.seen_at) == (None, "", None)


def test_a_link_of_somebody_who_withdrew_leads_nowhere(browser: Browser) -> None:
    trial = new_trial()
    participant = joined(trial, 1)
    start_trial_game(participant=participant)
    game = start_trial_game(participant=joined(trial, 2)).game
    withdraw_participant(participant=participant)
    assert [each.pk for each in Game.objects.all()] == [game.pk]
    assert browser.get(make_link_path(participant)).status_code == 403


# Nobody draws another arm by coming again

NewBrowser = type[Browser]
ARMED: dict[str, Any] = {"arms": [ArmSettings("off"), ArmSettings("after", coach="after")]}


def drawn() -> list[int | None]:
    return list(Participant.objects.filter(draw__isnull=False).values_list("draw", flat=True))


def test_a_label_that_withdrew_comes_to_no_arm_until_it_is_forgotten(
    browser: Browser, new_browser: NewBrowser
) -> None:
    found, clean = recruiting(trial=ARMED, quota=9), new_browser()
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
    clean.post(
        link(found, "code?PROLIFIC_PID=anna&STUDY_ID=s&SESSION_ID=t"), {"code": return_code(one)}
    )
    assert "did not follow the instructions" in text(clean.get("/take-part/"))
    assert clean.post("/take-part/game").status_code == 409
    assert (drawn(), Arrival.objects.count()) == ([], 1)
    assert known(only()).screened_out_at is not None
