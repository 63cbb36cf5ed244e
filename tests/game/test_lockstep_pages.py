"""What the pages of a duel in lockstep say of who is waited for."""

import pytest
from asgiref.sync import sync_to_async

from game.models import Duel
from tests.play import Browser, challenge, join_duel, look_at, page, run, throw, until, who

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("yatzy_tables")]


@pytest.fixture
def duel(host: Browser, guest: Browser, third: Browser, monkeypatch: pytest.MonkeyPatch) -> Duel:
    """Results that other tests have the lab calculate change the list of duels, too."""
    monkeypatch.setattr("game.duels.opponents.read_result", lambda *_: None)
    return join_duel(join_duel(challenge(host, people=3, listed="link"), guest), third)


def test_who_has_fixed_is_told_for_whom_they_wait(
    duel: Duel, host: Browser, guest: Browser, third: Browser
) -> None:
    for one in (host, guest, third):
        throw(duel, who(one))
    throw(duel, who(host), 3)
    html = page(host, duel)
    assert 'data-phase="wait"' in html
    assert f"Your hold is set. Waiting for {who(guest)}, {who(third)}.".lower() in html.lower()
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in html
    assert "Look again" in html
    assert html.count("data-kept") == 2 + 2  # in the tray, and in the throw that lies behind
    for number in (1, 2, 3):
        assert html.count(f">Roll {number}<") == 1
    assert 'data-state="fixed"' in page(guest, duel)
    throw(duel, who(guest), 3)
    assert "Waiting for guest" not in page(third, duel)
    throw(duel, who(third), 3)
    assert 'data-phase="decide"' in page(host, duel)
    assert 'data-state="fixed"' not in page(guest, duel)


def test_the_throw_is_pushed_to_who_waits(
    duel: Duel, host: Browser, guest: Browser, third: Browser
) -> None:
    for one in (host, guest, third):
        throw(duel, who(one))

    async def test() -> None:
        mine, stranger = await look_at(duel, host), await look_at(duel)
        await until(mine, 'data-phase="decide"')
        await sync_to_async(throw)(duel, who_[0], 1)
        await until(mine, 'data-phase="wait"')
        await sync_to_async(throw)(duel, who_[1], 1)
        await until(mine, f"Waiting for {names[2]}.", no_more=names[1] + ",")
        await sync_to_async(throw)(duel, who_[2], 1)
        await until(mine, 'data-phase="decide"')
        await mine.leave()
        await stranger.leave()

    who_ = [who(one) for one in (host, guest, third)]
    names = [seat.player.__str__().replace("guest", "Guest") for seat in duel.seats.all()]
    run(test)


def test_everybody_is_told_the_truth_about_who_could_know_dice(host: Browser) -> None:
    lockstep = challenge(host, listed="link")
    own = challenge(host, listed="link", own_pace="on")
    warning = "anyone who plays later could already know the dice"
    for browser in (host, Browser()):
        assert warning in page(browser, own)
        assert warning not in page(browser, lockstep)
    for duel in (own, lockstep):
        join_duel(duel, Browser())
    assert warning in page(host, own)
    assert "no one can see it earlier" in page(host, lockstep)
    assert warning not in page(host, lockstep)
    assert "each at their own pace" in host.get("/duels/").text
