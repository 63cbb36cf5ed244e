"""Queries that are put together once say what the ORM would say, and keep no answer."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS, connection, transaction
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from game.core import game_queries, player_queries
from game.core.prepared import Prepared
from game.models import Game, Player
from game.trials import reading as trials
from game.trials.models import Arm, TrialGame
from tests.play import Browser
from tests.trials import into_trial

PREPARED: dict[str, tuple[Prepared[Any], tuple[str | int, ...]]] = {
    "a game": (game_queries.GAME, ("abc",)),
    "a game for its change": (game_queries.LOCKED, ("abc",)),
    "the decisions of a game": (game_queries.DECISIONS, ("abc",)),
    "a guest": (player_queries.GUEST, ("abc",)),
    "an account's player": (player_queries.OWNER, (7,)),
    "a participant": (trials.PARTICIPANT, ("abc",)),
    "a player for whom a trial waits": (trials.WAITING, (7,)),
    "the trials that run": (trials.RUNNING, ()),
}


@pytest.mark.parametrize("what", PREPARED)
def test_a_prepared_query_says_what_the_orm_says(what: str, db: None) -> None:
    prepared, given = PREPARED[what]
    with transaction.atomic():  # to lock, one must be in one
        sql, parameters = prepared.asked(*given).query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
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
