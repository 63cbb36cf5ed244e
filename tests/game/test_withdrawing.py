"""A withdrawal deletes a participant's data from every table at once, and nothing else."""

import pytest
from django.db import models

from game.models import Game, Player
from game.trials.joining.links import make_link_path
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import start_trial_game
from game.trials.models import Participant
from tests.game.test_arms import finish
from tests.game.test_recruitment import ANNA, agree, recruiting
from tests.game.test_trials import next_game
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
    page = browser.post(*WITHDRAW)
    assert page.status_code == 200
    assert "You have withdrawn" in text(page)
    assert count_rows() == before
    assert browser.get("/take-part/").status_code == 403


def test_a_link_of_somebody_who_withdrew_leads_nowhere(browser: Browser) -> None:
    trial = new_trial()
    participant = joined(trial, 1)
    start_trial_game(participant=participant)
    game = start_trial_game(participant=joined(trial, 2)).game
    withdraw_participant(participant=participant)
    assert [each.pk for each in Game.objects.all()] == [game.pk]
    refused = browser.get(make_link_path(participant))
    assert refused.status_code == 403
    assert "You have withdrawn" in text(refused)
