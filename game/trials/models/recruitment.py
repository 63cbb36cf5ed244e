"""The open link of a trial, by which strangers join, and the external IDs by which a panel pays
them. External IDs are stored apart from all data for analysis, and can be deleted separately. For
people who do not agree, only the number per day is stored."""

import re
from datetime import datetime
from typing import Any
from unicodedata import category, normalize

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from game.models.tokens import join_token
from game.trials.models.trial import MOST_PLACES, Participant, Trial

MOST_MINUTES = 60 * 24 * 365
LONGEST_LABEL = 200
UNSEEN = {"Cc", "Cf", "Zs", "Zl", "Zp"}  # categories of control, format and space characters
# Other characters that show no mark, such as fillers and variation selectors.
INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f"
    "\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)


def normalise_label(label: str) -> str:
    """Return the canonical Unicode form without case, spaces and invisible characters."""
    before = None
    while label != before:  # removing a character can join a letter and an accent
        before, label = label, normalize("NFKC", normalize("NFKC", label).casefold())
        label = "".join(character for character in label if category(character) not in UNSEEN)
        label = INVISIBLE.sub("", label)
    return label[:LONGEST_LABEL]


class Recruitment(models.Model):
    """The open link of a trial, and the completion codes or exit addresses for its participants."""

    trial = models.OneToOneField(Trial, on_delete=models.CASCADE, related_name="recruitment")
    token = models.CharField(max_length=24, unique=True, default=join_token, editable=False)
    open = models.BooleanField("people can join by the open link", default=False)
    quota = models.PositiveSmallIntegerField(
        "maximum number of people by the open link",
        default=20,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_PLACES)],
    )
    labels = models.CharField(
        "external IDs in the address",
        max_length=200,
        blank=True,
        default="PROLIFIC_PID STUDY_ID SESSION_ID",
    )
    expected = models.CharField(
        "expected IDs",
        max_length=500,
        blank=True,
    )
    panel = models.CharField(max_length=12, blank=True, default="")  # a key of PANELS
    minutes = models.PositiveIntegerField(
        "minutes for each session",
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_MINUTES)],
    )
    checks = models.PositiveSmallIntegerField(
        "missed attention checks until exclusion",
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
    )
    ways_out = models.JSONField(default=dict, blank=True)  # the keys are those of WAYS_OUT

    class Meta:
        db_table = "game_recruitment"

    def __str__(self) -> str:
        return f"open link of {self.trial_id}"

    @property
    def names(self) -> list[str]:
        return self.labels.split()

    @property
    def expectations(self) -> dict[str, set[str]]:
        expected: dict[str, set[str]] = {}
        for pair in self.expected.split():
            name, _equals, value = pair.partition("=")
            expected.setdefault(name, set()).add(value)
        return expected


class Arrival(models.Model):
    """The external ID of a participant, as the panel sent it, and a key to look it up. A link
    without external IDs stores no arrivals."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="arrivals")
    participant = models.OneToOneField(
        Participant, on_delete=models.CASCADE, related_name="arrival"
    )
    label = models.CharField(max_length=LONGEST_LABEL)
    key = models.CharField(max_length=LONGEST_LABEL + 8, editable=False)
    parameters = models.JSONField(default=dict)
    at = models.DateTimeField()
    later = models.JSONField(
        default=list, blank=True
    )  # later arrivals of the same person with other IDs

    class Meta:
        db_table = "game_arrival"
        ordering = ["trial", "at"]
        constraints = [models.UniqueConstraint(name="arrival_one_per_key", fields=["trial", "key"])]

    def __str__(self) -> str:
        return f"{self.participant_id} of {self.trial_id}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.key = self.key or normalise_label(self.label)
        super().save(*args, **kwargs)

    @property
    def visits(self) -> list[tuple[datetime, dict[str, str]]]:
        """The times and external IDs of the first arrival, and of later arrivals with other IDs."""
        later = [(datetime.fromisoformat(visit["at"]), visit["parameters"]) for visit in self.later]
        return [(self.at, self.parameters), *later]

    @property
    def latest(self) -> dict[str, str]:
        return self.visits[-1][1]


class WithdrawnLabel(models.Model):
    """A keyed hash of a withdrawn external ID, which does not reveal the person. The hash prevents
    a person from withdrawing and coming back to get another arm."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="withdrawn_labels")
    digest = models.CharField(max_length=64)

    class Meta:
        db_table = "game_withdrawnlabel"
        verbose_name = "withdrawn external ID"
        verbose_name_plural = "withdrawn external IDs"
        constraints = [
            models.UniqueConstraint(
                name="withdrawn_label_one_per_digest", fields=["trial", "digest"]
            )
        ]

    def __str__(self) -> str:
        return f"withdrawn external ID of {self.trial_id}"


class ArrivalCount(models.Model):
    """The number of people who arrived by the open link on a day, without other data about them."""

    class Kind(models.TextChoices):
        OPENED = "opened", "opened the link"
        DECLINED = "declined", "did not agree"
        NO_PLACE = "no_place", "found no place left"

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="arrival_counts")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    day = models.DateField()
    people = models.PositiveIntegerField(default=0)

    class Meta:
        db_table = "game_arrivalcount"
        verbose_name = "count of arrivals"
        verbose_name_plural = "counts of arrivals"
        constraints = [
            models.UniqueConstraint(
                name="arrival_count_one_per_day", fields=["trial", "kind", "day"]
            )
        ]

    def __str__(self) -> str:
        return f"{self.people} {self.kind} on {self.day}"
