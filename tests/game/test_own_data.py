"""The file of a person holds everything that the site stores about them, and nothing of others."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import Model
from django.utils import timezone

from game.core.profile_queries import find_player_skill
from game.core.worth.tables import find_value_start
from game.models import (
    Decision,
    DrillAttempt,
    DrillCard,
    Duel,
    DuelSeat,
    FiveAnswer,
    Game,
    KeptPosition,
    Party,
    PartySeat,
    Player,
    PositionList,
    Reminder,
    Throw,
)
from game.pages.exporting import LEFT_OUT
from solver.rules import YATZY
from tests.known import known
from tests.play import Browser, play_through
from tests.trials import new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]
NewBrowser = type[Browser]
PLACE: dict[str, Any] = {"filled": 0, "upper": 0, "rolls_left": 1}

# What the file has of each kind of row, for the person made below.
SHOWN: Mapping[str, Callable[[Any], Any]] = {
    "auth.User": lambda told: told["account"]["username"],
    "game.Player": lambda told: told["player"]["nickname"],
    "game.Game": lambda told: told["games"][0]["game"],
    "game.Decision": lambda told: len(told["games"][0]["decisions"]),
    "game.Throw": lambda told: told["games"][1]["throws"][0]["faces"],
    "game.DuelSeat": lambda told: told["duels"][0]["seat"]["added"],
    "game.Party": lambda told: len(told["tables"]),
    "game.PartySeat": lambda told: told["tables"][0]["seats"][0]["name"],
    "game.DrillCard": lambda told: told["drill"][0]["dice"],
    "game.DrillAttempt": lambda told: told["drill"][0]["attempts"][0]["regret"],
    "game.FiveAnswer": lambda told: told["five_a_day"][0]["key"],
    "game.PositionList": lambda told: told["lists"][0]["name"],
    "game.KeptPosition": lambda told: told["lists"][0]["positions"][0]["dice"],
    "game.Reminder": lambda told: told["reminders"][0]["endpoint"],
}


def with_everything(browser: Browser, rival: Game) -> tuple[Player, Mapping[str, Any]]:
    game = play_through(browser, browser.start())
    now = timezone.now()
    player = game.player
    player.user = User.objects.create_user("nora")
    player.nickname = "Nora the Player"
    player.save()
    duel = Duel.objects.create(created_at=now, started_at=now, finished_at=now)
    DuelSeat.objects.create(duel=duel, number=1, player=player, game=game, added="my own text")
    DuelSeat.objects.create(duel=duel, number=2, player=rival.player, game=rival)
    card_game = Game.objects.create(player=player, mode="party", real_dice=True, started_at=now)
    Decision.objects.create(game=card_game, seq=0, turn=0, roll=0, hold=0, created_at=now)
    Throw.objects.create(game=card_game, seq=0, number=0, faces="13566", created_at=now)
    party = Party.objects.create(host=player, created_at=now)
    PartySeat.objects.create(party=party, place=0, name="Olga", game=card_game)
    card = DrillCard.objects.create(player=player, dice="11245", created_at=now, due=now, **PLACE)
    DrillAttempt.objects.create(card=card, number=0, hold=3, regret=0.125, created_at=now)
    five = {"day": now.date(), "place": 1, "key": "a position", "category": "chance"}
    FiveAnswer.objects.create(player=player, ruleset="yatzy", regret=0, created_at=now, **five)
    kept = PositionList.objects.create(player=player, name="Endings", used_at=now)
    KeptPosition.objects.create(kept_in=kept, dice="22333", **PLACE)
    Reminder.objects.create(
        player=player, endpoint="https://push.example/1", site="https://x.example"
    )
    return player, {
        "auth.User": "nora",
        "game.Player": "Nora the Player",
        "game.Game": game.pk,
        "game.Decision": Decision.objects.filter(game=game).count(),
        "game.Throw": "13566",
        "game.DuelSeat": "my own text",
        "game.Party": 1,
        "game.PartySeat": "Olga",
        "game.DrillCard": "11245",
        "game.DrillAttempt": 0.125,
        "game.FiveAnswer": "a position",
        "game.PositionList": "Endings",
        "game.KeptPosition": "22333",
        "game.Reminder": "https://push.example/1",
    }


def names(model: type[Model], others: set[type[Model]]) -> bool:
    fields = model._meta.concrete_fields
    return any(field.is_relation and field.related_model in others for field in fields)


def test_every_kind_of_row_about_a_person_is_in_the_file_or_left_out_for_a_reason() -> None:
    apart = set(LEFT_OUT)
    for config in apps.get_app_configs():
        apart |= set(getattr(config, "left_out", ()))
    about: set[type[Model]] = {User, Player}
    while more := {model for model in apps.get_models() if names(model, about)} - about:
        more = {model for model in more if model._meta.label not in apart}
        if not more:
            break
        about |= more
    assert {model._meta.label for model in about} == set(SHOWN)
    assert all(names(apps.get_model(label), about) for label in apart)


def test_the_file_shows_each_of_them(browser: Browser, new_browser: NewBrowser) -> None:
    other = new_browser()
    rival = play_through(other, other.start())
    Player.objects.filter(pk=rival.player_id).update(nickname="Otto")
    _player, expected = with_everything(browser, rival)
    browser.force_login(User.objects.get())
    told = json.loads(browser.get("/history/export").content)
    assert {label: show(told) for label, show in SHOWN.items()} == expected
    assert told["duels"][0]["others"] == [{"name": "Otto", "final_score": rival.final_score}]
    assert not {rival.pk, rival.player.code, rival.seed} & set(words(told))


def words(told: Any) -> list[str]:
    if isinstance(told, dict):
        return [word for one in told.values() for word in words(one)]
    return [word for one in told for word in words(one)] if isinstance(told, list) else [str(told)]


def test_the_file_has_the_worth_of_moves_only_where_the_player_may_know_it(
    browser: Browser, new_browser: NewBrowser
) -> None:
    other = new_browser()
    player, _expected = with_everything(browser, play_through(other, other.start()))
    Player.objects.filter(pk=player.pk).update(user=None)
    browser.start()  # one that is still played
    told = json.loads(browser.get("/history/export").content)
    games, start = told["games"], known(find_value_start(YATZY))
    assert (
        told["skill"]["yatzy"]["estimate"]
        == known(find_player_skill(player, YATZY, start)).estimate
    )
    assert known(games[0])["regret"] is not None
    assert ["regret" in game["decisions"][0] for game in (games[0], games[-1])] == [True, False]
    new_trial(coach_closed=True)
    closed = browser.get("/history/export").text
    assert "regret" not in closed
    assert json.loads(closed)["skill"] == {}


def test_a_secret_of_a_game_or_an_account_is_in_no_file(browser: Browser) -> None:
    game = browser.start()
    Player.objects.update(recovery="a hash")
    told = browser.get("/history/export").text
    assert not [
        secret for secret in (game.seed, game.key, game.share_token, "a hash") if secret in told
    ]
