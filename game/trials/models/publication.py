"""The public facts of a trial: the preregistration before it, and the public files after it."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django.db import models
from django.db.models import Q

from game.trials.models.trial import Trial


class Publication(models.Model):
    """Facts about a trial's public files that ``Trial`` does not store."""

    class Licence(models.TextChoices):
        CC0 = "CC0-1.0", "CC0 1.0: no rights reserved"
        CC_BY = "CC-BY-4.0", "CC BY 4.0: anyone who uses the data must name you"

    trial = models.OneToOneField(Trial, on_delete=models.CASCADE, related_name="publication")
    creators = models.TextField(
        "creators",
        blank=True,
        default="",
    )
    licence = models.CharField(
        "licence", max_length=12, choices=Licence.choices, default=Licence.CC0
    )

    class Meta:
        db_table = "game_publication"

    def __str__(self) -> str:
        return f"publication of {self.trial_id}"

    @property
    def authors(self) -> list[str]:
        return [name for line in self.creators.splitlines() if (name := line.strip())]


class Preregistration(models.Model):
    """A preregistration, which is a draft until staff lock it. The page of results defines the
    possible outcomes, analyses and exclusions, so that new ones need no migration."""

    class Stopping(models.TextChoices):
        EVERYBODY = (
            "everybody",
            "When every place is taken and every participant has played all games",
        )
        PEOPLE = "people", "When a given number of people have played all their games"
        DATE = "date", "On a given day, however many people have played"

    trial = models.OneToOneField(Trial, on_delete=models.CASCADE, related_name="preregistration")
    hypotheses = models.TextField()
    outcome = models.CharField(max_length=32)
    analyses = models.JSONField(default=list)
    exclusions = models.JSONField(default=dict)
    # How arms are compared; empty if there is no comparison, and in older locked documents.
    estimand = models.JSONField(default=dict)
    stopping = models.CharField(max_length=16, choices=Stopping.choices)
    stopping_people = models.PositiveSmallIntegerField(null=True, blank=True)
    stopping_date = models.DateField(null=True, blank=True)
    changed_at = models.DateTimeField(auto_now=True)
    locked_at = models.DateTimeField(null=True, blank=True, editable=False)
    document = models.TextField(blank=True, default="", editable=False)
    digest = models.CharField(max_length=64, blank=True, default="", editable=False)

    class Meta:
        db_table = "game_preregistration"
        constraints = [
            models.CheckConstraint(
                name="preregistration_locked_has_its_text",
                condition=Q(locked_at__isnull=True, document="", digest="")
                | (Q(locked_at__isnull=False) & ~Q(document="") & ~Q(digest="")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.trial_id} {self.digest[:8]}"

    @property
    def is_locked(self) -> bool:
        return self.locked_at is not None

    @property
    def locked(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.document)
        return document


def to_canonical_json(document: Mapping[str, Any]) -> str:
    """Return JSON with sorted keys and without spaces, so that equal data give equal texts."""
    return json.dumps(
        document, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )


def calculate_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
