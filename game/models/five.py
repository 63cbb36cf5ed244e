from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from game.models.player import Player
from solver.rules import MOST_DICE, PLAYED, Action, Hold, Ruleset, Score, find_ruleset

FIVE = 5


class FiveAnswer(models.Model):
    """What a player would do in one of the day's five positions, which are the same for all."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="five_answers")
    ruleset = models.CharField(max_length=32)
    day = models.DateField(help_text=_("The day whose positions these are, in UTC."))
    place = models.PositiveSmallIntegerField(help_text=_("Which of the day's, from 1."))
    key = models.CharField(max_length=64, help_text=_("The position, as the pool names it."))
    hold = models.PositiveSmallIntegerField(null=True, help_text=_("Slots kept, as a bit mask."))
    category = models.CharField(max_length=32, blank=True, default="")
    regret = models.FloatField(help_text=_("Points that the choice would cost."))
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("answer of five a day")
        verbose_name_plural = _("answers of five a day")
        ordering = ["day", "place"]
        constraints = [
            models.UniqueConstraint(
                name="five_one_answer_per_place", fields=["player", "ruleset", "day", "place"]
            ),
            models.CheckConstraint(name="five_place", condition=Q(place__gte=1, place__lte=FIVE)),
            models.CheckConstraint(
                name="five_hold_or_category",
                condition=Q(hold__isnull=False, hold__lt=1 << MOST_DICE, category="")
                | (Q(hold__isnull=True) & ~Q(category="")),
            ),
        ]
        indexes = [models.Index(name="five_of_day", fields=["ruleset", "day"])]

    def __str__(self) -> str:
        return f"{self.player_id} {self.day} {self.place}: {self.action}"

    @property
    def rules(self) -> Ruleset:
        return find_ruleset(self.ruleset, PLAYED)

    @property
    def action(self) -> Action:
        return Score(self.category) if self.hold is None else Hold(self.hold)
