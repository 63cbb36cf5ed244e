"""What happened in a trial and when, beside the games: a log that only grows.

Of a participant who withdraws nothing stays, here as elsewhere.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from game.models.trial import Participant, Trial


class TrialEvent(models.Model):
    """Of one participant, or of the trial as a whole."""

    class Kind(models.TextChoices):
        OPENED = "opened", _("opened")
        CLOSED = "closed", _("closed")
        REOPENED = "reopened", _("opened again")
        SETTINGS = "settings", _("settings changed")
        PREREGISTERED = "preregistered", _("preregistration locked")
        UNMASKED = "unmasked", _("unmasked")
        LOOKED = "looked", _("a planned look at the comparison")
        ROLE_GIVEN = "role_given", _("somebody was given a role")
        ROLE_TAKEN = "role_taken", _("a role ended")
        SUPERUSER = "superuser", _("sent by a superuser who has no such role")
        ENTERED = "entered", _("began in a browser")
        LEFT = "left", _("left the device")
        RETURNED = "returned", _("came back to it")
        DEVICE = "device", _("went on in another browser")
        ARRIVED = "arrived", _("came again with other labels")
        SHARED = "shared", _("browser shared with another participant")
        CODE_REFUSED = "code_refused", _("a wrong code was typed")
        TAKEN_BACK = "taken_back", _("took the withdrawal back")
        HIDDEN = "hidden", _("page hidden")
        SHOWN = "shown", _("page shown")
        REVIEWED = "reviewed", _("saw what a game was worth")
        LINK_REVOKED = "link_revoked", _("link revoked")
        LINK_ISSUED = "link_issued", _("new link issued")

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="events")
    participant = models.ForeignKey(
        Participant, on_delete=models.CASCADE, null=True, blank=True, related_name="events"
    )
    # Its choices are not the column's: a further kind of event changes no table.
    kind = models.CharField(max_length=24)
    at = models.DateTimeField()
    detail = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name = _("event of a trial")
        verbose_name_plural = _("events of trials")
        ordering = ["at", "pk"]
        indexes = [models.Index(fields=["trial", "at"], name="trial_event_of_trial")]

    def __str__(self) -> str:
        return f"{self.trial_id} {self.kind}"
