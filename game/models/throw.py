from django.db import models
from django.utils.translation import gettext_lazy as _

from game.models.game import Game
from solver.rules import MOST_DICE


class Throw(models.Model):
    """Real dice as they were typed in. A correction is a further row; the last one counts."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="throws")
    seq = models.PositiveSmallIntegerField(help_text=_("Of the decision that was thrown after."))
    number = models.PositiveSmallIntegerField(help_text=_("Corrections made before."))
    faces = models.CharField(max_length=MOST_DICE, help_text=_("In the order of the slots."))
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("throw")
        verbose_name_plural = _("throws")
        ordering = ["game", "seq", "number"]
        constraints = [
            models.UniqueConstraint(name="throw_one_per_entry", fields=["game", "seq", "number"])
        ]

    def __str__(self) -> str:
        return f"{self.game_id} {self.seq}: {self.faces}"

    @property
    def dice(self) -> tuple[int, ...]:
        return tuple(map(int, self.faces))
