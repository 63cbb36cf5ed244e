"""What somebody who withdrew may still take back: for a day, and where nothing else looks."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from game.models.trial import Participant


class Withdrawal(models.Model):
    """The rows that are in no table any more, packed: no result, file or page can have them."""

    participant = models.OneToOneField(
        Participant, on_delete=models.CASCADE, related_name="withdrawal"
    )
    at = models.DateTimeField(db_index=True)
    rows = models.BinaryField()

    class Meta:
        verbose_name = _("withdrawal")
        verbose_name_plural = _("withdrawals")

    def __str__(self) -> str:
        return f"{self.participant_id} at {self.at}"
