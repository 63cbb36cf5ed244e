"""A group of a trial: what those do who are assigned to it."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from game.models.player import Coach
from game.models.trial import MOST_GAMES, Trial


class Arm(models.Model):
    """What is left empty is as the trial says."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="arms")
    position = models.PositiveSmallIntegerField()  # among the arms of the trial, from 1
    name = models.SlugField(max_length=30)
    coach = models.CharField(max_length=8, choices=Coach.choices, default=Coach.OFF.value)
    offered_points = models.BooleanField(default=True)  # the card tells what the dice would score
    ruleset = models.CharField(max_length=32, blank=True, default="")
    dice = models.CharField(max_length=8, choices=Trial.Dice.choices, blank=True, default="")
    shared_dice = models.BooleanField(null=True, blank=True)
    games_each = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(MOST_GAMES)]
    )
    drill = models.BooleanField(default=False)  # open between the games of the training

    class Meta:
        verbose_name = "arm"
        verbose_name_plural = "arms"
        ordering = ["trial", "position"]
        constraints = [
            models.UniqueConstraint(name="arm_one_per_position", fields=["trial", "position"]),
            models.UniqueConstraint(name="arm_one_per_name", fields=["trial", "name"]),
            models.CheckConstraint(
                name="arm_real_dice_are_not_shared",
                condition=Q(shared_dice__isnull=True) | ~Q(dice="real", shared_dice=True),
            ),
        ]

    def __str__(self) -> str:
        return self.name
