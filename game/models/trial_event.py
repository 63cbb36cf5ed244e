"""What happened in a trial and when, beside the games: a log that only grows.

Of a participant who withdraws nothing stays, here as elsewhere.
"""

from django.db import models

from game.models.trial import Participant, Trial


class TrialEvent(models.Model):
    """Of one participant, or of the trial as a whole."""

    class Kind(models.TextChoices):
        OPENED = "opened", "opened"
        CLOSED = "closed", "closed"
        REOPENED = "reopened", "opened again"
        SETTINGS = "settings", "settings changed"
        PREREGISTERED = "preregistered", "preregistration locked"
        UNMASKED = "unmasked", "unmasked"
        LOOKED = "looked", "a planned look at the comparison"
        ROLE_GIVEN = "role_given", "somebody was given a role"
        ROLE_TAKEN = "role_taken", "a role ended"
        SUPERUSER = "superuser", "sent by a superuser who has no such role"
        ENTERED = "entered", "began in a browser"
        LEFT = "left", "left the device"
        RETURNED = "returned", "came back to it"
        DEVICE = "device", "went on in another browser"
        ARRIVED = "arrived", "came again with other labels"
        SHARED = "shared", "browser shared with another participant"
        CODE_REFUSED = "code_refused", "a wrong code was typed"
        TAKEN_BACK = "taken_back", "took the withdrawal back"
        HIDDEN = "hidden", "page hidden"
        SHOWN = "shown", "page shown"
        REVIEWED = "reviewed", "saw what a game was worth"
        LINK_REVOKED = "link_revoked", "link revoked"
        LINK_ISSUED = "link_issued", "new link issued"

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="events")
    participant = models.ForeignKey(
        Participant, on_delete=models.CASCADE, null=True, blank=True, related_name="events"
    )
    # Its choices are not the column's: a further kind of event changes no table.
    kind = models.CharField(max_length=24)
    at = models.DateTimeField()
    detail = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name = "event of a trial"
        verbose_name_plural = "events of trials"
        ordering = ["at", "pk"]
        indexes = [models.Index(fields=["trial", "at"], name="trial_event_of_trial")]

    def __str__(self) -> str:
        return f"{self.trial_id} {self.kind}"
