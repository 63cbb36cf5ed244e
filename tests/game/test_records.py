"""How often one has won, lost and drawn against each of the others, and where those games are."""

from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from game.core.accounts import create_player
from game.core.duel_record_queries import DuelRecord, list_records
from game.core.nicknames import store_nickname
from game.models import Duel, DuelSeat, Game, Player
from tests.game.test_duels import given_up, tied, worse
from tests.play import Browser, new_duel, page, who
from tests.selection import examples

pytestmark = pytest.mark.django_db(transaction=True)

Ends = list[tuple[str, int | None]]  # how each left, if so, and the points at the end


def ended(people: list[Player], ends: Ends) -> Duel:
    duel = new_duel(people)
    Duel.objects.filter(pk=duel.pk).update(finished_at=duel.started_at)
    for player, (left, points) in zip(people, ends, strict=True):
        seat = DuelSeat.objects.get(duel=duel, player=player)
        stored: dict[str, Any] = {"abandoned_at": duel.started_at}
        if points is not None and not left:
            stored = {"finished_at": duel.started_at, "final_score": points, "bonus": 0}
        Game.objects.filter(pk=seat.game_id).update(**stored)
        moment = duel.started_at if left else None
        DuelSeat.objects.filter(pk=seat.pk).update(exit=left, left_at=moment)
    return duel


def told_slowly(me: int, other: int, duels: list[Ends]) -> tuple[int, int, int]:
    won = lost = drawn = 0
    for ends in duels:
        (my_exit, mine), (their_exit, theirs) = ends[me], ends[other]
        if my_exit and their_exit:
            continue
        if my_exit or their_exit:
            won, lost = won + bool(their_exit), lost + bool(my_exit)
        elif mine is not None and theirs is not None:
            won, lost, drawn = (
                won + (mine > theirs),
                lost + (mine < theirs),
                drawn + (mine == theirs),
            )
    return won, lost, drawn


class Records(TestCase):
    @settings(max_examples=examples(15))
    @given(
        st.lists(
            st.lists(
                st.tuples(
                    st.sampled_from(["", "", "gave up", "time"]),
                    st.sampled_from([None, 200, 200, 251]),
                ),
                min_size=3,
                max_size=3,
            ),
            max_size=4,
        )
    )
    def test_each_two_have_the_record_of_what_they_played(self, duels: list[Ends]) -> None:
        people = [create_player() for _ in range(3)]
        for ends in duels:
            ended(people, ends)
        for me, mine in enumerate(people):
            found = {one.rival: (one.won, one.lost, one.drawn) for one in list_records(mine)}
            for other, theirs in enumerate(people):
                told = told_slowly(me, other, duels) if me != other else (0, 0, 0)
                assert found.get(theirs, (0, 0, 0)) == told


def test_the_one_played_with_last_comes_first_and_two_queries_tell_all() -> None:
    me, *others = (create_player() for _ in range(4))
    for other in others:
        ended([me, other], [("", 210), ("", 200)])
    with CaptureQueriesContext(connection) as queries:
        found = list_records(me)
    assert [one.rival for one in found] == others[::-1]
    assert len(queries) == 2
    assert list_records(me, [others[0]]) == [DuelRecord(others[0], 1, 0, 0)]


@pytest.mark.usefixtures("yatzy_tables")
def test_the_end_of_a_duel_and_the_list_of_duels_tell_it() -> None:
    host, guest = Browser(), Browser()
    worse(host, guest)
    given_up(host, guest)
    duel = tied(host, guest)
    store_nickname(player=who(guest), nickname="Anna")
    mine = list_records(who(host))[0]
    assert mine.drawn == 1
    assert mine.won + mine.lost == 2
    line = f"You against Anna: {mine.won} won, {mine.lost} lost, 1 drawn."
    for html in (page(host, duel), host.get("/duels/").text):
        assert line in unescape(html)
    assert "You against" not in page(Browser(), duel)
    assert "You and your opponents" not in Browser().get("/duels/").text


@pytest.mark.usefixtures("yatzy_tables")
def test_its_link_leads_to_those_games_and_no_others() -> None:
    host, guest = Browser(), Browser()
    duels = [given_up(host, guest), tied(host, guest)]
    given_up(host, Browser())
    host.start()
    found = host.get("/you/", {"rules": "all", "opponent": who(guest).code})
    games = {one.pk for one in found.context["page"]}
    mine = DuelSeat.objects.filter(duel__in=duels, player=who(host))
    assert games == set(mine.values_list("game", flat=True))
    assert "not finished" in found.text
