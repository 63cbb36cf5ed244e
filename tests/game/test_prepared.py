"""What is prepared before it is needed: boards and tickets."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connection, transaction
from django.db.models import Model
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from game.core import accounts, game_queries, starting
from game.core.accounts import create_player, delete_idle_guests, delete_player
from game.core.fair import tickets
from game.core.game_queries import replay_game
from game.core.prepared import Prepared
from game.core.starting import start_game
from game.models import Game, Player, SpentTicket
from game.pages.board.sharing import make_challenge_url, read_challenge_id
from game.trials import reading as trials
from game.trials.models import Arm, TrialGame
from tests.play import NOON, Browser, Clock, score_all, start_solo
from tests.trials import into_trial

pytestmark = pytest.mark.django_db


PREPARED: dict[str, tuple[Prepared[Any], tuple[str | int, ...]]] = {
    "a game": (game_queries.GAME, ("abc",)),
    "a game for its change": (game_queries.LOCKED, ("abc",)),
    "the decisions of a game": (game_queries.DECISIONS, ("abc",)),
    "a guest": (accounts.GUEST, ("abc",)),
    "an account's player": (accounts.OWNER, (7,)),
    "a participant": (trials.PARTICIPANT, ("abc",)),
    "a player for whom a trial waits": (trials.WAITING, (7,)),
    "the trials that run": (trials.RUNNING, ()),
}


@pytest.mark.parametrize("what", PREPARED)
def test_a_prepared_query_says_what_the_orm_says(what: str, db: None) -> None:
    prepared, given = PREPARED[what]
    with transaction.atomic():  # to lock, one must be in one
        sql, parameters = prepared.build_query(*given).query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
        assert prepared.fill_statement(*given) == (sql, tuple(parameters))


def test_rows_become_the_objects_that_the_orm_makes_of_them(browser: Browser) -> None:
    game = browser.start()
    with CaptureQueriesContext(connection) as asked:
        found, expected = (
            game_queries.game_find(game.pk),
            game_queries.query_games().get(pk=game.pk),
        )
        assert found is not None
        assert found.__dict__.keys() == expected.__dict__.keys()
        assert fields(found) == fields(expected)
        assert fields(found.player) == fields(expected.player)
        assert found.player.user is None
    assert len(asked) == 2


def test_so_do_the_objects_that_come_with_them(browser: Browser) -> None:
    game: Any = into_trial(browser.start())
    account = User.objects.create_user("anna")
    Player.objects.filter(pk=game.player_id).update(user=account)
    arm = Arm.objects.create(trial=game.trial_game.participant.trial, position=1, name="A")
    TrialGame.objects.filter(game=game).update(arm=arm, phase="after")
    expected: Any = game_queries.query_games().get(pk=game.pk)
    with CaptureQueriesContext(connection) as asked:
        found: Any = game_queries.GAME.first(game.pk)
        participant: Any = trials.PARTICIPANT.first(found.trial_game.participant.code)
        for one, other in (
            (found.player, expected.player),
            (found.player.user, account),
            (found.trial_game, expected.trial_game),
            (found.trial_game.participant, expected.trial_game.participant),
            (found.trial_game.participant.trial, expected.trial_game.participant.trial),
            (found.trial_game.arm, arm),
            (participant.trial, expected.trial_game.participant.trial),
            (participant.player, expected.player),
        ):
            assert fields(one) == fields(other)
        assert participant.consent.version
    assert len(asked) == 2


def fields(one: Model) -> dict[str, object]:
    return {field.attname: getattr(one, field.attname) for field in one._meta.concrete_fields}


def test_no_answer_is_kept(browser: Browser) -> None:
    game = browser.start()
    assert game_queries.game_find(game.pk)
    Game.objects.filter(pk=game.pk).update(hints=3)
    found = game_queries.game_find(game.pk)
    assert found
    assert found.hints == 3
    game.delete()
    assert game_queries.game_find(game.pk) is None


def delete_by_page(browser: Browser) -> None:
    assert browser.post("/account/delete/", {"confirm": "on"}).status_code == 302


def delete_as_player(browser: Browser) -> None:
    delete_player(player=Player.objects.get())


def forget_idle_guests(browser: Browser) -> None:
    assert delete_idle_guests(days=0, with_games=True) == 1


def delete_directly(browser: Browser) -> None:
    Game.objects.all().delete()


DELETIONS = [delete_by_page, delete_as_player, forget_idle_guests, delete_directly]


@pytest.mark.parametrize("delete", DELETIONS)
@pytest.mark.parametrize("mode", ["solo", "daily"])
def test_a_ticket_of_a_deleted_game_is_refused(
    browser: Browser, new_browser: Callable[[], Browser], mode: str, delete: Callable[..., None]
) -> None:
    sent = {"mode": mode, "nonce": tickets.issue().signed, "added": "five twos"}
    game = browser.start(**sent)
    score_all(replay_game(game), game.player)
    delete(browser)
    assert not Game.objects.exists()
    for sender in (browser, new_browser()):
        assert sender.post("/games/", sent | {"mode": "solo", "added": "x"}).status_code == 409
    assert not Game.objects.exists()
    assert not Player.objects.exclude(pk=game.player_id).exists()


def test_a_challenge_takes_no_ticket_of_a_deleted_game(player: Player) -> None:
    over = score_all(start_solo(player), player).game
    beat = make_challenge_url(over).split("/")[2]
    assert read_challenge_id(beat) == over.pk
    signed = tickets.issue().signed
    rematch = start_game(player=None, mode="rematch", nonce=signed, beat=beat).game
    delete_player(player=rematch.player)
    for mode in ("rematch", "solo"):
        with pytest.raises(starting.PlayedBefore):
            start_game(player=None, mode=mode, nonce=signed, beat=beat)


def test_a_game_begun_and_deleted_meanwhile_is_noticed(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first look finds nothing; before the second one the ticket is used up elsewhere."""
    signed = tickets.issue().signed

    def look(nonce: str) -> None:
        monkeypatch.undo()
        start_game(player=create_player(), mode="solo", nonce=signed)
        Game.objects.all().delete()

    monkeypatch.setattr(starting, "game_begun", look)
    with pytest.raises(starting.PlayedBefore):
        start_game(player=player, mode="solo", nonce=signed)
    assert not Game.objects.exists()


def test_a_game_that_was_in_the_way_and_is_deleted_then_is_noticed(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed = tickets.issue().signed
    start_game(player=create_player(), mode="solo", nonce=signed)
    looks = iter([lambda: None, Game.objects.all().delete])
    monkeypatch.setattr(starting, "game_begun", lambda nonce: next(looks)() and None)
    with pytest.raises(starting.PlayedBefore):
        start_game(player=player, mode="solo", nonce=signed)
    assert not Game.objects.exists()
    assert next(looks, None) is None


def test_a_hash_stays_until_its_ticket_expires(player: Player, clock: Clock) -> None:
    lasts = timedelta(seconds=tickets.MAX_AGE)
    signed = tickets.issue().signed
    game = start_game(player=player, mode="solo", nonce=signed).game
    Game.objects.all().delete()
    spent = SpentTicket.objects.get()
    assert spent.expires_at == NOON + lasts
    assert game.nonce not in (spent.digest, spent.digest[: len(game.nonce)])
    clock(NOON + lasts / 2)
    call_command("forget", "--idle-days", "1")
    assert SpentTicket.objects.get() == spent
    clock(NOON + lasts)
    call_command("forget", "--idle-days", "1")
    assert not SpentTicket.objects.exists()


def test_deletions_remove_what_has_expired_and_remember_what_has_not(clock: Clock) -> None:
    start_solo(create_player())
    Game.objects.all().delete()
    first = SpentTicket.objects.get()
    start_solo(create_player())
    clock(NOON + timedelta(days=1))
    Game.objects.all().delete()
    assert SpentTicket.objects.get() == first  # nothing was stored of an expired ticket
    fresh = start_solo(create_player()).game
    assert fresh.started_at == timezone.now()
    Game.objects.all().delete()
    assert SpentTicket.objects.get() != first
