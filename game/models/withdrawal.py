"""What somebody who withdrew may still take back: for a day, and where nothing else looks."""

from django.db import models

from game.models.trial import Participant


class Withdrawal(models.Model):
    """The rows that are in no table any more, packed: no result, file or page can have them."""

    participant = models.OneToOneField(
        Participant, on_delete=models.CASCADE, related_name="withdrawal"
    )
    at = models.DateTimeField(db_index=True)
    rows = models.BinaryField()

    class Meta:
        verbose_name = "withdrawal"
        verbose_name_plural = "withdrawals"

    def __str__(self) -> str:
        return f"{self.participant_id} at {self.at}"
