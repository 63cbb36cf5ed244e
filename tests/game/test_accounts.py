"""Guests and accounts: what moves between them, what is deleted, what a player's file has."""

import csv
import io
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import Model
from django.utils import timezone

from game.core.accounts import get_or_create_player, merge_guest, store_nickname
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
from tests.play import COACH, Browser, play_through
from tests.trials import new_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


NewBrowser = Callable[[], Browser]
PASSWORD = "five sixes at once"
NEW = {"username": "anna", "password1": PASSWORD, "password2": PASSWORD}


def sign_in(browser: Browser, name: str = "anna", password: str = PASSWORD) -> int:
    return browser.post("/account/login/", {"username": name, "password": password}).status_code


@pytest.fixture
def anna(browser: Browser) -> Browser:
    browser.start()
    assert browser.post("/account/signup/", NEW).status_code == 302
    return browser


def test_a_new_account_takes_the_guests_games_over(anna: Browser) -> None:
    player = Player.objects.get()
    assert player.user == User.objects.get()
    assert anna.cookies["player"].value == ""
    game = Game.objects.get()
    assert anna.get(f"/games/{game.pk}/").status_code == 200
    assert anna.get("/").context["board"].player_label == "anna"


def test_the_old_cookie_opens_no_account(browser: Browser, new_browser: NewBrowser) -> None:
    game = browser.start()
    cookie = browser.cookies["player"].value
    browser.post("/account/signup/", NEW)
    thief = new_browser()
    thief.cookies["player"] = cookie
    assert thief.get(f"/games/{game.pk}/").status_code == 403


def test_the_accounts_daily_game_counts_before_the_guests(
    anna: Browser, new_browser: NewBrowser
) -> None:
    own = anna.start(mode="daily")
    phone = new_browser()
    second = phone.start(mode="daily")
    sign_in(phone)
    assert Game.objects.get(pk=own.pk).mode == "daily"
    assert Game.objects.get(pk=second.pk).mode == "rematch"


def test_a_day_counts_once_for_each_ruleset(anna: Browser, new_browser: NewBrowser) -> None:
    anna.start(mode="daily", ruleset="yahtzee")
    phone = new_browser()
    yatzy, yahtzee = (phone.start(mode="daily", ruleset=name) for name in ("yatzy", "yahtzee"))
    sign_in(phone)
    assert Game.objects.get(pk=yatzy.pk).mode == "daily"
    assert Game.objects.get(pk=yahtzee.pk).mode == "rematch"


def test_signing_out_leaves_nobody_behind(anna: Browser) -> None:
    game = Game.objects.get()
    assert anna.post("/account/logout/").status_code == 302
    assert anna.get(f"/games/{game.pk}/").status_code == 403
    assert anna.get("/").context["board"].game is None


def test_a_wrong_password_or_a_taken_name_is_told(anna: Browser, new_browser: NewBrowser) -> None:
    other = new_browser()
    assert sign_in(other, password="wrong") == 200
    taken = other.post("/account/signup/", NEW)
    assert taken.context["form"].errors["username"]
    assert User.objects.count() == 1


# Settings


def test_settings_are_kept_for_guests_and_accounts(browser: Browser) -> None:
    data = {"language": "fi", "theme": "dark", "confirm_costly": "on", **COACH}
    assert browser.post("/settings/", data).status_code == 302
    player = Player.objects.get()
    assert (player.language, player.theme, player.confirm_costly) == ("fi", "dark", True)
    page = browser.get("/settings/").text
    assert '<html lang="fi" data-theme="dark"' in page
    browser.post("/settings/", {"language": "", "theme": "light", **COACH})
    page = browser.get("/", headers={"Accept-Language": "da"}).text
    assert '<html lang="da" data-theme="light"' in page
    assert Player.objects.count() == 1


# History and export


def test_the_history_adds_up(browser: Browser) -> None:
    first = play_through(browser, browser.start())
    second = play_through(browser, browser.start())
    play_through(browser, browser.start(mode="rematch", of=first.pk))
    given_up = browser.start()
    browser.act(given_up, "abandon")
    under_way = browser.start()
    context = browser.get("/you/").context
    scores = [first.final_score or 0, second.final_score or 0]
    summary = context["summary"]
    assert (summary.played, summary.best) == (2, max(scores))
    assert summary.average == sum(scores) / 2
    assert summary.bonus_share == 50 * sum(bool(game.bonus) for game in (first, second))
    assert [game.final_score for game in context["page"]][1:] == scores[::-1]
    assert [game.pk for game in context["unfinished"]] == [under_way.pk]


def test_the_export_holds_every_decision(browser: Browser) -> None:
    game = browser.start()
    browser.act(game, "hold", seq=1, slot=[0, 1])
    browser.act(game, "score", seq=2, category="chance")
    response = browser.get("/history/export")
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Content-Disposition"].endswith('.json"')
    (told,) = json.loads(response.content)["games"]
    assert told["game"] == game.pk
    assert told["seed"] == ""
    first, second, third = told["decisions"]
    assert (first["dice"], first["hold"]) == ("", "-")
    assert (second["hold"], second["roll"], len(second["dice"].split())) == ("1 2", 1, 5)
    assert third["category"] == "chance"
    assert third["points"] == sum(map(int, third["dice"].split()))


def test_the_export_as_csv_has_a_row_for_each_decision(browser: Browser) -> None:
    game = play_through(browser, browser.start())
    response = browser.get("/history/export?format=csv")
    rows = list(csv.DictReader(io.StringIO(response.text)))
    assert len(rows) == Decision.objects.count() == 30
    assert {row["seed"] for row in rows} == {game.seed}
    assert sum(int(row["points"] or 0) for row in rows) + (game.bonus or 0) == game.final_score


# Deleting


def test_a_guest_is_deleted_with_everything(browser: Browser, new_browser: NewBrowser) -> None:
    browser.start()
    kept = new_browser().start()
    assert browser.post("/account/delete/").status_code == 200
    assert Player.objects.count() == 2
    assert browser.post("/account/delete/", {"confirm": "on"}).status_code == 302
    assert [game.pk for game in Game.objects.all()] == [kept.pk]
    assert browser.cookies["player"].value == ""


def test_an_account_is_deleted_with_its_password_only(anna: Browser) -> None:
    wrong = anna.post("/account/delete/", {"confirm": "on", "password": "wrong"})
    assert wrong.context["form"].errors["password"]
    assert User.objects.exists()
    assert anna.post("/account/delete/", {"confirm": "on", "password": PASSWORD}).status_code == 302
    assert not any(model.objects.exists() for model in (User, Player, Game, Decision))
    assert anna.get("/").status_code == 200


# The administrator's pages


def test_administrators_look_and_change_nothing(admin_client: Browser, browser: Browser) -> None:
    game = browser.start()
    for url in ("player/", f"player/{game.player_id}/change/", "game/", f"game/{game.pk}/change/"):
        page = admin_client.get(f"/admin/game/{url}")
        assert page.status_code == 200
        assert game.seed not in page.text
    assert admin_client.get("/admin/game/game/add/").status_code == 403
    assert admin_client.post(f"/admin/game/game/{game.pk}/change/", {}).status_code == 403


@pytest.mark.parametrize(
    ("own", "barred", "kept"), [("", False, "Anna"), ("Berta", False, "Berta"), ("", True, "")]
)
def test_a_nickname_of_a_guest_survives_signing_in(
    django_user_model: type[User], own: str, barred: bool, kept: str, db: None
) -> None:
    user = django_user_model.objects.create_user("berit", password="x")
    account = get_or_create_player(user=user)
    store_nickname(player=account, nickname=own)
    Player.objects.filter(pk=account.pk).update(nickname_barred=barred)
    guest = store_nickname(player=None, nickname="Anna")
    merge_guest(guest=guest, user=user)
    account.refresh_from_db()
    assert (account.nickname, account.nickname_key) == (kept, kept.casefold())


def test_who_makes_an_account_keeps_the_nickname_and_reads_what_is_public(browser: Browser) -> None:
    browser.start()
    store_nickname(player=Player.objects.get(), nickname="Anna")
    assert "Other players see this name" in browser.get("/account/signup/").text
    told = {"username": "berit", "password1": "a-good-one-1952", "password2": "a-good-one-1952"}
    assert browser.post("/account/signup/", told).status_code == 302
    player = Player.objects.get()
    assert (player.nickname, str(player)) == ("Anna", "berit")


PLACE: dict[str, Any] = {"filled": 0, "upper": 0, "rolls_left": 1}

# What the file has of each kind of row, for the person made below.
SHOWN: Mapping[str, Callable[[Any], Any]] = {
    "auth.User": lambda data: data["account"]["username"],
    "game.Player": lambda data: data["player"]["nickname"],
    "game.Game": lambda data: data["games"][0]["game"],
    "game.Decision": lambda told: len(told["games"][0]["decisions"]),
    "game.Throw": lambda data: data["games"][1]["throws"][0]["faces"],
    "game.DuelSeat": lambda data: data["duels"][0]["seat"]["added"],
    "game.Party": lambda told: len(told["tables"]),
    "game.PartySeat": lambda data: data["tables"][0]["seats"][0]["name"],
    "game.DrillCard": lambda data: data["drill"][0]["dice"],
    "game.DrillAttempt": lambda data: data["drill"][0]["attempts"][0]["regret"],
    "game.FiveAnswer": lambda data: data["five_a_day"][0]["key"],
    "game.PositionList": lambda data: data["lists"][0]["name"],
    "game.KeptPosition": lambda data: data["lists"][0]["positions"][0]["dice"],
    "game.Reminder": lambda data: data["reminders"][0]["endpoint"],
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
