"""Two at once never make two: threads with a connection each, on SQLite and on PostgreSQL."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connections

from game import services, tickets
from game.models import Decision, Game, Player
from game.selectors import Played
from game.services import Refused
from solver.rules import Action, Hold, Score
from tests.game.conftest import BOXES, Browser, score_all, start_solo

pytestmark = pytest.mark.django_db(transaction=True)
AT_ONCE = 6


def at_once(work: Callable[[int], object], times: int = AT_ONCE) -> list[object]:
    """Everyone starts at the same moment; refusals are answers too."""
    barrier = Barrier(times)

    def run(number: int) -> object:
        try:
            barrier.wait()
            return work(number)
        except Refused as refusal:
            return refusal
        finally:
            connections.close_all()

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(run, range(times)))


@pytest.fixture
def guest() -> Player:
    return services.player_create()


def record(played: Played, seq: int, action: Action) -> Played:
    player = played.game.player
    return services.decision_record(game_id=played.game.pk, player=player, seq=seq, action=action)


def test_one_request_sent_many_times_makes_one_row(guest: Player) -> None:
    played = start_solo(guest)
    answers = at_once(lambda _: record(played, 1, Hold(3)))
    assert all(isinstance(answer, Played) for answer in answers)
    assert Decision.objects.filter(game=played.game).count() == 2


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
            at_once(lambda _, seq=seq, action=action: record(played, seq, action), times=2)
            wanted.append(action)
    rows = Decision.objects.filter(game=played.game).order_by("seq")
    assert [row.action for row in rows] == wanted
    assert Game.objects.get(pk=played.game.pk).finished_at is not None


def test_one_ticket_sent_many_times_makes_one_game(guest: Player) -> None:
    signed = tickets.issue().signed
    at_once(lambda _: services.game_start(player=guest, mode="solo", nonce=signed))
    assert Game.objects.count() == 1
    assert Decision.objects.count() == 1


def test_two_tickets_at_once_make_one_game_under_way(guest: Player) -> None:
    answers = at_once(lambda _: start_solo(guest))
    assert sum(isinstance(answer, Played) for answer in answers) == 1
    assert Game.objects.count() == 1


def test_a_new_visitors_clicks_make_one_player() -> None:
    signed = tickets.issue().signed
    at_once(lambda _: services.game_start(player=None, mode="solo", nonce=signed))
    assert (Player.objects.count(), Game.objects.count()) == (1, 1)


def test_a_new_visitors_clicks_make_one_daily_game() -> None:
    signed = tickets.issue().signed
    at_once(lambda _: services.game_start(player=None, mode="daily", nonce=signed))
    assert (Player.objects.count(), Game.objects.count()) == (1, 1)


def test_a_player_has_one_daily_game_and_one_rematch(guest: Player) -> None:
    at_once(lambda _: services.game_start(player=guest, mode="daily", nonce=tickets.issue().signed))
    assert Game.objects.filter(mode="daily").count() == 1
    original = score_all(start_solo(guest), guest).game
    at_once(lambda _: services.game_start(player=guest, mode="rematch", of=original.pk))
    assert Game.objects.filter(mode="rematch").count() == 1


def test_a_move_and_giving_up_at_once_leave_one_truth(guest: Player) -> None:
    played = start_solo(guest)

    def work(number: int) -> object:
        if number % 2:
            return services.game_abandon(game_id=played.game.pk, player=guest, seq=1)
        return record(played, 1, Hold(0))

    at_once(work)
    game = Game.objects.get(pk=played.game.pk)
    assert (game.abandoned_at is None) == (game.decisions.count() == 2)


def test_double_clicks_on_the_pages_make_one_row(
    new_browser: Callable[[], Browser],
) -> None:
    owner = new_browser()
    game = owner.start()
    cookies = owner.cookies

    def work(_: int) -> int:
        browser = new_browser()
        browser.cookies = cookies
        return browser.act(game, "hold", seq=1, slot=[0, 4]).status_code

    assert at_once(work) == [200] * AT_ONCE
    assert game.decisions.count() == 2
