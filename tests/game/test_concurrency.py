"""Two at once never make two: threads with a connection each, on SQLite and on PostgreSQL."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connections
from django.http import Http404

from game.core.accounts import create_player
from game.core.fair import tickets
from game.core.game_queries import Played
from game.core.playing import abandon_game, fill_box, hold_dice, record_decision
from game.core.refusals import Refused
from game.core.starting import start_game
from game.core.throwing import enter_roll
from game.models import Decision, Game, Player, Throw
from game.trials.design.phases import ArmSettings
from game.trials.joining.recruiting import CodeNeeded, recruit_agree, store_recruitment
from game.trials.joining.withdrawing import withdraw_participant
from game.trials.joining.writing import draw_arm, start_trial_game
from game.trials.models import Participant
from solver.rules import Action, Hold, Score
from tests.known import known
from tests.play import BOXES, Browser, score_all, start_solo
from tests.trials import joined, new_trial

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 6


def at_once(work: Callable[[int], object], times: int = AT_ONCE) -> list[object]:
    """Everyone starts at the same moment; refusals are answers too."""
    barrier = Barrier(times)

    def run(number: int) -> object:
        try:
            barrier.wait()
            return work(number)
        except (Refused, CodeNeeded) as refusal:
            return refusal
        finally:
            connections.close_all()

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(run, range(times)))


@pytest.fixture
def guest() -> Player:
    return create_player()


def record(played: Played, seq: int, action: Action) -> Played:
    player = played.game.player
    return record_decision(game_id=played.game.pk, player=player, seq=seq, action=action)


def test_of_different_requests_at_once_one_wins(guest: Player) -> None:
    played = start_solo(guest)
    answers = at_once(lambda number: record(played, 1, Hold(number)))
    assert sum(isinstance(answer, Played) for answer in answers) == 1
    assert Decision.objects.filter(game=played.game).count() == 2


def test_a_whole_game_of_doubled_requests_has_every_decision_once(guest: Player) -> None:
    played = start_solo(guest)
    wanted: list[Action] = [Hold(0)]
    for number, box in enumerate(BOXES):
        for action in [Hold(0)] * bool(number) + [Score(box)]:
            seq = len(wanted)

            def again(_: int, seq: int = seq, action: Action = action) -> object:
                return record(played, seq, action)

            at_once(again, times=2)
            wanted.append(action)
    rows = Decision.objects.filter(game=played.game).order_by("seq")
    assert [row.action for row in rows] == wanted
    assert Game.objects.get(pk=played.game.pk).finished_at is not None


def test_two_tickets_at_once_make_one_game_under_way(guest: Player) -> None:
    answers = at_once(lambda _: start_solo(guest))
    assert sum(isinstance(answer, Played) for answer in answers) == 1
    assert Game.objects.count() == 1


def test_a_new_visitors_clicks_make_one_player() -> None:
    signed = tickets.issue().signed
    at_once(lambda _: start_game(player=None, mode="solo", nonce=signed))
    assert (Player.objects.count(), Game.objects.count()) == (1, 1)


def test_a_player_has_one_daily_game_and_one_rematch(guest: Player) -> None:
    at_once(lambda _: start_game(player=guest, mode="daily", nonce=tickets.issue().signed))
    assert Game.objects.filter(mode="daily").count() == 1
    original = score_all(start_solo(guest), guest).game
    at_once(lambda _: start_game(player=guest, mode="rematch", of=original.pk))
    assert Game.objects.filter(mode="rematch").count() == 1


def test_a_move_and_giving_up_at_once_leave_one_truth(guest: Player) -> None:
    played = start_solo(guest)

    def work(number: int) -> object:
        if number % 2:
            return abandon_game(game_id=played.game.pk, player=guest, seq=1)
        return record(played, 1, Hold(0))

    at_once(work)
    game = Game.objects.get(pk=played.game.pk)
    assert (game.abandoned_at is None) == (game.decisions.count() == 2)


def test_double_clicks_on_the_pages_make_one_row(new_browser: Callable[[], Browser]) -> None:
    owner = new_browser()
    game = owner.start()
    cookies = owner.cookies

    def work(_: int) -> int:
        browser = new_browser()
        browser.cookies = cookies
        return browser.act(game, "hold", seq=1, slot=[0, 4]).status_code

    assert at_once(work) == [200] * AT_ONCE
    assert game.decisions.count() == 2


def test_a_participant_who_begins_twice_at_once_has_one_game() -> None:
    participant = joined(new_trial())
    games = at_once(lambda _: start_trial_game(participant=participant).game.pk)
    assert len(set(games)) == 1
    assert Game.objects.count() == 1


def test_a_throw_that_is_typed_in_twice_at_once_is_stored_once() -> None:
    participant = joined(new_trial(dice="real"))
    game = start_trial_game(participant=participant).game

    def enter(_: int) -> object:
        return enter_roll(
            game_id=game.pk, player=participant.player, seq=0, entries=0, faces=(5, 5, 1, 6, 6)
        ).state.dice

    assert set(at_once(enter)) == {(5, 5, 1, 6, 6)}
    assert Throw.objects.count() == 1


def test_a_withdrawal_in_the_middle_of_a_move_leaves_nothing() -> None:
    trial = new_trial(places=10)
    for place in range(1, 11):
        participant = joined(trial, place)
        played = start_trial_game(participant=participant)

        def work(number: int, who: Participant = participant, game: Game = played.game) -> object:
            if not number:
                return withdraw_participant(participant=who)
            for seq in (1, 2):
                hold_dice(game_id=game.pk, player=who.player, seq=seq, slots=0)
            return fill_box(game_id=game.pk, player=who.player, seq=3, category="chance")

        for found in at_once_with_errors(work):
            assert found is None or isinstance(found, (Http404, PermissionDenied)), found
    assert not Game.objects.exists()
    assert not Decision.objects.exists()


def at_once_with_errors(work: Callable[[int], object]) -> list[object]:
    def tried(number: int) -> object:
        try:
            work(number)
        except (Http404, PermissionDenied) as error:
            return error
        return None

    return at_once(tried)


def test_those_who_go_on_at_once_are_given_places_of_the_list_one_by_one() -> None:
    arms = [ArmSettings("off"), ArmSettings("after", coach="after")]
    trial = new_trial(places=AT_ONCE, arms=arms)
    people = [joined(trial, number + 1) for number in range(AT_ONCE)]
    at_once(lambda number: draw_arm(participant=people[number]))
    draws = trial.participants.values_list("draw", flat=True)
    assert sorted(map(known, draws)) == list(range(1, AT_ONCE + 1))


def test_the_last_place_of_an_open_link_is_taken_once() -> None:
    trial = new_trial(places=1)
    link = store_recruitment(trial=trial, open=True, quota=2, labels="pid")

    def come(number: int) -> object:
        told = {"pid": f"person {number}"}
        return recruit_agree(recruitment=link, version=1, parameters=told)

    answers = at_once(come)
    assert sum(isinstance(answer, Participant) for answer in answers) == 2
    assert trial.arrivals.count() == 2


def test_one_label_that_comes_many_times_at_once_has_one_place() -> None:
    trial = new_trial(places=1)
    link = store_recruitment(trial=trial, open=True, quota=9, labels="pid")
    answers = at_once(
        lambda _: recruit_agree(recruitment=link, version=1, parameters={"pid": "anna"})
    )
    assert len({answer.pk for answer in answers if isinstance(answer, Participant)}) == 1
    assert trial.participants.filter(consent__isnull=False).count() == 1
