"""A shared-device game: several people use one device, and each person has a card."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from game.models.game import Game
from game.models.player import Player
from game.models.tokens import game_id

MOST_AT_A_TABLE = 6
LONGEST_NAME = 30


class Party(models.Model):
    """A game on one device. Whose turn it is follows from the cards, so it is not stored."""

    id = models.CharField(max_length=12, primary_key=True, default=game_id, editable=False)
    host = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="parties")
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("shared-device game")
        verbose_name_plural = _("shared-device games")

    def __str__(self) -> str:
        return f"party {self.id}"


class PartySeat(models.Model):
    """A player's name and card. All cards belong to the host, who owns the device."""

    party = models.ForeignKey(Party, on_delete=models.CASCADE, related_name="seats")
    place = models.PositiveSmallIntegerField(help_text=_("Place in the order of play, from 0."))
    name = models.CharField(max_length=LONGEST_NAME)
    game = models.OneToOneField(Game, on_delete=models.CASCADE, related_name="party_seat")

    class Meta:
        verbose_name = _("seat in a shared-device game")
        verbose_name_plural = _("seats in a shared-device game")
        ordering = ["place"]
        constraints = [
            models.UniqueConstraint(name="party_one_per_place", fields=["party", "place"])
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.party_id}"
