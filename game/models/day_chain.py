from django.db import models


class DayChain(models.Model):
    """The end of the chain that the dice of days follow from (``game.fair.chain``).

    There is one. It is made once and never changed: whoever has seen its anchor could tell.
    """

    end = models.CharField(max_length=64, editable=False)
    first = models.DateField(editable=False)

    def __str__(self) -> str:
        return f"chain of days from {self.first}"
