"""Players: guests, accounts, their remembered choices, and their deletion."""

from datetime import date
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from game.core.events import guest_joins, player_goes
from game.core.player_queries import OWNER
from game.models import DrillCard, FiveAnswer, Game, Party, Player, PositionList, Reminder
from game.models.drill import POSITION

AT_ONCE = 50  # games per statement, because databases limit the values in one statement


def create_player(*, coach: str = "", ruleset: str = "") -> Player:
    player = Player()
    player.coach = coach or player.coach
    player.ruleset = ruleset or player.ruleset
    player.save(force_insert=True)
    return player


def get_or_create_player(*, user: User) -> Player:
    return OWNER.first(user.pk) or Player.objects.get_or_create(user=user)[0]


def merge_guest(*, guest: Player | None, user: User) -> Player:
    """Move everything that a guest has played to an account, and delete the guest."""
    with transaction.atomic():
        players = Player.objects.select_for_update()
        account = players.filter(user=user).first()
        guest = players.filter(pk=guest.pk, user=None).first() if guest else None
        if guest is None:
            return account or Player.objects.create(user=user)
        if account is None:
            guest.user = user
            guest.save(update_fields=["user"])
            return guest
        move_to_account(guest, account)
        return account


def move_to_account(guest: Player, account: Player) -> None:
    """Move everything of a guest to another player, and delete the guest."""
    guest_joins.send(sender=None, guest=guest, account=account)
    # if both played the same dice, the guest's is a rematch
    daily = Game.objects.filter(mode=Game.Mode.DAILY)
    same = daily.filter(player=account, day=OuterRef("day"), ruleset=OuterRef("ruleset"))
    twice = daily.filter(Exists(same), player=guest)
    played = [(game.day, game.ruleset) for game in twice if game.day]
    for day, ruleset in [*played, *guest.days_seen]:
        mark_day_seen(player=account, day=day, ruleset=ruleset)
    twice.update(mode=Game.Mode.REMATCH)
    Game.objects.filter(player=guest).update(player=account)
    # The account keeps its own drill cards and answers.
    cards = DrillCard.objects.filter(player=account, **{name: OuterRef(name) for name in POSITION})
    DrillCard.objects.filter(~Exists(cards), player=guest).update(player=account)
    place = {name: OuterRef(name) for name in ("ruleset", "day", "place")}
    answers = FiveAnswer.objects.filter(player=account, **place)
    FiveAnswer.objects.filter(~Exists(answers), player=guest).update(player=account)
    PositionList.objects.filter(player=guest).update(player=account)
    Party.objects.filter(host=guest).update(host=account)
    Reminder.objects.filter(player=guest).update(player=account)
    guest.delete()
    if guest.nickname and not account.nickname and not account.nickname_barred:
        account.nickname, account.nickname_key = guest.nickname, guest.nickname_key
        account.save(update_fields=["nickname", "nickname_key"])


def store_settings(*, player: Player | None, **settings: Any) -> Player:
    """Store these settings for the player; create a guest if there is no player yet."""
    player = player or create_player()
    for name, value in settings.items():
        setattr(player, name, value)
    player.save(update_fields=settings)
    return player


def delete_player(*, player: Player) -> None:
    """Delete the player, the account and every game."""
    with transaction.atomic():
        user = player.user
        player_goes.send(sender=None, player=player)
        delete_games(games=player.games.all())
        player.delete()
        if user is not None:
            user.delete()


def delete_games(*, games: QuerySet[Game]) -> None:
    """Delete games and their decisions in portions, so that no statement grows too large. Lock the
    games first: if a move were stored now, the database would refuse the deletion."""
    keys = list(games.select_for_update(of=("self",)).values_list("pk", flat=True))
    for at in range(0, len(keys), AT_ONCE):
        Game.objects.filter(pk__in=keys[at : at + AT_ONCE]).delete()


def mark_day_seen(*, player: Player, day: date, ruleset: str) -> None:
    """Record that the player saw the day's dice. An unfinished daily game becomes unranked."""
    with transaction.atomic():
        locked = Player.objects.select_for_update().filter(pk=player.pk).first()
        if locked is None:
            return
        locked.see(day, ruleset)
        locked.save(update_fields=["dice_seen"])
        games = Game.objects.filter(mode=Game.Mode.DAILY, player=player, day=day, ruleset=ruleset)
        games.filter(finished_at__isnull=True).update(unranked=True)
