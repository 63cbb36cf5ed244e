"""The decisions of a game, and real dice that a player typed."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from game.models.game import Game
from solver.rules import MOST_BOXES, MOST_DICE, MOST_THROWS, Action, Hold, Score

# The most rolls in a turn: the turn's own rolls, and all saved rolls of earlier turns.
LONGEST_TURN = MOST_THROWS + (MOST_BOXES - 1) * (MOST_THROWS - 1)
LONGEST = 2**31 - 1  # milliseconds (24 days); the column stores no higher number


class Decision(models.Model):
    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="decisions")
    seq = models.PositiveSmallIntegerField()
    turn = models.PositiveSmallIntegerField(
        help_text=_("Number of turns finished before this decision.")
    )
    roll = models.PositiveSmallIntegerField(
        help_text=_("Number of rolls in this turn before this decision.")
    )
    hold = models.PositiveSmallIntegerField(
        null=True, help_text=_("The places of the held dice, as a bit mask.")
    )
    category = models.CharField(max_length=32, blank=True, default="")
    milliseconds = models.PositiveIntegerField(
        default=0, help_text=_("Time since the previous decision, by the server's clock.")
    )
    client_milliseconds = models.PositiveIntegerField(
        null=True,
        help_text=_(
            "Time since the page offered the decision, as the browser reported it (trials only)."
        ),
    )
    created_at = models.DateTimeField()
    # The solver's values. They are null for a turn's first roll, which is no decision, and if there
    # was no value table.
    best = models.FloatField(null=True, help_text=_("Value of the best hold or box."))
    value = models.FloatField(null=True, help_text=_("Value of the chosen hold or box."))
    regret = models.FloatField(null=True, help_text=_("Cost of the move, in points."))
    luck = models.FloatField(
        null=True, help_text=_("Luck of the roll before this decision, in points.")
    )
    forced = models.BooleanField(default=False, help_text=_("True if there was nothing to choose."))

    class Meta:
        verbose_name = _("decision")
        verbose_name_plural = _("decisions")
        ordering = ["game", "seq"]
        constraints = [
            models.UniqueConstraint(name="decision_one_per_seq", fields=["game", "seq"]),
            models.UniqueConstraint(
                name="decision_one_per_box", fields=["game", "category"], condition=~Q(category="")
            ),
            models.CheckConstraint(
                name="decision_hold_or_category",
                condition=Q(hold__isnull=False, category="")
                | (Q(hold__isnull=True) & ~Q(category="")),
            ),
            models.CheckConstraint(
                name="decision_hold_is_a_mask",
                condition=Q(hold__isnull=True) | Q(hold__lt=1 << MOST_DICE),
            ),
            models.CheckConstraint(name="decision_turn_on_card", condition=Q(turn__lt=MOST_BOXES)),
            models.CheckConstraint(
                name="decision_roll_in_turn", condition=Q(roll__lte=LONGEST_TURN)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.game_id} {self.seq}: {self.action}"

    @property
    def action(self) -> Action:
        return Score(self.category) if self.hold is None else Hold(self.hold)


class Throw(models.Model):
    """A roll of real dice, as a player typed it. A correction adds a row; the last row counts."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="throws")
    seq = models.PositiveSmallIntegerField(help_text=_("Number of the decision before this roll."))
    number = models.PositiveSmallIntegerField(
        help_text=_("Number of corrections before this entry.")
    )
    faces = models.CharField(
        max_length=MOST_DICE, help_text=_("The faces of the dice, in the order of their places.")
    )
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("throw")
        verbose_name_plural = _("throws")
        ordering = ["game", "seq", "number"]
        constraints = [
            models.UniqueConstraint(name="throw_one_per_entry", fields=["game", "seq", "number"])
        ]

    def __str__(self) -> str:
        return f"{self.game_id} {self.seq}: {self.faces}"

    @property
    def dice(self) -> tuple[int, ...]:
        return tuple(map(int, self.faces))
