"""A duel: several people or bots play on the same dice.

The number of the turn is not stored, because it follows from the players' games.
"""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from game.models.game import Game
from game.models.player import Player
from game.models.tokens import share_token
from solver.rules import PLAYED, Ruleset, find_ruleset

FEWEST_SEATS, MOST_SEATS = 2, 6
MOST_ADDED = 64  # characters of a player's text for the seed


class Duel(models.Model):
    """A duel. It is open until it has all players; then all get a game on the same dice."""

    token = models.CharField(max_length=16, unique=True, default=share_token, editable=False)
    ruleset = models.CharField(max_length=32)
    # At the start, the server makes the seed from its key and the players' texts (``added``).
    seed = models.CharField(max_length=64, blank=True, default="", editable=False)
    key = models.CharField(max_length=64, blank=True, default="", editable=False)
    commitment = models.CharField(max_length=64, editable=False)
    listed = models.BooleanField(
        default=False, help_text=_("If true, anyone may join; if false, only people with the link.")
    )
    minutes = models.PositiveSmallIntegerField(
        default=0, help_text=_("Minutes per person for the whole game; 0 without a clock.")
    )
    days = models.PositiveSmallIntegerField(
        default=3,
        help_text=_(
            "Days per move if the duel has no clock. After that, the other players may go on "
            "without the late player."
        ),
    )
    lockstep = models.BooleanField(
        default=True,
        help_text=_("The server rolls the dice only when all people have chosen what to hold."),
    )
    rematch_of = models.OneToOneField(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="rematch"
    )
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("duel")
        verbose_name_plural = _("duels")
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                name="duel_ends_after_it_began",
                condition=Q(finished_at__isnull=True) | Q(started_at__isnull=False),
            ),
            models.CheckConstraint(
                name="duel_called_off_has_no_end",
                condition=Q(withdrawn_at__isnull=True) | Q(finished_at__isnull=True),
            ),
        ]
        indexes = [
            models.Index(
                name="duel_open",
                fields=["-created_at"],
                condition=Q(listed=True, started_at__isnull=True, withdrawn_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"duel {self.token}"

    @property
    def rules(self) -> Ruleset:
        return find_ruleset(self.ruleset, PLAYED)

    @property
    def state(self) -> str:
        if self.withdrawn_at is not None:
            return "withdrawn"
        if self.started_at is None:
            return "open"
        return "running" if self.finished_at is None else "finished"


class DuelSeat(models.Model):
    """A player's part in a duel, free until a player joins. Its game begins with the duel."""

    class Exit(models.TextChoices):
        GAVE_UP = "gave up", _("Gave up")
        TIME = "time", _("Ran out of time")
        OFF = "off", _("Called off the duel")

    class Greeting(models.TextChoices):
        LUCK = "luck", _("Good luck")
        MOVE = "move", _("Nice move")
        PLAYED = "played", _("Well played")
        THANKS = "thanks", _("Thanks for the game")

    duel = models.ForeignKey(Duel, on_delete=models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField(
        validators=[MinValueValidator(1), MaxValueValidator(MOST_SEATS)]
    )
    player = models.ForeignKey(
        Player, on_delete=models.SET_NULL, null=True, blank=True, related_name="seats"
    )
    game = models.OneToOneField(
        Game, on_delete=models.SET_NULL, null=True, blank=True, related_name="seat"
    )
    added = models.CharField(max_length=MOST_ADDED, blank=True, default="", editable=False)
    left_at = models.DateTimeField(null=True, blank=True)
    exit = models.CharField(max_length=8, choices=Exit.choices, blank=True, default="")
    greeting = models.CharField(max_length=8, choices=Greeting.choices, blank=True, default="")

    class Meta:
        verbose_name = _("seat")
        verbose_name_plural = _("seats")
        ordering = ["duel", "number"]
        constraints = [
            models.UniqueConstraint(name="seat_one_per_number", fields=["duel", "number"]),
            models.UniqueConstraint(name="seat_one_per_player", fields=["duel", "player"]),
            models.CheckConstraint(
                name="seat_number_at_the_table", condition=Q(number__gte=1, number__lte=MOST_SEATS)
            ),
            models.CheckConstraint(
                name="seat_left_has_a_reason",
                condition=Q(left_at__isnull=True, exit="")
                | (Q(left_at__isnull=False) & ~Q(exit="")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.duel_id} seat {self.number}"
