"""All that a player has as one file, and back."""

import json
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from game.core.accounts import delete_games, merge_guest
from game.core.counting import is_counted
from game.core.game_queries import replay_game
from game.core.spent_tickets import query_expired_tickets
from game.models import DuelSeat, Game, Player, SpentTicket
from game.offline import archive
from game.offline.archive import ONCE
from game.trials.design.writing import close_trial
from solver.rules import PLAYED
from tests.game.test_accounts import with_everything
from tests.known import known
from tests.play import Answer, Browser, play_through, stored, who
from tests.trials import into_trial

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("yatzy_tables")]


@pytest.fixture
def game(browser: Browser) -> Game:
    return play_through(browser, browser.start(coach="after"))


def uploaded(browser: Browser, text: str) -> Answer:
    file = SimpleUploadedFile("games.json", text.encode(), "application/json")
    return browser.post("/history/archive", {"file": file})


def downloaded(browser: Browser) -> str:
    return browser.get("/history/archive?file").content.decode()


def deleted(browser: Browser) -> None:
    browser.post("/account/delete/", {"confirm": "on", "password": "twenty green apples"})


def exported(browser: Browser) -> Any:
    told = json.loads(browser.get("/history/export").content)
    return told | {"reminders": [], "account": None}


def test_everything_comes_back_after_a_deletion(browser: Browser) -> None:
    rival = play_through(other := Browser(), other.start())
    player, _ = with_everything(browser, rival)
    known(player.user).set_password("twenty green apples")
    known(player.user).save()
    browser.force_login(known(player.user))
    Game.objects.filter(player=player, mode="party").update(abandoned_at=timezone.now())
    again = play_through(
        browser, browser.start(mode="rematch", of=player.games.earliest("started_at").pk)
    )
    Player.objects.filter(pk=player.pk).update(theme="dark", ruleset="yahtzee")
    before, text = exported(browser), downloaded(browser)
    game = known(again.rematch_of)
    game, moves, state = Game.objects.get(pk=game.pk), stored(game), replay_game(game).state
    deleted(browser)
    assert Player.objects.count() == 1
    fresh = Browser()
    assert uploaded(fresh, text).status_code == 302
    assert exported(fresh) == before
    back = Game.objects.get(pk=game.pk)
    assert (stored(back), replay_game(back).state) == (moves, state)
    columns = ("mode", "seed", "key", "nonce", "share_token", "regret", "luck", "started_at")
    assert all(getattr(back, name) == getattr(game, name) for name in columns)
    assert is_counted(back)
    assert Game.objects.get(pk=again.pk).rematch_of_id == game.pk
    seat = DuelSeat.objects.get(game=back)
    assert (seat.player, seat.number) == (who(fresh), 1)
    assert (who(fresh).theme, who(fresh).ruleset) == ("dark", "yahtzee")
    deleted(fresh)
    assert uploaded(Browser(), text).status_code == 400  # once
    SpentTicket.objects.update(expires_at=timezone.now())
    query_expired_tickets().delete()
    assert uploaded(Browser(), text).status_code == 302


def test_a_turn_in_the_file_has_its_rolls_the_held_faces_and_the_box() -> None:
    rows = [("1 2 3 4 6", "2 5", ""), ("5 2 5 5 6", "-", ""), ("1 1 1 1 2", "", "ones")]
    decisions = [dict(zip(("dice", "hold", "category"), row, strict=True)) for row in rows]
    (turn,) = archive.make_turns([{"dice": "", "hold": "", "category": ""}, *decisions])
    assert turn["thrown"] == [[1, 2, 3, 4, 6], [5, 2, 5, 5, 6], [1, 1, 1, 1, 2]]
    assert (turn["held"], turn["box"]) == ([[2, 6], []], "ones")


def test_a_restored_file_joins_what_was_played_since(browser: Browser, game: Game) -> None:
    text = downloaded(browser)
    assert uploaded(browser, text).status_code == 400  # while the player exists
    assert uploaded(Browser(), text).status_code == 400
    deleted(browser)
    newer = play_through(browser, browser.start())
    assert uploaded(browser, text).status_code == 302
    assert set(Game.objects.values_list("pk", "player")) == {
        (game.pk, who(browser).pk),
        (newer.pk, who(browser).pk),
    }
    left = SpentTicket.objects.latest("expires_at").expires_at - timezone.now()
    assert ONCE.days - 1 <= left.days <= ONCE.days


def test_a_guests_file_is_restored_by_an_account_unless_its_games_are_there(
    browser: Browser, game: Game
) -> None:
    text, user = downloaded(browser), User.objects.create_user("nora")
    merge_guest(guest=game.player, user=user)
    (other := Browser()).force_login(user)
    assert uploaded(browser, text).status_code == 400
    other.get("/you/")
    delete_games(games=Game.objects.all())
    Player.objects.update(code="another")
    assert uploaded(other, text).status_code == 302
    assert Game.objects.get().player.user == user


def test_another_accounts_file_is_refused(browser: Browser, game: Game) -> None:
    user = User.objects.create_user("nora", password="twenty green apples")
    Player.objects.filter(pk=game.player_id).update(user=user)
    browser.force_login(user)
    text = downloaded(browser)
    deleted(browser)
    other = Browser()
    other.force_login(User.objects.create_user("olga"))
    assert uploaded(other, text).status_code == 400
    assert not Game.objects.exists()
    other.force_login(User.objects.create_user("nora"))
    assert uploaded(other, text).status_code == 302
    assert Game.objects.get().player.user == User.objects.get(username="nora")


def sealed_again(text: str, change: Callable[[Any], object]) -> str:
    packed = archive.open_seal().decrypt(json.loads(text)["restore"])
    data = json.loads(zlib.decompress(packed))
    change(data)
    token = archive.open_seal().encrypt(zlib.compress(json.dumps(data).encode()))
    return json.dumps({"restore": token.decode()})


def test_a_file_that_was_changed_restores_nothing(browser: Browser, game: Game) -> None:
    text = downloaded(browser)
    deleted(browser)

    def raise_score(data: Any) -> None:
        table = data["rows"]["Game"]
        table["rows"][0][table["names"].index("final_score")] += 1

    for wrong in (
        *("", "[1]", "{}", "[" * 100_000, '{"restore": 3}', '{"restore": "x"}'),
        text.replace('"restore":"g', '"restore":"h'),
        sealed_again(text, raise_score),
    ):
        assert uploaded(browser, wrong).status_code == 400, wrong[:50]
        assert not Player.objects.exists()
    assert uploaded(browser, sealed_again(text, lambda data: None)).status_code == 302


def test_a_trials_game_is_not_in_the_archive(browser: Browser, game: Game) -> None:
    close_trial(trial=into_trial(game).trial_game.participant.trial)
    assert json.loads(downloaded(browser))["games"] == []


def test_a_download_has_finished_games_of_every_ruleset_and_no_secret(browser: Browser) -> None:
    game = browser.start(ruleset="maxi-yatzy")
    assert json.loads(downloaded(browser))["games"] == []
    for box in PLAYED["maxi-yatzy"].categories:
        seq = game.decisions.count()
        if seq % 2 == 0:
            browser.act(game, "hold", seq=seq)
            seq += 1
        browser.act(game, "score", seq=seq, category=box.id)
    game.refresh_from_db()
    text = downloaded(browser)
    assert game.seed not in text
    assert len(json.loads(text)["games"][0]["turns"]) == len(game.rules.categories)
    deleted(browser)
    uploaded(browser, text)
    assert Game.objects.get().final_score == game.final_score
