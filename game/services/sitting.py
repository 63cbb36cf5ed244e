"""Whether a player sits in a duel with other people is kept with the player, who is read for every
page anyway: the pages of everybody else ask nothing of duels."""

from collections.abc import Collection
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.signals import post_save

from game.models import Duel, Player
from game.selectors.duels.lobby import running_with_people

TOLD_BY = {"started_at", "finished_at", "withdrawn_at"}  # columns of a duel


def listen() -> None:
    post_save.connect(_duel_saved, sender=Duel, dispatch_uid="game.services.sitting")


def _duel_saved(
    *, instance: Duel, created: bool, update_fields: Collection[str] | None, **_: Any
) -> None:
    if not created and (update_fields is None or TOLD_BY & set(update_fields)):
        note_sitting(Player.objects.filter(seats__duel=instance, bot=""))


def note_sitting(players: QuerySet[Player]) -> None:
    sits = running_with_people().filter(player=OuterRef("pk"))
    players.update(in_duels=Exists(sits))
