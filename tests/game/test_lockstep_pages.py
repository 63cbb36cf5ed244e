"""What anybody can be shown of a duel does not depend on a throw that must not be known yet."""

import re

import pytest
from asgiref.sync import sync_to_async

from game.fair import blocks
from game.models import Duel
from game.services import Refused
from solver.rules import Block, Ruleset
from tests.game.conftest import HTMX, Browser
from tests.game.duels import card_of, play_turn, stands, throw
from tests.game.test_duel_pages import challenge, joined, look, page, run, until, who
from tests.game.test_speed import queries
from tests.selection import exhaustive

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("yatzy_tables")]

RANDOM = re.compile(
    r'(?:name="csrfmiddlewaretoken" value|data-token)="\w+"'
    r'|"X-(?:CSRFToken|Tab)": "[\w-]+"|tab=[\w-]+'
)
deal = blocks.block


@pytest.fixture
def host() -> Browser:
    return Browser()


@pytest.fixture
def guest() -> Browser:
    return Browser()


@pytest.fixture
def third() -> Browser:
    return Browser()


@pytest.fixture
def duel(host: Browser, guest: Browser, third: Browser, monkeypatch: pytest.MonkeyPatch) -> Duel:
    """What other tests have the lab work out meanwhile changes the list of duels, too."""
    monkeypatch.setattr("game.selectors.duels.opponents.stored", lambda *_: None)
    return joined(joined(challenge(host, people=3, listed="link"), guest), third)


def turn_over_from(turn: int, throw: int) -> object:
    """Other faces in every throw from this one on."""

    def block(seed: str, rules: Ruleset) -> Block:
        return [
            [
                faces if (at, number) < (turn, throw) else tuple(face % 6 + 1 for face in faces)
                for number, faces in enumerate(thrown)
            ]
            for at, thrown in enumerate(deal(seed, rules))
        ]

    return block


def everything(duel: Duel, *browsers: Browser) -> list[str]:
    """Every page, file and fragment in which the dice of these players could stand."""
    games = [card_of(duel, who(browser)) for browser in browsers]
    addresses = [f"/duel/{duel.token}/", f"/duels/{duel.token}/", "/duels/", "/history"]
    addresses += ["/history/export?format=csv", "/history/export?format=json"]
    for game in games:
        addresses += [f"/watch/{game.share_token}/", f"/review/{game.share_token}/"]
        addresses += [f"/games/{game.pk}/{what}" for what in ("", "verify", "coach", "review")]
        addresses += [f"/games/{game.pk}/review/", f"/games/{game.pk}/learn"]
    found = []
    for browser in (*browsers, Browser()):
        for address in addresses:
            answer = browser.get(address, follow=True)
            body = b"".join(answer) if answer.streaming else answer.content
            found.append(f"{answer.status_code} {RANDOM.sub('', body.decode())}")
        for game in games:  # a move out of turn, and one that is repeated
            last = game.decisions.order_by("seq").last()
            if last is not None:
                fields = {"seq": last.seq, "slot": []}
                answer = browser.post(f"/games/{game.pk}/hold", fields, headers=HTMX)
                found.append(RANDOM.sub("", answer.content.decode()))
    return found


def told_of(
    duel: Duel, dice: tuple[int, int], patch: pytest.MonkeyPatch, *browsers: Browser
) -> list[str]:
    """Lines that would be others if the dice were others from this throw of this turn on."""
    for browser in browsers:
        browser.get(f"/duel/{duel.token}/")  # now all of them are here
    real = everything(duel, *browsers)
    with patch.context() as other:
        other.setattr(blocks, "block", turn_over_from(*dice))
        changed = everything(duel, *browsers)
    pairs = zip("\n".join(real).split("\n"), "\n".join(changed).split("\n"), strict=False)
    return [f"{before} | {after}" for before, after in pairs if before != after]


def test_two_seats_of_one_person_show_nothing_that_the_third_can_still_use(
    duel: Duel, host: Browser, guest: Browser, third: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever sits twice throws first on one seat, to know what the other seat gets."""
    for one in (host, guest, third):
        throw(duel, who(one))
    for number in (1, 2):
        for one in (host, guest):
            throw(duel, who(one), 1)
            with pytest.raises(Refused):
                throw(duel, who(one))
        if exhaustive():
            assert told_of(duel, (0, number), monkeypatch, host, guest, third) == []
        elif number == 1:  # host and guest have done the same
            assert told_of(duel, (0, number), monkeypatch, host, third) == []
        throw(duel, who(third), 2)
        if number == 1 or exhaustive():
            assert told_of(duel, (0, number), monkeypatch, host)  # it can be seen at all
    for one in (host, guest):
        play_turn_over(duel, one)
        if exhaustive():
            assert told_of(duel, (1, 0), monkeypatch, host, guest, third) == []
        elif one is guest:
            assert told_of(duel, (1, 0), monkeypatch, guest, third) == []


def play_turn_over(duel: Duel, browser: Browser) -> None:
    game = card_of(duel, who(browser))
    fields = {"seq": game.decisions.count(), "category": "chance"}
    assert browser.post(f"/games/{game.pk}/score", fields, headers=HTMX).status_code == 200


def test_an_accomplice_who_scores_or_leaves_brings_no_throw_forward(
    duel: Duel, host: Browser, guest: Browser, third: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    for one in (host, guest, third):
        throw(duel, who(one))
    play_turn_over(duel, guest)
    throw(duel, who(host), 1)
    assert guest.post(f"/duel/{duel.token}/leave").status_code == 302
    assert told_of(duel, (0, 1), monkeypatch, host, guest, third) == []
    throw(duel, who(third))
    assert told_of(duel, (0, 1), monkeypatch, third)


def test_who_has_fixed_is_told_for_whom_they_wait(
    duel: Duel, host: Browser, guest: Browser, third: Browser
) -> None:
    for one in (host, guest, third):
        throw(duel, who(one))
    throw(duel, who(host), 3)
    html = page(host, duel)
    assert 'data-phase="wait"' in html
    assert f"Your dice are fixed. Waiting for {who(guest)}, {who(third)}.".lower() in html.lower()
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in html
    assert "Look again" in html
    assert html.count("data-kept") == 2 + 2  # in the tray, and in the throw that lies behind
    for number in (1, 2, 3):
        assert html.count(f">Throw {number}<") == 1
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
        mine, stranger = await look(duel, host), await look(duel)
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
    warning = "who plays later could know the dice"
    for browser in (host, Browser()):
        assert warning in page(browser, own)
        assert warning not in page(browser, lockstep)
    for duel in (own, lockstep):
        joined(duel, Browser())
    assert warning in page(host, own)
    assert "nobody can know it before" in page(host, lockstep)
    assert warning not in page(host, lockstep)
    assert "each at their own pace" in host.get("/duels/").content.decode()


def test_strangers_are_not_asked_to_play_at_their_own_pace(host: Browser) -> None:
    form = {"ruleset": "yatzy", "people": 2, "minutes": 0, "listed": "open", "own_pace": "on"}
    answer = host.post("/duels/", form)
    assert answer.status_code == 409
    assert "Only friends play at their own pace" in answer.content.decode()


def test_a_program_alone_is_told_nothing_of_pace(host: Browser) -> None:
    duel = challenge(host, people=1, bots=["greedy"], listed="link")
    html = page(host, duel)
    assert "Programs play a turn when you have." in html
    assert 'class="seat__left"' not in html
    assert 'class="seat__left"' in page(host, joined(challenge(host), Browser()))


def test_a_move_asks_the_database_no_more_than_a_few_times(
    duel: Duel, host: Browser, guest: Browser
) -> None:
    play_turn(duel, who(guest))
    throw(duel, who(host))
    assert queries(lambda: throw(duel, who(host), 1)) <= 22
    assert stands(duel).rounds.round == 0
