"""What of a trial goes to everybody: by whom it is, under which licence, and which free texts."""

from django.db import models

from game.models.question import Answer
from game.models.trial import Trial


class Publication(models.Model):
    """What the files say of themselves that a trial does not know."""

    class Licence(models.TextChoices):
        CC0 = "CC0-1.0", "CC0 1.0: no rights reserved"
        CC_BY = "CC-BY-4.0", "CC BY 4.0: whoever uses it names you"

    trial = models.OneToOneField(Trial, on_delete=models.CASCADE, related_name="publication")
    creators = models.TextField(
        "by whom the data are",
        blank=True,
        default="",
        help_text="A line a person: Family name, Given name.",
    )
    licence = models.CharField(
        "licence", max_length=12, choices=Licence.choices, default=Licence.CC0
    )

    class Meta:
        verbose_name = "publication"
        verbose_name_plural = "publications"

    def __str__(self) -> str:
        return f"publication of {self.trial_id}"

    @property
    def authors(self) -> list[str]:
        return [name for line in self.creators.splitlines() if (name := line.strip())]


class ReleasedAnswer(models.Model):
    """A free text that may be published as it is; every other one stays here."""

    answer = models.OneToOneField(Answer, on_delete=models.CASCADE, related_name="released")
    at = models.DateTimeField()

    class Meta:
        verbose_name = "released answer"
        verbose_name_plural = "released answers"

    def __str__(self) -> str:
        return f"{self.answer_id} at {self.at}"
