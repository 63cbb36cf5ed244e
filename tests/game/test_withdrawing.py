"""A withdrawal empties the tables at once, and can be taken back for a day by whoever withdrew."""

import io
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import models
from django.utils import timezone

from game.core.refusals import Refused
from game.models import Game, Player
from game.trials.joining.links import make_link_path
from game.trials.joining.recruiting import delete_labels
from game.trials.joining.withdrawing import (
    FINAL_AFTER,
    _yield_rows_to_pack,
    undo_withdrawal,
    withdraw_participant,
)
from game.trials.joining.writing import start_trial_game, store_consent
from game.trials.models import Participant, TrialEvent, Withdrawal
from tests.game.test_arms import finish
from tests.game.test_recruitment import ANNA, agree, link, only, recruiting
from tests.game.test_trials import next_game, take_part
from tests.play import Browser, text
from tests.trials import joined, new_trial
from yatzy_site.background import delete_what_is_over

pytestmark = pytest.mark.django_db
NewBrowser = type[Browser]
WITHDRAW = ("/take-part/withdraw", {"confirm": "on"})


def stored() -> dict[str, list[Any]]:
    of = {one for each in (Player, Participant) for one in _depending(each)}
    return {
        one.__name__: list(one._base_manager.order_by("pk").values_list())
        for one in of | {Player, Participant}
        if one is not Withdrawal
    }


def _depending(on: type[models.Model]) -> set[type[models.Model]]:
    found: set[type[models.Model]] = set()
    for one in on._meta.related_objects:
        if one.on_delete is models.CASCADE and one.related_model not in found:
            found |= {one.related_model} | _depending(one.related_model)
    return found


def given_up(participant: Participant) -> str:
    withdraw_participant(participant=participant)
    return f"{make_link_path(participant)}back"


def grown_old() -> None:
    Withdrawal.objects.update(at=timezone.now() - FINAL_AFTER)


def test_taking_it_back_restores_every_row(browser: Browser) -> None:
    found = recruiting(trial={"games_each": 2})
    agree(browser, found, ANNA)
    finish(next_game(browser))
    next_game(browser)
    browser.post("/take-part/page", {"state": "hidden"})
    before = stored()
    address = browser.post(*WITHDRAW).headers["Location"]
    after = stored()
    assert [after[name] for name in ("Game", "Decision", "Arrival", "Player")] == [[]] * 4
    assert browser.post(address).headers["Location"] == "/take-part/"
    assert TrialEvent.objects.last().kind == TrialEvent.Kind.TAKEN_BACK  # type: ignore[union-attr]
    TrialEvent.objects.filter(kind=TrialEvent.Kind.TAKEN_BACK).delete()
    Participant.objects.filter(pk=only().pk).update(browser=_browser(before))
    assert stored() == before
    assert not Withdrawal.objects.exists()


def _browser(rows: dict[str, list[Any]]) -> str:
    names = [field.attname for field in Participant._meta.concrete_fields]
    return str(rows["Participant"][-1][names.index("browser")])


def test_whatever_goes_with_a_participant_or_a_player_is_kept_for_the_day() -> None:
    kept = {one.model for one in _yield_rows_to_pack(joined(new_trial()))}
    # A new kind of row that is deleted with a player has to be named there.
    assert _depending(Player) | _depending(Participant) | {Player, Participant} == kept | {
        Withdrawal
    }


def test_the_page_after_a_withdrawal_and_the_link_lead_back(
    browser: Browser, new_browser: NewBrowser
) -> None:
    trial = new_trial(questionnaire=False)
    take_part(browser, trial.participants.get(number=1))
    game = next_game(browser)
    address = browser.post(*WITHDRAW).headers["Location"]
    own = make_link_path(trial.participants.get(number=1))
    assert address == f"{own}back"
    for again in (browser, new_browser()):
        for page, status in ((address, 200), (own, 403)):
            answer = again.get(page)
            assert answer.status_code == status
            assert f'action="{address}"' in text(answer)
        assert again.get("/take-part/").status_code == 403
    phone = new_browser()
    phone.post(address)
    assert next_game(phone) == game


def test_nobody_takes_it_back_without_the_link(browser: Browser) -> None:
    address = given_up(joined(new_trial()))
    assert browser.post(address.replace("/back", "x/back")).status_code == 403
    assert Withdrawal.objects.count() == 1


def test_after_a_day_it_is_final(browser: Browser) -> None:
    participant = joined(new_trial())
    start_trial_game(participant=participant)
    address = given_up(participant)
    grown_old()
    assert browser.get(address).headers["Location"] == make_link_path(participant)
    assert "/back" not in text(browser.get(make_link_path(participant)))
    browser.post(address)
    assert not Game.objects.exists()
    with pytest.raises(Refused, match="final"):
        undo_withdrawal(participant=participant)


@pytest.mark.parametrize("how", ["clock", "forget"])
def test_what_is_final_is_deleted_for_good_and_nothing_else(how: str) -> None:
    trial = new_trial()
    given_up(joined(trial, 1))
    grown_old()
    other = trial.participants.get(number=2)
    store_consent(participant=other, version=1)
    Withdrawal.objects.create(participant=other, at=timezone.now(), rows=b"")
    assert Withdrawal.objects.count() == 2
    if how == "forget":
        call_command("forget", idle_days=400, stdout=io.StringIO())
    else:
        for _each_process in range(2):
            delete_what_is_over()
    assert [one.participant.number for one in Withdrawal.objects.all()] == [2]


def test_nobody_takes_it_back_in_the_browser_of_somebody_else(browser: Browser) -> None:
    trial = new_trial()
    address = given_up(joined(trial, 2))
    take_part(browser, trial.participants.get(number=1))
    assert browser.post(address).status_code == 403
    assert Withdrawal.objects.count() == 1


def test_just_before_a_day_has_passed_it_can_still_be_taken_back() -> None:
    participant = joined(new_trial())
    given_up(participant)
    Withdrawal.objects.update(at=timezone.now() - FINAL_AFTER + timedelta(minutes=1))
    assert undo_withdrawal(participant=participant).withdrawn_at is None


def test_whose_label_came_again_has_the_later_place_alone(
    browser: Browser, new_browser: NewBrowser
) -> None:
    found = recruiting(quota=5)
    agree(browser, found, ANNA)
    first = only()
    address = browser.post(*WITHDRAW).headers["Location"]
    delete_labels(trial=found.trial)
    agree(new_browser(), found, ANNA)
    back = browser.post(address, follow=True)
    assert "cannot take part twice" in text(back)
    first.refresh_from_db()
    assert first.withdrawn_at is not None
    assert only() != first


def test_a_browser_that_takes_it_back_goes_on_where_only_one_may(browser: Browser) -> None:
    found = recruiting(trial={"resume": "one"})
    agree(browser, found, ANNA)
    game = next_game(browser)
    address = browser.post(*WITHDRAW).headers["Location"]
    browser.post(address)
    assert next_game(browser) == game
    assert browser.get(link(found), ANNA).headers["Location"] == "/take-part/"
