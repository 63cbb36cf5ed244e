"""Pages of duels: lobby, board, end, and rounds in lockstep."""

import re
from datetime import timedelta
from html import unescape

import pytest
from asgiref.sync import sync_to_async
from django.core.cache import cache, caches
from django.db.models import F
from redis.exceptions import ConnectionError as RedisAway

from game.core.game_queries import replay_game
from game.core.words import labels
from game.duels.duel_bots import Runners, make_bot_move, play_on
from game.duels.duel_look import find_present_seats
from game.models import Decision, Duel, DuelSeat, Game, Player
from game.pages.requests.visitors import COOKIE
from solver.advice.winning import MOST_OPEN
from solver.rules import Hold, Score
from tests.known import known
from tests.play import (
    FORM,
    Browser,
    by_sockets,
    card_of,
    challenge,
    decide,
    fresh,
    join_duel,
    look_at,
    page,
    play_on_from,
    play_through,
    play_to_the_end,
    play_turn,
    run,
    said,
    throw,
    totals,
    turn,
    until,
    who,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("yatzy_tables")]


@pytest.fixture(autouse=True)
def nobody_there() -> None:
    cache.clear()


@pytest.fixture
def duel(host: Browser, guest: Browser) -> Duel:
    return join_duel(challenge(host), guest)


def test_a_challenge_stands_in_the_list_of_others_until_it_is_taken(
    host: Browser, guest: Browser
) -> None:
    """A challenge by a link stands in no list. Opening it takes no seat."""
    duel, by_link = challenge(host), challenge(host, listed="link")
    join, other = (f'action="/duel/{one.token}/join"' for one in (duel, by_link))
    found = guest.get("/duels/").text
    assert join in found
    assert by_link.token not in found
    assert other in page(guest, by_link)
    assert guest.get(f"/duel/{duel.token}/join").status_code == 405
    assert duel.seats.filter(player=None).count() == 1
    assert COOKIE not in guest.cookies
    assert join not in host.get("/duels/").text
    join_duel(duel, guest)
    assert join not in Browser().get("/duels/").text


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"people": 9}, 400),
        ({"bots": ["nobody"]}, 400),
        ({"ruleset": "poker"}, 400),
        ({"people": 1}, 409),
        ({"own_pace": "on"}, 409),  # only friends play so
    ],
)
def test_a_form_that_cannot_be_followed_is_shown_again(
    host: Browser, wrong: dict[str, object], status: int
) -> None:
    assert host.post("/duels/", {**FORM, **wrong}).status_code == status
    assert not Duel.objects.exists()


def test_without_a_script_an_action_leads_back_to_the_table(host: Browser, duel: Duel) -> None:
    game = card_of(duel, who(host))
    answer = host.act(game, "hold", htmx=False, seq=0)
    assert answer.headers["Location"] == f"/duel/{duel.token}/"
    refused = host.act(game, "hold", htmx=False, seq=0, slot=[3])
    assert refused.status_code == 409
    assert 'id="cards"' in refused.text
    turned = host.act(game, "hold", htmx=False, seq=1, toggle=2)
    kept = host.get(turned.headers["Location"], follow=True).text
    assert len(re.findall('aria-pressed="true"', kept)) == 1


def test_nothing_is_said_of_what_moves_were_worth_before_the_end(host: Browser, duel: Duel) -> None:
    Player.objects.update(coach="live")
    turn(host, duel)
    html = page(host, duel)
    assert "Mistakes" not in html
    assert "costs" not in html
    assert host.act(card_of(duel, who(host)), "hint").status_code == 403


def test_the_end_and_the_review_tell_luck_turns_and_what_winning_still_asked_for(
    host: Browser,
) -> None:
    duel = challenge(host, people=1, bots=["optimal"])
    assert "Turn by turn" not in page(host, duel)
    play_to_the_end(duel, who(host))
    html = unescape(page(host, duel))
    assert "Mistakes" in html
    assert "Vera won by" in html
    assert html.count("/review/") == 2
    table = re.sub(r"\s+<td", "<td", html[html.index("What decided the duel") :])
    rows = re.findall(r"<td class=\"number\">([^<]*)</td>" * 4, table)
    assert len(rows) == 2
    for points, *parts in rows:
        assert 10 * int(points) == sum(round(10 * float(one.replace("−", "-"))) for one in parts)
    turn_cell = r"<td><span.*?<b>(\d+)</b>(?: <span class=\"paper__lost\">−([\d.]+))?"
    cells = re.findall(turn_cell, html.split('id="turns"')[1])
    assert len(cells) == 2 * len(duel.rules.categories)
    for seat, total in enumerate(totals(duel)):
        filled = sum(int(points) for points, _ in cells[seat::2])
        assert filled in {total, total - duel.rules.bonus_points}
    assert any(lost for _, lost in cells)

    own = card_of(duel, who(host))
    (other,) = Game.objects.filter(seat__duel=duel).exclude(pk=own.pk)
    address = f"/games/{own.pk}/review"
    steps = host.get(address).context["walk"].review.steps
    late = [step for step in steps if len(own.rules.open(step.state.filled)) <= MOST_OPEN]
    assert late
    for step in (late[0], late[-1]):
        answer = host.get(f"{address}?step={step.number}")
        needed = known(other.final_score) + 1 - step.state.points
        assert answer.context["to_win"].needed == needed
        assert f"Play to win: {needed}\u00a0point" in answer.text
    assert "With this option, you get the points in" in host.get(answer.context["to_win"].url).text
    assert host.get(f"{address}?step={steps[0].number}").context["to_win"] is None
    Game.objects.filter(pk=other.pk).update(final_score=0)
    assert host.get(f"{address}?step={late[-1].number}").context["to_win"] is None
    over = play_through(host, host.start())  # another game says nothing of winning
    assert host.get(f"/games/{over.pk}/review?step=15").context["to_win"] is None
    again = host.post(f"/duel/{duel.token}/rematch")
    assert Duel.objects.get(rematch_of=duel).token in again.headers["Location"]


def test_a_greeting_stays_at_its_seat_unless_the_reader_hides_greetings(
    host: Browser, guest: Browser, duel: Duel
) -> None:
    def greet(browser: Browser, greeting: str) -> int:
        return browser.post(f"/duel/{duel.token}/greet", {"greeting": greeting}).status_code

    def greetings(browser: Browser) -> list[str]:
        return re.findall('data-greeting="([^"]+)"', page(browser, duel))

    assert [greet(host, "luck"), greet(host, "move"), greet(host, "rude")] == [302, 302, 400]
    assert greetings(guest) == greetings(Browser()) == ["Nice move"]
    assert greetings(host) == []
    Player.objects.filter(pk=who(guest).pk).update(greetings=False)
    assert greetings(guest) == []
    assert 'class="greet"' not in page(guest, duel)
    statuses = [greet(guest, "thanks") for _ in range(5)]
    assert statuses[2:] == [302, 429, 429]  # six greetings per minute from one address
    cache.clear()
    guest.post(f"/duel/{duel.token}/leave")
    assert (greet(guest, "luck"), greet(host, "thanks")) == (403, 302)
    assert 'class="greet"' in page(host, duel)
    assert 'class="greet"' not in page(host, challenge(host, people=1, bots=["optimal"]))
    waits = challenge(host)
    assert host.post(f"/duel/{waits.token}/greet", {"greeting": "luck"}).status_code == 403


# Programs of this process


def test_a_runner_plays_what_is_due_and_ends(host: Browser) -> None:
    duel = challenge(host, people=1, bots=["optimal"])
    play_turn(duel, who(host))
    play_on(duel.token)
    bot = Player.objects.get(bot="optimal")
    assert card_of(duel, bot).decisions.exclude(category="").count() == 1


def test_a_call_that_comes_while_a_runner_ends_is_not_lost() -> None:
    runners = Runners()
    runners._again["duel"] = True
    assert runners._was_woken("duel")
    runners._again["duel"] = True  # somebody calls while it plays
    assert runners._was_woken("duel")
    assert not runners._was_woken("duel")
    assert runners._again == {}


def test_a_look_and_a_move_call_the_programs(
    host: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[str] = []
    monkeypatch.setattr("game.duels.duel_bots.runners.wake_bots", woken.append)
    duel = challenge(host, people=1, bots=["optimal"])
    for act in (lambda: page(host, duel), lambda: decide(duel, who(host), Hold(0))):
        woken.clear()
        act()
        assert woken == [duel.token]


FACES = ("nothing yet", "one", "two", "three", "four", "five", "six")


def on_the_tray(html: str) -> tuple[int, ...]:
    tray = html[html.index('class="tray"') :]
    return tuple(map(FACES.index, re.findall(r'aria-label="die \d, shows ([a-z ]+)', tray)))


def guest_of(html: str) -> str:
    found = re.search(r'data-guest="([^"]+)"', html)
    return found[1] if found else ""


def test_who_waits_sees_the_dice_of_who_plays_and_then_his_own(
    host: Browser, guest: Browser, duel: Duel
) -> None:
    turn(host, duel)
    own = replay_game(card_of(duel, who(host))).moves[-1].state.dice
    assert (guest_of(page(host, duel)), on_the_tray(page(host, duel))) == ("", (0,) * 5)
    assert page(host, duel).count("data-past") == 5  # his own, as he left them
    first = throw(duel, who(guest)).state
    assert on_the_tray(page(Browser(), duel)) == (0,) * 5  # who watches sees none of it
    second = throw(duel, who(guest), 0b101).state
    html = page(host, duel)
    assert on_the_tray(html) == second.dice
    name = str(labels.format_player(who(guest)))
    assert guest_of(html) == f"{name} 2"
    assert f"<b>{name}</b>" in html
    assert "roll 2" in html
    assert html.count("data-kept") == 4  # two of them, there and in the throw before
    assert ", ".join(map(str, first.dice)) in html
    assert said(html)[0].startswith("You have played")
    play_on_from(duel, who(guest))
    html = page(host, duel)
    assert 'data-phase="roll"' in html
    assert guest_of(html) == ""
    assert own == tuple(
        map(int, re.findall(r'data-past[^>]*>\s*<svg[^>]*><use href="#p(\d)"', html))
    )


# Sockets


@by_sockets
async def test_everybody_at_the_table_follows_each_in_their_own_way(
    host: Browser, guest: Browser, duel: Duel
) -> None:
    mine, theirs, stranger = (
        await look_at(duel, host),
        await look_at(duel, guest),
        await look_at(duel),
    )
    assert 'data-phase="roll"' in await until(mine, 'id="board"')
    await until(theirs, 'id="board"')
    assert 'id="board"' not in await until(stranger, 'id="seats"')
    await sync_to_async(turn)(guest, duel)
    await until(theirs, 'data-phase="wait"')
    await sync_to_async(turn)(host, duel)
    await until(theirs, 'data-phase="roll"')
    await until(stranger, "Turn 2 of 15")


def test_a_throw_is_pushed_to_who_waits_and_falls_for_who_watches(host: Browser) -> None:
    duel = challenge(host, people=1, opponent="greedy", bots=["greedy"])

    async def test() -> None:
        mine, stranger = await look_at(duel, host), await look_at(duel)
        await until(mine, 'data-phase="roll"')
        await until(stranger, 'id="tray"')
        await sync_to_async(turn)(host, duel)
        await until(mine, 'data-phase="wait"', no_more="data-guest")
        await sync_to_async(make_bot_move)(token=duel.token, pace=timedelta())
        assert "Gry 1" in guest_of(await until(mine, "data-guest"))
        assert "data-rolled" in await until(stranger, "<b>Gry</b>")
        for viewer in (mine, stranger):
            await viewer.leave()

    run(test)


def test_presence_comes_and_goes_with_the_socket(host: Browser, guest: Browser, duel: Duel) -> None:
    seats = list(DuelSeat.objects.filter(duel=duel))

    async def test() -> None:
        mine = await look_at(duel, host)
        await until(mine, 'id="seats"')
        theirs = await look_at(duel, guest)
        await until(mine, 'id="seats"', no_more="away")
        there = sync_to_async(lambda: find_present_seats(duel.token, seats))
        assert await there() == {1, 2}
        await theirs.leave()
        await until(mine, "away")
        assert await there() == {1}
        await mine.leave()

    run(test)


def test_a_duel_goes_on_without_the_cache_that_knows_who_is_there(
    host: Browser, duel: Duel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise RedisAway

    cache = type(caches["default"])
    for asked in ("set", "delete", "get_many"):
        monkeypatch.setattr(cache, asked, away)
    assert 'id="seats"' in page(host, duel)

    async def test() -> None:
        tab = await look_at(duel, host)
        await until(tab, 'id="seats"')
        await tab.leave()

    run(test)


def test_a_clock_that_runs_out_ends_the_duel_while_somebody_looks(
    host: Browser, guest: Browser
) -> None:
    duel = join_duel(challenge(host, minutes=3), guest)
    play_turn(duel, who(host))
    moment = known(duel.started_at)
    late = moment.replace(year=moment.year - 1)
    Duel.objects.filter(pk=duel.pk).update(started_at=late)

    async def test() -> None:
        viewer = await look_at(duel, host)
        assert "ran out of time" in await until(viewer, 'data-state="finished"')
        await viewer.leave()

    run(test)
    assert DuelSeat.objects.get(duel=duel, player=who(guest)).exit == DuelSeat.Exit.TIME


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
    assert re.search(r"You won: Guest \w+\sran out of time\.", answer)
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


@pytest.fixture
def in_step(host: Browser, guest: Browser, third: Browser, monkeypatch: pytest.MonkeyPatch) -> Duel:
    """Results that other tests have the lab calculate change the list of duels, too."""
    monkeypatch.setattr("game.duels.opponents.read_result", lambda *_: None)
    return join_duel(join_duel(challenge(host, people=3, listed="link"), guest), third)


def test_who_has_fixed_is_told_for_whom_they_wait(
    in_step: Duel, host: Browser, guest: Browser, third: Browser
) -> None:
    for one in (host, guest, third):
        throw(in_step, who(one))
    throw(in_step, who(host), 3)
    html = page(host, in_step)
    assert 'data-phase="wait"' in html
    assert f"Your hold is set. Waiting for {who(guest)}, {who(third)}.".lower() in html.lower()
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in html
    assert "Look again" in html
    assert html.count("data-kept") == 2 + 2  # in the tray, and in the throw that lies behind
    for number in (1, 2, 3):
        assert html.count(f">Roll {number}<") == 1
    assert 'data-state="fixed"' in page(guest, in_step)
    throw(in_step, who(guest), 3)
    assert "Waiting for guest" not in page(third, in_step)
    throw(in_step, who(third), 3)
    assert 'data-phase="decide"' in page(host, in_step)
    assert 'data-state="fixed"' not in page(guest, in_step)


def test_everybody_is_told_the_truth_about_who_could_know_dice(host: Browser) -> None:
    lockstep = challenge(host, listed="link")
    own = challenge(host, listed="link", own_pace="on")
    warning = "anyone who plays later could already know the dice"
    for browser in (host, Browser()):
        assert warning in page(browser, own)
        assert warning not in page(browser, lockstep)
    for in_step in (own, lockstep):
        join_duel(in_step, Browser())
    assert warning in page(host, own)
    assert "no one can see it earlier" in page(host, lockstep)
    assert warning not in page(host, lockstep)
    assert "each at their own pace" in host.get("/duels/").text
