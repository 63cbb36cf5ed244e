"""Who of the staff runs a trial, and how far."""

from django.conf import settings
from django.db import models

from game.models.trial import Trial


class TrialStaff(models.Model):
    """What somebody of the staff may do in a trial; each role may do what those before it may."""

    class Role(models.TextChoices):
        VIEW = "view", "sees its pages"
        RUN = "run", "runs it"
        OWN = "own", "owns it"

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="team")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="trial_roles"
    )
    role = models.CharField(max_length=8, choices=Role.choices)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "role in a trial"
        verbose_name_plural = "roles in trials"
        ordering = ["since", "pk"]
        constraints = [
            models.UniqueConstraint(name="trial_staff_one_role", fields=["trial", "user"])
        ]

    def __str__(self) -> str:
        return f"{self.trial_id} {self.user_id} {self.role}"
