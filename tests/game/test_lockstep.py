"""In lockstep nobody knows a throw that any person still in the duel can decide by."""

import pytest

from game import services
from game.fair import blocks
from game.models import Decision, Duel, DuelSeat, Player
from game.selectors.games import game_played
from game.services import Refused
from solver.rules import Score, State, replay
from tests.game.duels import (
    card_of,
    decide,
    fresh,
    new_duel,
    play_bots,
    play_to_the_end,
    play_turn,
    stands,
    throw,
)
from tests.game.test_concurrency import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("yatzy_tables")]
ALL = 31


@pytest.fixture
def anna() -> Player:
    return services.player_create()


@pytest.fixture
def bert() -> Player:
    return services.player_create()


@pytest.fixture
def carl() -> Player:
    return services.player_create()


def card(duel: Duel, player: Player) -> State:
    return game_played(card_of(duel, player)).state


def number(duel: Duel, player: Player) -> int:
    """Which throw of the turn lies on the table; 0 between turns and while one is waited for."""
    state = card(duel, player)
    return 0 if state.waiting or not state.dice else state.rules.throws - state.throws_left


def score(duel: Duel, player: Player) -> None:
    state = card(duel, player)
    decide(duel, player, Score(state.rules.categories[min(state.offers)].id))


def test_a_throw_falls_for_all_when_the_last_has_fixed_what_they_hold(
    anna: Player, bert: Player, carl: Player
) -> None:
    duel = new_duel([anna, bert, carl])
    everybody = (anna, bert, carl)
    for player in everybody:
        throw(duel, player)
    for lying in (1, 2):
        for player in (anna, bert):
            throw(duel, player, 1)
            assert number(duel, player) == 0
        assert number(duel, carl) == lying
        throw(duel, carl, 2)
        assert [number(duel, player) for player in everybody] == [lying + 1] * 3
    assert card(duel, anna).throws_left == 0


def test_the_first_throw_of_a_turn_waits_for_nobody_who_has_played_the_last_one(
    anna: Player, bert: Player
) -> None:
    duel = new_duel([anna, bert])
    throw(duel, anna)
    assert number(duel, anna) == 1


def test_a_throw_waits_neither_for_who_has_scored_nor_for_who_has_left(
    anna: Player, bert: Player, carl: Player
) -> None:
    duel = new_duel([anna, bert, carl])
    play_turn(duel, bert)
    throw(duel, anna)
    throw(duel, anna, 3)
    assert card(duel, anna).waiting
    services.duel_leave(token=duel.token, player=carl)
    assert number(duel, anna) == 2
    throw(duel, anna, 3)
    assert number(duel, anna) == 3


def test_who_leaves_with_dice_fixed_is_not_shown_the_throw_before_it_falls(
    anna: Player, bert: Player, carl: Player
) -> None:
    duel = new_duel([anna, bert, carl])
    for player in (anna, bert, carl):
        throw(duel, player)
    throw(duel, anna)
    services.duel_leave(token=duel.token, player=anna)
    assert card(duel, anna).waiting
    throw(duel, bert)
    assert card(duel, anna).waiting
    throw(duel, carl)
    assert number(duel, anna) == number(duel, bert) == 2


def test_what_was_fixed_cannot_be_changed(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert])
    throw(duel, anna)
    throw(duel, anna, 3)
    with pytest.raises(Refused, match="fixed"):
        throw(duel, anna, 5)
    with pytest.raises(Refused, match="fixed"):
        decide(duel, anna, Score("chance"))
    game = card_of(duel, anna)
    with pytest.raises(services.StaleAction):
        services.game_hold(game_id=game.pk, player=anna, seq=1, slots=5)
    assert [one.hold for one in game.decisions.order_by("seq")] == [0, 3]
    services.game_hold(game_id=game.pk, player=anna, seq=1, slots=3)  # sent again
    throw(duel, bert)
    throw(duel, bert)
    assert number(duel, anna) == 2


def test_holding_all_dice_waits_as_well(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert])
    throw(duel, anna)
    assert throw(duel, anna, ALL).state.waiting
    assert not card_of(duel, anna).throws.exists()  # nothing is typed in here
    assert card(duel, anna).waiting
    throw(duel, bert)
    throw(duel, bert, ALL)
    assert card(duel, anna).dice == card(duel, bert).dice
    assert number(duel, anna) == 2


def test_nobody_waits_alone_with_programs(anna: Player) -> None:
    duel = new_duel([anna], ["greedy"])
    for slots in (0, 1, 3):
        assert not throw(duel, anna, slots).state.waiting
    score(duel, anna)
    play_bots(duel)
    assert stands(duel).rounds.round == 1


def test_programs_are_waited_for_by_nobody_within_a_turn(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert], ["greedy"])
    for player in (anna, bert):
        throw(duel, player)
    throw(duel, anna)
    throw(duel, bert)
    assert number(duel, anna) == 2
    score(duel, anna)
    score(duel, bert)
    play_bots(duel)
    assert stands(duel).rounds.round == 1


def test_friends_at_their_own_pace_wait_for_nobody(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert], lockstep=False)
    for slots in (0, 1, 3):
        assert not throw(duel, anna, slots).state.waiting
    services.duel_leave(token=duel.token, player=bert)
    again = services.duel_rematch(token=duel.token, player=anna)
    assert not again.lockstep


def test_at_their_own_pace_nobody_plays_with_strangers(anna: Player) -> None:
    with pytest.raises(Refused, match="friends"):
        services.duel_create(player=anna, ruleset="yatzy", people=2, listed=True, lockstep=False)
    assert not Duel.objects.exists()


def test_a_free_seat_looks_at_nothing(anna: Player, bert: Player) -> None:
    """Nothing falls before everybody who will play has sat down."""
    duel, _ = services.duel_create(player=anna, ruleset="yatzy", people=3)
    services.duel_join(token=duel.token, player=bert)
    assert not DuelSeat.objects.exclude(game=None).exists()


def test_two_who_fix_at_the_same_moment_are_both_shown_the_throw(
    anna: Player, bert: Player
) -> None:
    duel = new_duel([anna, bert])
    for player in (anna, bert):
        throw(duel, player)
    at_once(lambda one: throw(duel, (anna, bert)[one], one + 1), times=2)
    assert number(duel, anna) == number(duel, bert) == 2
    assert card(duel, anna).held == 1


def test_a_request_sent_many_times_at_once_fixes_once(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert])
    throw(duel, anna)
    game = card_of(duel, anna)
    found = at_once(
        lambda n: services.game_hold(game_id=game.pk, player=anna, seq=1, slots=n % 2), times=4
    )
    assert sum(isinstance(one, Refused) for one in found) == 2
    assert game.decisions.count() == 2
    assert card(duel, anna).waiting


def test_what_is_stored_is_what_the_same_decisions_come_to_alone(
    anna: Player, bert: Player
) -> None:
    """Replay, judgement and proof are those of any game on these dice."""
    duel = new_duel([anna, bert])
    for _turn in range(15):
        for player in (anna, bert):
            throw(duel, player)
        for slots in (5, 9):
            throw(duel, anna, slots)
            throw(duel, bert, slots + 1)
        for player in (anna, bert):
            score(duel, player)
    assert fresh(duel).state == "finished"
    for player in (anna, bert):
        game = card_of(duel, player)
        actions = [one.action for one in game.decisions.order_by("seq")]
        assert replay(duel.rules, blocks.block(duel.seed, duel.rules), actions).total == (
            game.final_score
        )
        judged = Decision.objects.filter(game=game, roll__gt=0)
        assert not judged.filter(regret=None).exists()


def test_a_finished_duel_shows_every_throw(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert])
    play_to_the_end(duel, anna, bert)
    services.duel_rematch(token=duel.token, player=anna)
    again = Duel.objects.get(rematch_of=duel)
    services.duel_join(token=again.token, player=bert)
    throw(again, anna)
    throw(again, anna, 3)
    services.duel_leave(token=again.token, player=bert)
    assert fresh(again).state == "finished"
    assert number(again, anna) == 2
