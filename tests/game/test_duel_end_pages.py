"""What pages say of somebody who stays away, of a duel that is called off, and of how it ended."""

import re
from datetime import timedelta

import pytest
from django.db.models import F

from game.models import Decision, Duel
from solver.rules import Score
from tests.play import Browser, challenge, decide, fresh, join_duel, page, play_turn, throw, who

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("yatzy_tables")]


@pytest.fixture
def duel(host: Browser, guest: Browser) -> Duel:
    return join_duel(challenge(host), guest)


def pass_days(duel: Duel, days: float) -> None:
    gone = timedelta(days=days)
    Duel.objects.filter(pk=duel.pk).update(started_at=F("started_at") - gone)
    made = Decision.objects.filter(game__seat__duel=duel)
    made.update(created_at=F("created_at") - gone)


def times_left(html: str) -> list[str]:
    return [text.replace("\xa0", " ") for text in re.findall(r'seat__left">([^<]+)<', html)]


def test_the_time_that_is_left_is_shown_until_the_others_can_claim(
    host: Browser, guest: Browser, duel: Duel
) -> None:
    play_turn(duel, who(host))
    assert times_left(page(host, duel)) == ["3 days left"]
    pass_days(duel, 2.5)
    assert times_left(page(guest, duel)) == ["12 hours left"]
    assert 'id="claim"' not in page(host, duel)
    pass_days(duel, 0.5)
    for browser in (host, guest, Browser()):
        assert times_left(page(browser, duel)) == ["time is up"]
    assert "Claim the win" in page(host, duel)
    for browser in (guest, Browser()):
        assert 'id="claim"' not in page(browser, duel)


def test_a_claim_is_a_win_and_both_are_told(host: Browser, guest: Browser, duel: Duel) -> None:
    play_turn(duel, who(host))
    pass_days(duel, 3)
    for _ in range(2):  # a double click
        assert host.post(f"/duel/{duel.token}/claim").status_code == 302
    answer = host.get(f"/duels/{duel.token}/").text
    assert 'data-outcome="won"' in answer
    assert re.search(r"You won: Guest \w+ ran out of time\.", answer)
    assert "You won · Duel: Yatzy" in answer
    lost = page(guest, duel)
    assert 'data-outcome="lost"' in lost
    assert "Your time ran out:" in lost
    assert times_left(lost) == []


def test_of_three_the_button_names_whom_one_goes_on_without(host: Browser, guest: Browser) -> None:
    third = Browser()
    duel = join_duel(join_duel(challenge(host, people=3), guest), third)
    for browser in (host, guest):
        play_turn(duel, who(browser))
    pass_days(duel, 3)
    html = page(guest, duel)
    assert re.search(r'id="claim"[^>]*>Go on without Guest \w+<', html)
    guest.post(f"/duel/{duel.token}/claim")
    assert fresh(duel).state == "running"
    assert 'data-phase="roll"' in page(host, duel)


def test_a_duel_is_called_off_until_the_first_box_and_all_are_told(
    host: Browser, guest: Browser, duel: Duel
) -> None:
    throw(duel, who(host))
    decide(duel, who(host), Score("chance"))
    assert 'id="call-off"' not in page(host, duel)
    assert host.post(f"/duel/{duel.token}/call-off").status_code == 409
    assert 'id="call-off"' in page(guest, duel)
    assert 'id="call-off"' not in page(Browser(), duel)
    assert guest.post(f"/duel/{duel.token}/call-off").status_code == 302
    assert "You called this duel off. No one wins or loses." in page(guest, duel)
    told = page(host, duel)
    assert re.search(r"Guest \w+ called this duel off. No one wins or loses.", told)
    assert "Called off · Duel: Yatzy" in told
    assert "data-outcome" not in told
    assert 'data-state="plays"' not in told
    assert 'id="call-off"' not in told
    assert "called this duel off" in page(Browser(), duel)
    assert duel.token not in host.get("/duels/").text


def test_the_challenge_says_how_long_a_move_has(host: Browser) -> None:
    assert "7 days per move" in page(Browser(), challenge(host, days=7)).replace("\xa0", " ")
    clocked = page(Browser(), challenge(host, minutes=5)).replace("\xa0", " ")
    assert "5 minutes per player" in clocked
    assert "per move" not in clocked
