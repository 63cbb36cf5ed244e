from django.db import models
from django.utils.translation import gettext_lazy as _

from game.models.drill import POSITION, AskedPosition
from game.models.player import Player
from game.models.tokens import share_token

LONGEST_LIST_NAME = 40
MOST_KEPT = 100  # positions of a list
MOST_LISTS = 20  # of a player


class PositionList(models.Model):
    """Positions that a player keeps; whoever has its address can look at them and answer them."""

    token = models.CharField(max_length=16, unique=True, default=share_token, editable=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="position_lists")
    name = models.CharField(max_length=LONGEST_LIST_NAME)
    used_at = models.DateTimeField(help_text=_("When something was last kept in it."))

    class Meta:
        verbose_name = _("list of positions")
        verbose_name_plural = _("lists of positions")
        ordering = ["-used_at", "-pk"]

    def __str__(self) -> str:
        return self.name


class KeptPosition(AskedPosition):
    kept_in = models.ForeignKey(PositionList, on_delete=models.CASCADE, related_name="positions")

    class Meta:
        verbose_name = _("kept position")
        verbose_name_plural = _("kept positions")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(name="kept_once_in_a_list", fields=["kept_in", *POSITION])
        ]

    def __str__(self) -> str:
        return f"{self.kept_in_id}: {self.dice}, {self.rolls_left} left"
