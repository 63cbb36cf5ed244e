"""Every action changes the game once and rightly, or not at all."""

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from game.core.accounts import player_create
from game.core.fair import blocks, tickets
from game.core.game_queries import Played, game_played
from game.core.playing import decision_record, game_abandon, game_hold, game_score
from game.core.refusals import (
    AskFirst,
    GameIsOver,
    IllegalMove,
    NoSuchGame,
    NotUnderstood,
    Refused,
    StaleAction,
)
from game.core.starting import game_start
from game.models import Decision, Game, Player
from solver.rules import Hold, Score
from tests.play import BOXES, score_all, start_solo, stored


@pytest.fixture
def played(player: Player) -> Played:
    return start_solo(player)


def hold(played: Played, seq: int, slots: int) -> Played:
    player = played.game.player
    return game_hold(game_id=played.game.pk, player=player, seq=seq, slots=slots)


def score(played: Played, seq: int, category: str, *, confirmed: bool = False) -> Played:
    return game_score(
        game_id=played.game.pk,
        player=played.game.player,
        seq=seq,
        category=category,
        confirmed=confirmed,
    )


def test_a_game_begins_with_its_first_throw(played: Played) -> None:
    assert played.actions == (Hold(0),)
    assert played.state.dice == blocks.block(played.game.seed, played.game.rules)[0][0]
    assert played.game.commitment == blocks.commitment(played.game.key)


def test_holding_keeps_these_dice_and_throws_the_others(played: Played) -> None:
    block = blocks.block(played.game.seed, played.game.rules)
    after = hold(played, 1, 0b00101)
    expected = [block[0][0 if slot in (0, 2) else 1][slot] for slot in range(5)]
    assert list(after.state.dice) == expected
    assert stored(played.game) == [(0, 0, ""), (1, 5, "")]


def test_scoring_ends_the_turn(played: Played) -> None:
    after = score(played, 1, "chance")
    assert after.state.total == sum(played.state.dice)
    assert after.state.turn == 1
    decision = played.game.decisions.get(seq=1)
    assert (decision.turn, decision.roll, decision.category) == (0, 1, "chance")


def test_a_game_ends_with_the_sum_of_its_card(player: Player, played: Played) -> None:
    after = score_all(played, player)
    boxes = [box.points for box in after.state.boxes if box]
    assert after.game.final_score == sum(boxes) + after.state.bonus
    assert game_played(Game.objects.get(pk=after.game.pk)).state == after.state


def test_the_same_request_again_changes_nothing_and_shows_the_game(played: Played) -> None:
    first = hold(played, 1, 3)
    again = hold(played, 1, 3)
    assert (again.state, again.actions) == (first.state, first.actions)
    assert len(stored(played.game)) == 2


def test_a_repeated_score_after_the_last_box_is_no_error(player: Player, played: Played) -> None:
    after = score_all(played, player)
    again = score(after, len(after.actions) - 1, BOXES[-1])
    assert again.state == after.state


@pytest.mark.parametrize("seq", [0, 2, 3, 99])
def test_another_action_at_a_wrong_number_is_stale(played: Played, seq: int) -> None:
    with pytest.raises(StaleAction):
        hold(played, seq, 7)
    assert len(stored(played.game)) == 1


def test_a_negative_number_never_reaches_back(played: Played) -> None:
    with pytest.raises(StaleAction):
        hold(played, -1, 0)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (Hold(32), "These dice cannot be held."),
        (Hold(-1), "These dice cannot be held."),
        (Score("nonsense"), "There is no such box on this card."),
    ],
)
def test_what_the_rules_forbid_is_refused(
    played: Played, action: Hold | Score, message: str
) -> None:
    with pytest.raises(IllegalMove, match=message):
        decision_record(game_id=played.game.pk, player=played.game.player, seq=1, action=action)
    assert len(stored(played.game)) == 1


def test_a_used_box_a_fourth_throw_and_a_score_without_dice_are_refused(played: Played) -> None:
    score(played, 1, "ones")
    with pytest.raises(IllegalMove, match="Throw the dice first"):
        score(played, 2, "twos")
    with pytest.raises(IllegalMove, match="These dice cannot be held"):
        hold(played, 2, 1)
    hold(played, 2, 0)
    with pytest.raises(IllegalMove, match="Ones is filled already"):
        score(played, 3, "ones")
    hold(played, 3, 0)
    hold(played, 4, 0)
    with pytest.raises(IllegalMove, match="No throw is left"):
        hold(played, 5, 0)
    assert len(stored(played.game)) == 5


def test_nobody_else_plays_this_game(played: Played) -> None:
    for stranger in (None, player_create()):
        with pytest.raises(PermissionDenied):
            game_hold(game_id=played.game.pk, player=stranger, seq=1, slots=0)
        with pytest.raises(PermissionDenied):
            game_abandon(game_id=played.game.pk, player=stranger)
    assert len(stored(played.game)) == 1


def test_a_game_that_is_over_stays_as_it_is(player: Player, played: Played) -> None:
    after = score_all(played, player)
    seq = len(after.actions)
    with pytest.raises(GameIsOver):
        hold(after, seq, 0)
    with pytest.raises(GameIsOver):
        game_abandon(game_id=after.game.pk, player=player)
    assert len(stored(after.game)) == seq


def test_giving_up_ends_the_game_without_a_score(player: Player, played: Played) -> None:
    with pytest.raises(StaleAction):
        game_abandon(game_id=played.game.pk, player=player, seq=7)
    game_abandon(game_id=played.game.pk, player=player, seq=1)
    game_abandon(game_id=played.game.pk, player=player, seq=1)
    game = Game.objects.get(pk=played.game.pk)
    assert game.over
    assert game.final_score is None
    with pytest.raises(GameIsOver):
        hold(played, 1, 0)


def test_the_time_of_a_decision_is_measured_here(played: Played) -> None:
    before = timezone.now() - timedelta(seconds=90)
    Decision.objects.filter(game=played.game).update(created_at=before)
    hold(played, 1, 0)
    assert 90_000 <= played.game.decisions.get(seq=1).milliseconds < 100_000


def test_a_clock_that_was_set_back_measures_nothing(played: Played) -> None:
    later = timezone.now() + timedelta(hours=1)
    Decision.objects.filter(game=played.game).update(created_at=later)
    hold(played, 1, 0)
    assert played.game.decisions.get(seq=1).milliseconds == 0


def test_a_costly_choice_is_asked_about_only_if_the_player_wants_that(played: Played) -> None:
    player, open_box = played.game.player, "yatzy"
    if played.state.dice.count(played.state.dice[0]) == 5:
        open_box = "small_straight"
    player.confirm_costly = True
    player.save()
    with pytest.raises(AskFirst) as asked:
        score(played, 1, open_box)
    assert asked.value.action == Score(open_box)
    assert len(stored(played.game)) == 1
    assert score(played, 1, "chance").state.turn == 1
    hold(played, 2, 0)
    assert score(played, 3, open_box, confirmed=True).state.turn == 2


# Beginning


def test_a_ticket_makes_one_game(player: Player) -> None:
    signed = tickets.issue().signed
    first = game_start(player=player, mode="solo", nonce=signed)
    again = game_start(player=player, mode="solo", nonce=signed)
    assert again.game.pk == first.game.pk
    assert Game.objects.count() == 1


def test_the_game_has_the_dice_that_its_ticket_promised(player: Player) -> None:
    ticket = tickets.issue()
    played = game_start(player=player, mode="solo", nonce=ticket.signed)
    assert played.game.commitment == ticket.commitment


def test_a_double_click_of_a_new_visitor_makes_one_player_and_one_game(db: None) -> None:
    signed = tickets.issue().signed
    first = game_start(player=None, mode="solo", nonce=signed)
    again = game_start(player=None, mode="solo", nonce=signed)
    assert again.game.player_id == first.game.player_id
    assert Player.objects.count() == 1


def test_a_ticket_opens_no_game_that_has_gone_on(db: None) -> None:
    signed = tickets.issue().signed
    played = game_start(player=None, mode="solo", nonce=signed)
    hold(played, 1, 0)
    with pytest.raises(Refused, match="played already"):
        game_start(player=None, mode="solo", nonce=signed)
    with pytest.raises(Refused, match="played already"):
        game_start(player=player_create(), mode="solo", nonce=signed)


def test_a_forged_or_old_ticket_starts_nothing(player: Player) -> None:
    for nonce in ("", "x", tickets.issue().signed + "x"):
        with pytest.raises(Refused, match="too long ago"):
            game_start(player=player, mode="solo", nonce=nonce)
    assert not Game.objects.exists()


def test_one_solo_game_at_a_time(player: Player, played: Played) -> None:
    with pytest.raises(Refused, match="under way"):
        start_solo(player)
    game_abandon(game_id=played.game.pk, player=player)
    assert start_solo(player).game.pk != played.game.pk


def test_an_unknown_kind_of_game_is_not_begun(player: Player) -> None:
    with pytest.raises(NotUnderstood):
        game_start(player=player, mode="poker")


def test_a_rematch_has_the_same_dice_and_one_at_a_time(player: Player, played: Played) -> None:
    with pytest.raises(Refused, match="Finish this game first"):
        game_start(player=player, mode="rematch", of=played.game.pk)
    score_all(played, player)
    rematch = game_start(player=player, mode="rematch", of=played.game.pk)
    again = game_start(player=player, mode="rematch", of=played.game.pk)
    assert rematch.game.pk == again.game.pk
    assert rematch.actions == ()  # opened, not thrown
    assert rematch.game.seed == played.game.seed
    assert rematch.game.rematch_of_id == played.game.pk


def test_nobody_gets_a_rematch_of_somebody_elses_game(player: Player, played: Played) -> None:
    score_all(played, player)
    with pytest.raises(PermissionDenied):
        game_start(player=player_create(), mode="rematch", of=played.game.pk)
    with pytest.raises(NoSuchGame):
        game_start(player=player, mode="rematch", of="nowhere")
