"""Dice of a day that somebody has seen in the game of another."""

from datetime import date

from django.db import transaction

from game.models import Game, Player


def day_seen(*, player: Player, day: date, ruleset: str) -> None:
    """Their own game of that day has no place, whether it is under way or still to come."""
    with transaction.atomic():
        locked = Player.objects.select_for_update().filter(pk=player.pk).first()
        if locked is None:
            return
        locked.see(day, ruleset)
        locked.save(update_fields=["dice_seen"])
        own = Game.objects.filter(mode=Game.Mode.DAILY, player=player, day=day, ruleset=ruleset)
        own.filter(finished_at__isnull=True).update(unranked=True)
