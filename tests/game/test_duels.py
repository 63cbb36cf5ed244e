"""Duels by their services: the same dice, turn by turn, to a result."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from game import services
from game.fair.blocks import block
from game.kind import kind_of
from game.models import Decision, Duel, DuelSeat, Game, Player
from game.selectors.duels.tables import ledgers
from game.selectors.games import game_played, player_open_solo
from game.services import InTrial, NotAtTheTable, NotUnderstood, NotYours, Refused
from game.services.duel_bots import others_seen
from solver.rules import Score, State
from tests.game.conftest import start_solo
from tests.game.duels import (
    card_of,
    decide,
    fresh,
    later,
    new_duel,
    play_bots,
    play_to_the_end,
    play_turn,
    seat_of,
    stands,
    throw,
    totals,
)
from tests.game.test_concurrency import at_once
from tests.game.trials import joined, new_trial
from tests.known import known

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("yatzy_tables")]


@pytest.fixture
def anna() -> Player:
    return services.player_create()


@pytest.fixture
def bert() -> Player:
    return services.player_create()


@pytest.fixture
def duel(anna: Player, bert: Player) -> Duel:
    return new_duel([anna, bert])


def test_a_challenge_begins_when_its_last_seat_is_taken(anna: Player, bert: Player) -> None:
    duel, owner = services.duel_create(player=anna, ruleset="yatzy", people=2)
    assert (duel.state, owner) == ("open", anna)
    assert not Game.objects.exists()
    services.duel_join(token=duel.token, player=bert)
    assert fresh(duel).state == "running"
    assert {game.player for game in Game.objects.all()} == {anna, bert}


def test_a_visitor_who_joins_becomes_a_player(anna: Player) -> None:
    duel, _ = services.duel_create(player=anna, ruleset="yatzy", people=2)
    _, guest = services.duel_join(token=duel.token, player=None)
    assert seat_of(duel, guest).number == 2


def test_everybody_has_the_same_sealed_dice(duel: Duel) -> None:
    seeds = set(Game.objects.values_list("seed", "commitment"))
    assert seeds == {(duel.seed, duel.commitment)}


def test_whoever_joins_twice_has_one_seat(anna: Player, bert: Player) -> None:
    duel, _ = services.duel_create(player=anna, ruleset="yatzy", people=3)
    for player in (bert, bert, anna):
        services.duel_join(token=duel.token, player=player)
    assert fresh(duel).state == "open"
    assert duel.seats.filter(player=None).count() == 1


def test_a_full_table_takes_nobody(duel: Duel) -> None:
    with pytest.raises(Refused):
        services.duel_join(token=duel.token, player=services.player_create())


def test_of_many_who_join_at_once_one_sits_down(anna: Player) -> None:
    duel, _ = services.duel_create(player=anna, ruleset="yatzy", people=2)
    guests = [services.player_create() for _ in range(5)]
    found = at_once(lambda n: services.duel_join(token=duel.token, player=guests[n]), times=5)
    assert sum(isinstance(one, Refused) for one in found) == 4
    assert (fresh(duel).state, Game.objects.count()) == ("running", 2)


@pytest.mark.parametrize(
    "setting",
    [
        {"people": 0, "bots": ["optimal", "greedy"]},
        {"people": 1, "bots": ["nobody"]},
        {"people": 1, "bots": ["greedy", "greedy"]},
        {"people": 1, "bots": ["DummyPlayer"]},
        {"people": 2, "minutes": 7},
    ],
)
def test_what_makes_no_sense_is_refused(anna: Player, setting: dict[str, object]) -> None:
    with pytest.raises(NotUnderstood):
        services.duel_create(player=anna, ruleset="yatzy", **setting)  # type: ignore[arg-type]


@pytest.mark.parametrize(("people", "bots"), [(1, []), (7, []), (2, ["optimal"] * 5)])
def test_a_duel_has_two_to_six_seats(anna: Player, people: int, bots: list[str]) -> None:
    with pytest.raises(Refused):
        services.duel_create(player=anna, ruleset="yatzy", people=people, bots=bots)
    assert not Duel.objects.exists()


def test_six_can_play(anna: Player) -> None:
    people = [anna, *(services.player_create() for _ in range(3))]
    duel = new_duel(people, ["optimal", "random"])
    assert duel.seats.count() == 6
    for player in people:
        play_turn(duel, player)
    play_bots(duel)
    assert {game_played(known(seat.game)).state.turn for seat in duel.seats.all()} == {1}
    throw(duel, anna)


@pytest.mark.nightly
def test_six_play_to_the_end(anna: Player) -> None:
    """With a change two do, and programs (`test_programs_play_to_the_end`)."""
    people = [anna, *(services.player_create() for _ in range(3))]
    duel = new_duel(people, ["optimal", "random"])
    play_to_the_end(duel, *people)
    assert fresh(duel).state == "finished"


def test_the_next_turn_waits_for_everybody(duel: Duel, anna: Player, bert: Player) -> None:
    play_turn(duel, anna)
    with pytest.raises(Refused, match="wait until all others"):
        throw(duel, anna)
    play_turn(duel, bert)
    throw(duel, anna)


def test_within_a_turn_nobody_waits(duel: Duel, anna: Player, bert: Player) -> None:
    throw(duel, anna)
    play_turn(duel, bert)
    throw(duel, anna, 3)
    assert card_of(duel, anna).decisions.count() == 2


def test_nobody_plays_for_another(duel: Duel, anna: Player, bert: Player) -> None:
    game = card_of(duel, anna)
    with pytest.raises(NotYours):
        services.game_hold(game_id=game.pk, player=bert, seq=0, slots=0)
    assert not game.decisions.exists()


def test_a_repeated_request_is_answered_even_when_the_turn_is_over(
    duel: Duel, anna: Player
) -> None:
    play_turn(duel, anna)
    game = card_of(duel, anna)
    last = game.decisions.count() - 1
    action = game_played(game).actions[last]
    services.decision_record(game_id=game.pk, player=anna, seq=last, action=action)
    assert game.decisions.count() == last + 1


def test_a_duel_played_to_its_end_is_over_with_every_card_full(
    duel: Duel, anna: Player, bert: Player
) -> None:
    play_to_the_end(duel, anna, bert)
    duel = fresh(duel)
    assert duel.finished_at is not None
    assert [known(seat.game).final_score for seat in duel.seats.all()] == totals(duel)
    assert stands(duel).rounds.round == 15


def test_the_seed_is_shown_when_nobody_plays_its_dice_any_more(
    duel: Duel, anna: Player, bert: Player
) -> None:
    services.duel_leave(token=new_duel([anna, bert]).token, player=anna)  # another duel
    for _ in range(14):
        play_turn(duel, anna)
        play_turn(duel, bert)
    play_turn(duel, anna)
    game = card_of(duel, anna)
    assert game.over
    assert kind_of(game).shown_seed == ""
    with pytest.raises(Refused):
        services.game_start(player=anna, mode="rematch", of=game.pk)
    play_turn(duel, bert)
    assert kind_of(game).shown_seed == duel.seed
    assert services.game_start(player=anna, mode="rematch", of=game.pk)


def test_giving_up_against_one_ends_the_duel(duel: Duel, anna: Player, bert: Player) -> None:
    play_turn(duel, anna)
    services.duel_leave(token=duel.token, player=bert)
    assert fresh(duel).state == "finished"
    assert seat_of(duel, bert).exit == DuelSeat.Exit.GAVE_UP
    assert seat_of(duel, anna).left_at is None
    assert card_of(duel, anna).abandoned_at is not None
    with pytest.raises(Refused):
        throw(duel, anna)


def test_of_three_the_others_go_on_without_the_one_who_gave_up(anna: Player, bert: Player) -> None:
    carl = services.player_create()
    duel = new_duel([anna, bert, carl])
    play_turn(duel, anna)
    play_turn(duel, bert)
    services.duel_leave(token=duel.token, player=carl)
    assert fresh(duel).state == "running"
    play_turn(duel, anna)
    with pytest.raises(Refused):
        throw(duel, carl)


def test_programs_alone_do_not_go_on(anna: Player) -> None:
    duel = new_duel([anna], ["optimal", "greedy"])
    services.duel_leave(token=duel.token, player=anna)
    assert fresh(duel).state == "finished"
    assert play_bots(duel) == 0


def test_a_full_card_cannot_be_given_up(duel: Duel, anna: Player, bert: Player) -> None:
    for _ in range(14):
        play_turn(duel, anna)
        play_turn(duel, bert)
    play_turn(duel, anna)
    with pytest.raises(Refused):
        services.duel_leave(token=duel.token, player=anna)
    assert fresh(duel).state == "running"


def test_the_card_cannot_be_given_up_behind_the_duels_back(duel: Duel, anna: Player) -> None:
    with pytest.raises(Refused):
        services.game_abandon(game_id=card_of(duel, anna).pk, player=anna)


def test_who_made_a_challenge_withdraws_it_and_who_joined_leaves_a_seat(
    anna: Player, bert: Player
) -> None:
    duel, _ = services.duel_create(player=anna, ruleset="yatzy", people=3)
    services.duel_join(token=duel.token, player=bert)
    services.duel_leave(token=duel.token, player=bert)
    assert duel.seats.filter(player=None).count() == 2
    services.duel_leave(token=duel.token, player=anna)
    assert fresh(duel).state == "withdrawn"
    with pytest.raises(Refused):
        services.duel_join(token=duel.token, player=bert)


def test_only_so_many_challenges_wait_at_a_time(anna: Player) -> None:
    for _ in range(5):
        services.duel_create(player=anna, ruleset="yatzy", people=2)
    with pytest.raises(Refused, match="waiting"):
        services.duel_create(player=anna, ruleset="yatzy", people=2)


def test_a_duel_is_not_the_solo_game(duel: Duel, anna: Player) -> None:
    throw(duel, anna)
    assert player_open_solo(anna) is None
    assert start_solo(anna).game.mode == "solo"


def test_who_takes_part_in_a_trial_plays_no_duel(anna: Player) -> None:
    duel, _ = services.duel_create(player=anna, ruleset="yatzy", people=2)
    blind = joined(new_trial()).player
    with pytest.raises(InTrial):
        services.duel_join(token=duel.token, player=blind)
    with pytest.raises(InTrial):
        services.duel_create(player=blind, ruleset="yatzy", people=1, bots=["optimal"])


# Programs


def test_a_program_waits_until_the_people_have_played(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert], ["optimal"])
    assert play_bots(duel) == 0
    play_turn(duel, anna)
    assert play_bots(duel) == 0
    play_turn(duel, bert)
    assert 2 <= play_bots(duel) <= 4
    assert stands(duel).rounds.round == 1


def test_a_programs_moves_come_one_at_a_time_with_a_pause_before_each(anna: Player) -> None:
    duel = new_duel([anna], ["optimal"])
    play_turn(duel, anna)
    played_at = known(card_of(duel, anna).decisions.order_by("-seq").first()).created_at
    pace = timedelta(seconds=2)
    wait = services.bot_move(token=duel.token, pace=pace, now=played_at + timedelta(seconds=0.5))
    assert wait == timedelta(seconds=1.5)
    bot = Player.objects.get(bot="optimal")
    assert not card_of(duel, bot).decisions.exists()
    assert services.bot_move(token=duel.token, pace=pace, now=played_at + pace) == timedelta()
    assert card_of(duel, bot).decisions.count() == 1
    again = services.bot_move(token=duel.token, pace=pace, now=played_at + pace)
    assert again is not None
    assert again > timedelta()


def test_a_program_does_not_wait_for_a_clock_that_was_put_back(anna: Player) -> None:
    duel = new_duel([anna], ["optimal"])
    play_turn(duel, anna)
    early = known(card_of(duel, anna).decisions.first()).created_at - timedelta(hours=26)
    pace = timedelta(seconds=2)
    assert services.bot_move(token=duel.token, pace=pace, now=early) == timedelta()
    assert card_of(duel, Player.objects.get(bot="optimal")).decisions.count() == 1


def moves_of(duel: Duel, bot: str) -> list[tuple[int, int | None, str]]:
    rows = Decision.objects.filter(game=card_of(duel, Player.objects.get(bot=bot)))
    return list(rows.order_by("seq").values_list("seq", "hold", "category"))


def test_asked_from_many_sides_at_once_a_program_makes_each_move_once(anna: Player) -> None:
    duel = new_duel([anna], ["random"])
    play_turn(duel, anna)
    at_once(lambda _: play_bots(duel), times=4)
    moves = moves_of(duel, "random")
    assert [seq for seq, _, _ in moves] == list(range(len(moves)))
    assert moves[-1][2] != ""
    assert stands(duel).rounds.round == 1


def test_a_program_sees_the_cards_of_those_who_play_on(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert], ["optimal"])
    for player in (anna, bert):
        play_turn(duel, player)
    play_bots(duel)
    assert [one.total for one in others_seen(stands(duel), 2)] == totals(duel)[:2]
    services.duel_leave(token=duel.token, player=bert)
    assert [one.total for one in others_seen(stands(duel), 2)] == totals(duel)[:1]


def test_who_plays_to_win_is_asked_with_the_cards_and_anybody_else_with_totals(
    anna: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def noted(self: Any, state: State, rng: Any, others: Any) -> Score:
        asked.append(others)
        return Score(state.rules.categories[min(state.offers)].id)

    monkeypatch.setattr("solver.players.to_win.WinningPlay.choose_facing", noted)
    monkeypatch.setattr("solver.players.plain.PlainValues.choose", noted)
    for bot in ("to-win", "optimal"):
        duel = new_duel([anna], [bot])
        for _ in range(2):
            play_turn(duel, anna)
            play_bots(duel)
    assert [card.turn for card in asked[1]] == [1]
    assert asked[2] == [0]
    assert isinstance(asked[3][0], int)


def test_the_same_decision_of_a_program_is_the_same_again(anna: Player) -> None:
    """Whoever goes on after a crash does what would have been done without one."""
    duel = new_duel([anna], ["random"])
    play_turn(duel, anna)
    play_bots(duel)
    before = moves_of(duel, "random")
    game = card_of(duel, Player.objects.get(bot="random"))
    game.decisions.filter(seq__gte=1).delete()
    play_bots(duel)
    assert moves_of(duel, "random") == before


def test_perfect_play_loses_nothing_and_its_luck_and_mistakes_add_up(anna: Player) -> None:
    duel = new_duel([anna], ["optimal"])
    play_to_the_end(duel, anna)
    mine, perfect = ledgers(stands(duel))
    assert known(perfect.regret) == pytest.approx(0.0, abs=1e-6)
    assert known(mine.regret) > 10.0
    difference = known(mine.luck) - known(mine.regret) - known(perfect.luck)
    assert difference == pytest.approx(totals(duel)[0] - totals(duel)[1], abs=1e-6)


@pytest.mark.sampled("bot")
@pytest.mark.parametrize(
    "bot", ["greedy", "random", "scorecard-based", "dice-based", "optimal", "to-win"]
)
def test_programs_play_to_the_end(anna: Player, bot: str) -> None:
    duel = new_duel([anna], [bot])
    play_to_the_end(duel, anna)
    assert [seat.left_at for seat in duel.seats.all()] == [None, None]
    assert fresh(duel).state == "finished"


def test_a_program_is_one_player_in_all_duels(anna: Player, bert: Player) -> None:
    new_duel([anna], ["optimal"])
    new_duel([bert], ["optimal"])
    assert Player.objects.filter(bot="optimal").count() == 1


# Clocks


def test_whoever_lets_the_time_run_out_has_lost(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert], minutes=3)
    play_turn(duel, anna)
    deadline = known(stands(duel).rounds.deadline(1))
    assert not services.duel_settle(token=duel.token, now=deadline - timedelta(seconds=1))
    assert services.duel_settle(token=duel.token, now=deadline)
    late = seat_of(duel, bert)
    assert (late.exit, late.left_at) == (DuelSeat.Exit.TIME, deadline)
    assert seat_of(duel, anna).left_at is None
    assert fresh(duel).state == "finished"


def test_a_move_after_the_time_is_refused_though_nobody_had_looked(
    anna: Player, bert: Player
) -> None:
    duel = new_duel([anna, bert], minutes=3)
    Duel.objects.update(started_at=known(duel.started_at) - timedelta(minutes=4))
    with pytest.raises(Refused, match="run out"):
        throw(duel, bert)


def test_clocks_run_out_one_after_the_other(anna: Player, bert: Player) -> None:
    """Once nobody waits for the late any more, the clocks of the next turn have been running."""
    carl = services.player_create()
    duel = new_duel([anna, bert, carl], minutes=3)
    play_turn(duel, anna)
    play_turn(duel, bert)
    services.duel_settle(token=duel.token, now=known(duel.started_at) + timedelta(hours=1))
    exits = list(duel.seats.order_by("number").values_list("exit", flat=True))
    assert sorted(exits) == ["", "time", "time"]
    assert exits[2] == "time"
    assert fresh(duel).state == "finished"


def test_a_clock_that_is_put_forwards_takes_the_time_of_one_and_not_of_both(
    anna: Player, bert: Player
) -> None:
    """Both are to play. It stays so when the clock is put right again."""
    duel = new_duel([anna, bert], minutes=3)
    assert services.duel_settle(token=duel.token, now=later(duel, hours=26))
    for _ in range(2):
        assert [seat.exit for seat in duel.seats.order_by("number")] == [DuelSeat.Exit.TIME, ""]
        assert fresh(duel).state == "finished"
        assert not services.duel_settle(token=duel.token)


def test_a_clock_that_is_put_back_stands_still_until_the_turn_is_played(
    anna: Player, bert: Player
) -> None:
    duel, bank = new_duel([anna, bert], minutes=3), timedelta(minutes=3)
    Duel.objects.update(started_at=later(duel, hours=26))  # by the clock that is right again
    for player in (anna, bert):
        rounds = stands(duel).rounds
        assert [rounds.remaining(seat, timezone.now()) for seat in (0, 1)] == [bank, bank]
        assert not services.duel_settle(token=duel.token)
        play_turn(duel, player)
    rounds = stands(duel).rounds
    assert [rounds.used(0), rounds.used(1)] == [timedelta(), timedelta()]
    assert known(rounds.deadline(0)) <= timezone.now() + bank


def test_without_a_clock_nobody_is_late(duel: Duel) -> None:
    assert not services.duel_settle(
        token=duel.token, now=known(duel.started_at) + timedelta(days=400)
    )
    assert fresh(duel).state == "running"


# Once more, and what remains


def test_a_rematch_has_new_dice_and_the_same_people(duel: Duel, anna: Player, bert: Player) -> None:
    services.duel_leave(token=duel.token, player=anna)
    again = services.duel_rematch(token=duel.token, player=bert)
    assert again.state == "open"
    with pytest.raises(NotAtTheTable):
        services.duel_join(token=again.token, player=services.player_create())
    assert services.duel_rematch(token=duel.token, player=anna).pk == again.pk
    again = fresh(again)
    assert again.state == "running"
    assert again.seed != duel.seed


def test_a_rematch_against_a_program_begins_at_once(anna: Player) -> None:
    duel = new_duel([anna], ["optimal"], minutes=5)
    with pytest.raises(Refused):
        services.duel_rematch(token=duel.token, player=anna)
    services.duel_leave(token=duel.token, player=anna)
    again = services.duel_rematch(token=duel.token, player=anna)
    assert (again.state, again.minutes) == ("running", 5)


def test_both_who_ask_at_once_get_one_rematch(duel: Duel, anna: Player, bert: Player) -> None:
    services.duel_leave(token=duel.token, player=anna)
    both = (anna, bert)
    found = at_once(lambda n: services.duel_rematch(token=duel.token, player=both[n]).pk, times=2)
    assert len(set(found)) == 1
    assert Duel.objects.get(rematch_of=duel).state == "running"


def test_a_player_who_is_deleted_is_not_waited_for(duel: Duel, anna: Player, bert: Player) -> None:
    throw(duel, anna)
    services.player_delete(player=anna)
    assert fresh(duel).state == "finished"
    assert card_of(duel, bert).over
    assert [seat.player for seat in duel.seats.order_by("number")] == [None, bert]


def test_an_account_takes_over_the_guests_seat(duel: Duel, anna: Player) -> None:
    user = User.objects.create_user("anna")
    account = services.player_of_user(user=user)
    services.player_take_over(guest=anna, user=user)
    assert seat_of(duel, account).game is not None
    throw(duel, account)


def test_who_played_against_themselves_gives_one_seat_up(anna: Player) -> None:
    user = User.objects.create_user("anna")
    account = services.player_of_user(user=user)
    duel = new_duel([anna, account])
    services.player_take_over(guest=anna, user=user)
    assert fresh(duel).state == "finished"
    assert [seat.player for seat in duel.seats.order_by("number")] == [None, account]
    assert account.games.count() == 2


Act = Callable[[], object]


def test_a_move_and_the_end_of_the_time_at_once_leave_one_truth(anna: Player, bert: Player) -> None:
    duel = new_duel([anna, bert], minutes=3)
    throw(duel, anna)
    box = min(game_played(card_of(duel, anna)).state.offers)
    name = duel.rules.categories[box].id
    after = known(stands(duel).rounds.deadline(0)) + timedelta(seconds=1)
    acts: list[Act] = [
        lambda: decide(duel, anna, Score(name)),
        lambda: services.duel_settle(token=duel.token, now=after),
    ]
    at_once(lambda n: acts[n](), times=2)
    game = card_of(duel, anna)
    assert fresh(duel).state == "finished"
    assert game.abandoned_at is not None
    assert game.decisions.count() == len(game_played(game).actions)


def test_what_one_holds_changes_no_die_of_the_other(duel: Duel, anna: Player, bert: Player) -> None:
    throws, kept = block(duel.seed, duel.rules)[0], {anna: {0, 1}, bert: {2, 3, 4}}
    for player, held in kept.items():
        assert throw(duel, player).state.dice == tuple(throws[0])
        throw(duel, player, sum(1 << slot for slot in held))
    for player, held in kept.items():
        again = game_played(card_of(duel, player)).state.dice
        assert again == tuple(throws[0 if slot in held else 1][slot] for slot in range(5))
