"""Guests who have not come back are forgotten by a command, and nobody else is."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from game.core.accounts import create_player, delete_idle_guests, query_idle_guests
from game.duels.duels import create_duel
from game.models import Decision, DrillAttempt, DrillCard, FiveAnswer, Game, Player
from game.trials.joining.writing import start_trial_game
from tests.play import score_all, start_solo
from tests.trials import joined, new_trial

pytestmark = pytest.mark.django_db
OLD = timezone.now() - timedelta(days=40)


def aged(player: Player) -> Player:
    Player.objects.filter(pk=player.pk).update(created_at=OLD)
    Game.objects.filter(player=player).update(started_at=OLD)
    Game.objects.filter(player=player, finished_at__isnull=False).update(finished_at=OLD)
    Decision.objects.filter(game__player=player).update(created_at=OLD)
    DrillAttempt.objects.filter(card__player=player).update(created_at=OLD)
    FiveAnswer.objects.filter(player=player).update(created_at=OLD)
    return player


def guest(*, finished: bool = False) -> Player:
    player = create_player()
    played = start_solo(player)
    if finished:
        score_all(played, player)
    return aged(player)


def forget(**options: Any) -> int:
    return delete_idle_guests(days=30, **options)


def test_a_guest_who_left_a_game_unfinished_is_forgotten_with_it() -> None:
    guest()
    fresh = start_solo(create_player()).game
    assert forget() == 1
    assert list(Game.objects.all()) == [fresh]
    assert Decision.objects.count() == fresh.decisions.count()
    assert Player.objects.get() == fresh.player


def test_who_finished_a_game_is_forgotten_where_that_is_asked_for_only() -> None:
    player = guest(finished=True)
    assert forget() == 0
    assert Player.objects.get() == player
    assert forget(with_games=True) == 1
    assert not Game.objects.exists()


@pytest.mark.parametrize("what", ["game", "decision", "finished"])
def test_a_guest_who_did_anything_lately_is_kept(what: str) -> None:
    player, now = guest(finished=True), timezone.now()
    game = Game.objects.get()
    if what == "game":
        Game.objects.update(started_at=now)
    elif what == "decision":
        game.decisions.filter(seq=3).update(created_at=now)
    else:
        Game.objects.update(finished_at=now)
    assert forget(with_games=True) == 0
    aged(player)
    assert forget(with_games=True) == 1


@pytest.mark.parametrize("what", ["five", "drill"])
def test_practice_counts_as_having_been_there(what: str) -> None:
    player, now = guest(), timezone.now()
    made = {"hold": 0, "regret": 0.0, "created_at": now}
    if what == "five":
        FiveAnswer.objects.create(player=player, ruleset="yatzy", day=OLD, place=1, **made)
    else:
        card = {"filled": 0, "upper": 0, "dice": "12345", "rolls_left": 2, "due": OLD}
        owned = DrillCard.objects.create(player=player, created_at=OLD, **card)
        DrillAttempt.objects.create(card=owned, number=0, **made)
    assert forget() == 0
    aged(player)
    assert forget() == 1


def test_accounts_programs_trials_and_duels_are_never_touched() -> None:
    account, program, sitting = guest(), guest(), guest()
    Player.objects.filter(pk=account.pk).update(user=User.objects.create_user("anna"))
    Player.objects.filter(pk=program.pk).update(bot="optimal")
    create_duel(player=sitting, ruleset="yatzy", people=2, bots=[], minutes=0, listed=False)
    participant = joined(new_trial())
    assert participant.player is not None
    start_trial_game(participant=participant)
    aged(participant.player)
    kept = set(Player.objects.values_list("pk", flat=True))
    assert forget(with_games=True) == 0
    assert set(Player.objects.values_list("pk", flat=True)) == kept
    assert len(kept) == 4


def test_a_trials_game_is_always_kept() -> None:
    participant = joined(new_trial())
    game = start_trial_game(participant=participant).game
    assert participant.player is not None
    aged(participant.player)
    participant.player = None
    participant.save()
    assert forget(with_games=True) == 0
    assert Game.objects.get() == game


def test_who_comes_back_meanwhile_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = guest(), guest()
    deleted: list[int] = []

    def delete(*, player: Player) -> None:
        deleted.append(player.pk)
        Game.objects.exclude(player=player).update(started_at=timezone.now())

    monkeypatch.setattr("game.core.accounts.delete_player", delete)
    assert forget() == 1
    assert len(deleted) == 1
    assert {first.pk, second.pk} > set(deleted)


def test_the_command_says_how_many_before_and_after(capsys: pytest.CaptureFixture[str]) -> None:
    guest()
    guest(finished=True)
    call_command("forget", "--idle-days", "30", "--dry-run")
    assert Player.objects.count() == 2
    call_command("forget", "--idle-days", "30", "--dry-run", "--with-games")
    call_command("forget", "--idle-days", "50")
    call_command("forget", "--idle-days", "30")
    assert capsys.readouterr().out.splitlines() == [
        "Guests to delete: 1",
        "Guests to delete: 2",
        "Guests deleted: 0",
        "Guests deleted: 1",
    ]
    assert query_idle_guests(days=30).count() == 0
    with pytest.raises(CommandError):
        call_command("forget", "--idle-days", "0")
