from django.db import models
from django.utils.translation import gettext_lazy as _

from game.models.player import Player


class Reminder(models.Model):
    """A device that is told when it is its player's turn, by an address at its push service.

    A turn is told at the second look, so that nobody is told who is playing anyway, and once.
    """

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="reminders")
    endpoint = models.URLField(max_length=500, unique=True)
    site = models.URLField(help_text=_("Where it was asked for."))
    seen = models.TextField(blank=True, default="")  # turns at the last look
    told = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("reminder")
        verbose_name_plural = _("reminders")
        ordering = ["created_at", "pk"]

    def __str__(self) -> str:
        return f"reminder of {self.player_id}"
