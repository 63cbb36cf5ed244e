"""However a duel ends: each of those who played reads and hears what it came to for them."""

import re
from collections.abc import Callable
from html import unescape

import pytest
from asgiref.sync import async_to_sync, sync_to_async

from game.core.accounts import create_player, delete_player
from game.core.game_queries import replay_game
from game.core.words import labels
from game.duels.duel_ends import leave_duel, settle_duel
from game.duels.duel_look import view_duel
from game.models import Duel, DuelSeat, Player
from solver.rules import Score
from tests.known import known
from tests.play import (
    Browser,
    challenge,
    decide,
    fresh,
    join_duel,
    later,
    look_at,
    new_duel,
    page,
    play_to_the_end,
    play_turn,
    said,
    throw,
    turn,
    until,
    who,
)

WORDS = {"won": "You won", "lost": "You lost", "tied": "A draw", "given-up": "You gave up"}


def expected(duel: Duel, player: Player) -> str:
    seats = DuelSeat.objects.filter(duel=duel)
    mine = seats.get(player=player)
    if mine.exit:
        return "given-up" if mine.exit == DuelSeat.Exit.GAVE_UP else "lost"
    if fresh(duel).state != "finished":
        return ""
    totals = {seat: replay_game(known(seat.game)).state.total for seat in seats.filter(exit="")}
    best = max(totals.values())
    if totals[mine] < best:
        return "lost"
    return "won" if list(totals.values()).count(best) == 1 else "tied"


def begins(sentence: str, outcome: str) -> bool:
    lost = not sentence.startswith(("You won", "A draw", "You gave up"))
    return lost if outcome == "lost" else sentence.startswith(WORDS[outcome])


def outcome_in(html: str) -> str:
    found = re.findall(r'data-outcome="([\w-]+)"', html)
    assert len(found) <= 1
    return found[0] if found else ""


def part(html: str, pattern: str) -> str:
    return unescape(known(re.search(pattern, html, re.S))[1].strip())


def title(html: str) -> str:
    return part(html, "<title>(.*?)</title>")


def verdict(html: str) -> str:
    return part(html, 'class="seats__verdict">([^<]*)<')


def table(host: Browser, guest: Browser, minutes: int = 0) -> Duel:
    return join_duel(challenge(host, minutes=minutes), guest)


def given_up(host: Browser, guest: Browser) -> Duel:
    duel = table(host, guest)
    turn(host, duel)
    guest.post(f"/duel/{duel.token}/leave")
    return duel


def out_of_time(host: Browser, guest: Browser) -> Duel:
    duel = table(host, guest, minutes=3)
    turn(host, duel)
    settle_duel(token=duel.token, now=later(duel, hours=1))
    return duel


def tied(host: Browser, guest: Browser) -> Duel:
    duel = table(host, guest)
    play_to_the_end(duel, who(host), who(guest))
    return duel


def worse(host: Browser, guest: Browser) -> Duel:
    duel = table(host, guest)
    while fresh(duel).state == "running":
        play_turn(duel, who(host))
        state = throw(duel, who(guest)).state
        decide(duel, who(guest), Score(state.rules.categories[max(state.offers)].id))
    return duel


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("yatzy_tables")
@pytest.mark.parametrize("way", [given_up, out_of_time, tied, worse])
def test_everybody_reads_and_hears_how_it_ended_for_them(
    way: Callable[[Browser, Browser], Duel],
) -> None:
    host, guest = Browser(), Browser()
    duel = way(host, guest)
    for browser in (host, guest):
        html, outcome = page(browser, duel), expected(duel, who(browser))
        assert outcome_in(html) == outcome != ""
        assert title(html) == f"{WORDS[outcome]} · Duel: Yatzy"
        assert said(html) == [verdict(html)]
        assert begins(verdict(html), outcome)
        assert browser.get(f"/duels/{duel.token}/").text.count("data-outcome") == 1
    watched = page(Browser(), duel)
    assert outcome_in(watched) == ""
    assert title(watched) == "Duel: Yatzy"
    assert "You" not in verdict(watched)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("yatzy_tables")
def test_the_winner_is_told_at_once_when_the_other_leaves() -> None:
    host, guest = Browser(), Browser()
    duel = table(host, guest)

    async def test() -> None:
        mine, stranger = await look_at(duel, host), await look_at(duel)
        await until(mine, 'id="board"')
        await sync_to_async(guest.post)(f"/duel/{duel.token}/leave")
        board = await until(mine, 'data-outcome="won"')
        assert said(board)[0].startswith("You won")
        watched = await until(stranger, "seats__verdict")
        assert outcome_in(watched) == ""
        for viewer in (mine, stranger):
            await viewer.leave()

    async_to_sync(test)()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("yatzy_tables")
def test_whoever_leaves_three_reads_so_before_the_others_have_finished() -> None:
    anna, bert, carl = (create_player() for _ in range(3))
    duel = new_duel([anna, bert, carl], minutes=3)
    leave_duel(token=duel.token, player=anna)
    view = view_duel(duel.token, anna)
    assert (known(view.board).outcome, view.verdict) == (
        "given-up",
        "You gave up: the other players go on.",
    )
    assert view_duel(duel.token, bert).verdict == ""
    play_turn(duel, bert)
    settle_duel(token=duel.token, now=later(duel, minutes=3))
    told = view_duel(duel.token, bert).verdict
    assert told.startswith("You won: ")
    assert told.endswith(" gave up or ran out of time.")
    assert known(view_duel(duel.token, carl).board).outcome == "lost"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("yatzy_tables")
def test_whoever_has_left_is_not_among_those_who_are_waited_for() -> None:
    anna, bert, carl = (create_player() for _ in range(3))
    duel = new_duel([anna, bert, carl])
    leave_duel(token=duel.token, player=anna)
    play_turn(duel, bert)
    told = f"You have played this turn. Waiting for {labels.format_player(carl)}."
    assert known(view_duel(duel.token, bert).board).status == told


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("yatzy_tables")
def test_a_card_that_was_deleted_afterwards_makes_nobody_the_winner() -> None:
    host, guest = Browser(), Browser()
    duel = worse(host, guest)
    delete_player(player=who(guest))
    html = page(host, duel)
    assert outcome_in(html) == ""
    assert "the winner is unknown" in verdict(html)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("yatzy_tables")
def test_who_is_deleted_with_a_full_card_has_given_up_and_is_not_waited_for() -> None:
    anna, bert = create_player(), create_player()
    duel = new_duel([anna, bert])
    for _ in range(len(duel.rules.categories) - 1):
        play_turn(duel, anna)
        play_turn(duel, bert)
    play_turn(duel, anna)
    delete_player(player=anna)
    view = view_duel(duel.token, bert)
    assert fresh(duel).state == "finished"
    assert known(view.board).outcome == "won"
    assert view.verdict.endswith("gave up.")
