"""People round one table, with one device and dice of their own."""

from collections.abc import Sequence
from typing import Any

import pytest

from game.core.accounts import get_or_create_player, merge_guest
from game.core.counting import is_counted
from game.core.game_queries import replay_game
from game.core.kind import find_kind
from game.core.playing import abandon_game, fill_box, hold_dice
from game.core.refusals import IllegalMove, Refused
from game.core.throwing import enter_roll
from game.duels.parties import (
    TableGuest,
    build_party_page,
    find_next_seat,
    list_party_seats,
    start_party,
)
from game.models import Game, Party, Player
from solver.rules import YATZY, Score
from tests.known import known
from tests.play import BOXES, Browser, score_next
from tests.trials import new_trial

pytestmark = pytest.mark.django_db
tables = pytest.mark.usefixtures("yatzy_tables")
FACES = (1, 2, 3, 4, 6)


def party_of(player: Player | None, *names: str, coach: str = "off") -> Party:
    guests = [TableGuest(name, coach) for name in names]
    return start_party(player=player, rules=YATZY, guests=guests)


def cards(party: Party) -> list[Game]:
    return [seat.game for seat in party.seats.all()]


def turn_of(party: Party) -> str:
    seat = find_next_seat(list_party_seats(party))
    return seat.name if seat else ""


def thrown(game: Game, faces: Sequence[int] = FACES) -> None:
    played = replay_game(game)
    seq, entries = len(played.actions), played.entries
    enter_roll(game_id=game.pk, player=game.player, seq=seq, entries=entries, faces=faces)


def filled(game: Game, box: str = "chance") -> None:
    thrown(game)
    seq = len(replay_game(game).actions)
    fill_box(game_id=game.pk, player=game.player, seq=seq, category=box, confirmed=True)


def played_out(party: Party) -> None:
    for category in YATZY.categories:
        for game in cards(party):
            if not game.over:
                filled(game, category.id)


def test_the_dice_go_round_in_the_order_of_the_names(player: Player) -> None:
    party = party_of(player, "Ann", "Bo", "Cy")
    ann, bo, cy = cards(party)
    assert turn_of(party) == "Ann"
    filled(ann)
    assert turn_of(party) == "Bo"
    for waiting in (ann, cy):
        with pytest.raises(Refused, match="Bo's turn"):
            thrown(waiting)
    filled(bo)
    filled(cy)
    assert turn_of(party) == "Ann"
    assert [game.decisions.count() for game in cards(party)] == [2, 2, 2]


@tables
def test_the_phone_rolls_for_everybody_and_undoes_a_box_until_the_next_roll(
    browser: Browser,
) -> None:
    browser.post("/table/", {"ruleset": "yatzy", "name_0": "Ann", "name_1": "Bo", "dice": "site"})
    party = Party.objects.get()
    ann, bo = cards(party)
    assert not ann.real_dice
    assert ann.seed != bo.seed
    for game in (ann, bo):
        assert browser.act(game, "hold", seq=0).status_code == 200
        assert len(replay_game(game).state.dice) == 5
        browser.act(game, "score", seq=1, category="chance")
        assert find_kind(game).can_take_back([Score("chance")])
    assert turn_of(party) == "Ann"
    browser.act(ann, "hold", seq=2)
    assert not find_kind(bo).can_take_back([Score("chance")])
    for box in BOXES:
        for game in (ann, bo):
            if box != "chance":
                score_next(replay_game(game), party.host, box)
    assert build_party_page(party).turn is None
    assert browser.get(f"/games/{ann.pk}/verify").status_code == 200
    assert not any(map(is_counted, Game.objects.all()))


def test_a_player_who_gives_up_is_passed_over(player: Player) -> None:
    party = party_of(player, "Ann", "Bo")
    ann, bo = cards(party)
    abandon_game(game_id=ann.pk, player=player)
    assert turn_of(party) == "Bo"
    filled(bo)
    assert turn_of(party) == "Bo"
    abandon_game(game_id=bo.pk, player=player)
    assert turn_of(party) == ""
    assert build_party_page(party).winners == []


def test_a_dice_of_the_second_throw_may_be_held_and_corrected(player: Player) -> None:
    ann, _bo = cards(party_of(player, "Ann", "Bo"))
    thrown(ann)
    hold_dice(game_id=ann.pk, player=player, seq=1, slots=0b11)
    with pytest.raises(IllegalMove, match="Please type the 3 dice"):
        thrown(ann, (3, 3, 3, 3, 3))
    thrown(ann, (6, 6, 6))
    enter_roll(game_id=ann.pk, player=player, seq=2, entries=2, faces=(5, 6, 6), correction=True)
    assert replay_game(ann).state.dice == (1, 2, 5, 6, 6)


@tables
def test_the_end_says_who_won_and_what_was_luck(player: Player) -> None:
    party = party_of(player, "Ann", "Bo", coach="after")
    first, second = cards(party)
    for category in YATZY.categories:
        for game, faces in ((first, FACES), (second, (6, 6, 6, 6, 6))):
            thrown(game, faces)
            seq = len(replay_game(game).actions)
            fill_box(game_id=game.pk, player=player, seq=seq, category=category.id, confirmed=True)
    page = build_party_page(party)
    assert page.turn is None
    assert page.winners == ["Bo"]
    assert [guest.seat.name for guest in page.guests] == ["Bo", "Ann"]
    for guest in page.guests:
        sums = known(guest.equation)
        assert guest.points == pytest.approx(sums.start + sums.printed_luck - sums.lost, abs=0.2)


def test_a_trial_that_closes_the_coach_closes_it_here_too(player: Player) -> None:
    assert cards(party_of(player, "Ann", coach="live"))[0].coach == "live"
    new_trial(coach_closed=True)
    assert cards(party_of(player, "Ann", coach="live"))[0].coach == "off"


def test_somebody_new_begins_and_has_the_device(browser: Browser) -> None:
    form = {"ruleset": "yatzy", "name_0": "Ann", "coach_0": "after", "name_3": "Bo"}
    answer = browser.post("/table/", form)
    assert answer.status_code == 302
    party = Party.objects.get()
    ann, bo = cards(party)
    assert answer.headers["Location"] == f"/games/{ann.pk}/"
    standing = browser.get(f"/table/{party.pk}/").text
    assert "Ann has the dice" in standing
    assert "has won" not in standing
    assert f'href="/games/{ann.pk}/">Pass to Ann' in standing
    assert (ann.coach, bo.coach) == ("after", "off")
    text = browser.get(f"/games/{bo.pk}/").text
    assert "Pass the dice to Ann." in text
    assert f'href="/games/{ann.pk}/"' in text
    assert 'id="faces"' not in text
    assert 'id="faces"' in browser.get(f"/games/{ann.pk}/").text


def test_a_table_stays_with_the_guest_who_signs_in(
    player: Player, django_user_model: Any, browser: Browser
) -> None:
    party = party_of(player, "Ann", "Bo")
    user = django_user_model.objects.create_user("ann")
    get_or_create_player(user=user)  # an account that has played before
    merge_guest(guest=player, user=user)
    browser.force_login(user)
    ann, _bo = cards(Party.objects.get(pk=party.pk))
    assert browser.get(f"/games/{ann.pk}/").status_code == 200
    assert browser.get(f"/table/{party.pk}/").status_code == 200


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ((), "at least one name"),
        (("Bo", "", "Bo"), "Two players are called Bo"),
        (("x" * 31,), "30 characters"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_typed_is_lost(
    browser: Browser, names: Sequence[str], told: str
) -> None:
    form = {"ruleset": "yatzy"} | {f"name_{place}": name for place, name in enumerate(names)}
    answer = browser.post("/table/", form)
    text = answer.text
    assert answer.status_code == 400
    assert told in text
    assert all(f'value="{name}"' in text for name in names if name)
    assert not Party.objects.exists()


def test_the_last_box_leads_on_to_the_next_card_and_then_to_the_end(browser: Browser) -> None:
    browser.post("/table/", {"ruleset": "yatzy", "name_0": "Ann", "name_1": "Bo"})
    party = Party.objects.get()
    played_out(party)
    for game in cards(party):
        text = browser.get(f"/games/{game.pk}/").text
        assert f'href="/table/{party.pk}/"' in text
    end = browser.get(f"/table/{party.pk}/")
    assert end.status_code == 200
    assert "A draw: Ann, Bo" in end.text
