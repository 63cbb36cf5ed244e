"""How strangers come to a trial, and by which labels of others they can be paid.

The labels stand apart from everything that is analysed, and can be deleted by themselves. Who comes
and does not agree is a number of a day, and nothing else.
"""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from game.models.tokens import join_token
from game.models.trial import MOST_PLACES, Participant, Trial

OUTCOMES = ("complete", "no_consent", "screened_out", "timed_out")
MOST_MINUTES = 60 * 24 * 365
LONGEST_LABEL = 200


class Recruitment(models.Model):
    """An open link. An outcome is a code to be shown, or an address to go back to."""

    class Entry(models.TextChoices):
        """What somebody shows who comes by a label that has a place, in another browser."""

        CODE = "code", _("The code that was shown after agreeing, or the personal link")
        SIGNED = "signed", _("An address signed by the panel; others let nobody in at all")

    class Letters(models.TextChoices):
        ANY = "", _("Anything")
        HEX = "hex", _("Hexadecimal digits")
        DIGITS = "digits", _("Digits")
        PLAIN = "plain", _("Letters and digits")

    trial = models.OneToOneField(Trial, on_delete=models.CASCADE, related_name="recruitment")
    token = models.CharField(max_length=24, unique=True, default=join_token, editable=False)
    open = models.BooleanField(_("the open link lets people in"), default=False)
    quota = models.PositiveSmallIntegerField(
        _("how many may come by it"),
        default=20,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_PLACES)],
    )
    labels = models.CharField(
        _("labels in its address"),
        max_length=200,
        blank=True,
        default="PROLIFIC_PID STUDY_ID SESSION_ID",
        help_text=_(
            "Names of the parts of the address that are kept, separated by blanks. The first names"
            " the person: who comes again with it goes on. Without names nobody is asked who it is."
        ),
    )
    panel = models.CharField(max_length=12, blank=True, default="")  # a name of PANELS
    entry = models.CharField(
        _("to go on in another browser"), max_length=8, choices=Entry.choices, default=Entry.CODE
    )
    letters = models.CharField(
        _("a person's label is made of"),
        max_length=8,
        choices=Letters.choices,
        blank=True,
        default=Letters.ANY,
    )
    length = models.PositiveSmallIntegerField(
        _("so many of them"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(LONGEST_LABEL)],
        help_text=_("Empty: any number."),
    )
    minutes = models.PositiveIntegerField(
        _("minutes until the time is up"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_MINUTES)],
        help_text=_("From consent on; a game under way can be finished. Empty: no limit."),
    )
    complete = models.CharField(_("when all games are played"), max_length=500, blank=True)
    no_consent = models.CharField(_("without consent"), max_length=500, blank=True)
    screened_out = models.CharField(_("screened out, or no place left"), max_length=500, blank=True)
    timed_out = models.CharField(_("when the time is up"), max_length=500, blank=True)

    class Meta:
        verbose_name = _("recruitment")
        verbose_name_plural = _("recruitments")

    def __str__(self) -> str:
        return f"open link of {self.trial_id}"

    @property
    def names(self) -> list[str]:
        return self.labels.split()


class Arrival(models.Model):
    """Which label took which place. Without names in the address nothing is kept here."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="arrivals")
    participant = models.OneToOneField(
        Participant, on_delete=models.CASCADE, related_name="arrival"
    )
    label = models.CharField(max_length=LONGEST_LABEL)
    parameters = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("arrival")
        verbose_name_plural = _("arrivals")
        ordering = ["trial", "at"]
        constraints = [
            models.UniqueConstraint(name="arrival_one_per_label", fields=["trial", "label"])
        ]

    def __str__(self) -> str:
        return f"{self.participant_id} of {self.trial_id}"


class WithdrawnLabel(models.Model):
    """That a label withdrew, as a keyed hash: whose place it was is not told by it.

    Nobody may draw another arm by withdrawing and coming again.
    """

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="withdrawn_labels")
    digest = models.CharField(max_length=64)

    class Meta:
        verbose_name = _("label that withdrew")
        verbose_name_plural = _("labels that withdrew")
        constraints = [
            models.UniqueConstraint(
                name="withdrawn_label_one_per_digest", fields=["trial", "digest"]
            )
        ]

    def __str__(self) -> str:
        return f"a label of {self.trial_id}"


class ArrivalCount(models.Model):
    """How many came by the open link on a day, of whom nothing else is stored."""

    class Kind(models.TextChoices):
        OPENED = "opened", _("opened the link")
        DECLINED = "declined", _("did not agree")
        NO_PLACE = "no_place", _("found no place left")

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="arrival_counts")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    day = models.DateField()
    people = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name = _("count of arrivals")
        verbose_name_plural = _("counts of arrivals")
        constraints = [
            models.UniqueConstraint(
                name="arrival_count_one_per_day", fields=["trial", "kind", "day"]
            )
        ]

    def __str__(self) -> str:
        return f"{self.people} {self.kind} on {self.day}"
