"""Programs of people that play by the API. Nothing of them runs here; a token names them."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from game.models.player import Player


class LadderProgram(models.Model):
    """``player`` is who it plays as: its games and its name; ``owner`` is the account it is of."""

    owner = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="programs")
    player = models.OneToOneField(Player, on_delete=models.CASCADE, related_name="ladder_program")
    token = models.CharField(
        max_length=64,
        blank=True,
        default="",
        editable=False,
        help_text=_("A hash, as of a password; empty once it is taken back."),
    )
    asks = models.BooleanField(
        default=False, help_text=_("By its owner's word it asks the coach, or a table of values.")
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("program")
        verbose_name_plural = _("programs")
        ordering = ["created_at"]
        constraints = [
            models.UniqueConstraint(
                name="ladder_program_one_per_token", fields=["token"], condition=~Q(token="")
            )
        ]

    def __str__(self) -> str:
        return self.player.nickname
