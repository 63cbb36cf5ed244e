"""Positions for players to answer: in the drill, in Five a Day, and in lists that they saved."""

from collections.abc import Mapping

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from game.models.decision import Decision
from game.models.player import Player
from game.models.tokens import share_token
from solver.advice import Position
from solver.rules import MOST_DICE, PLAYED, YATZY, Action, Hold, Ruleset, Score, find_ruleset

POSITION = ("ruleset", "filled", "upper", "chips_won", "dice", "rolls_left", "needed", "stock")


class AskedPosition(models.Model):
    """The columns that identify a position. ``needed`` is set if the question is about winning."""

    ruleset = models.CharField(max_length=32, default=YATZY.id)
    filled = models.PositiveIntegerField(help_text=_("The filled boxes, as a bit mask."))
    upper = models.PositiveSmallIntegerField(help_text=_("Points in the upper boxes."))
    chips_won = models.BooleanField(default=False)
    dice = models.CharField(max_length=MOST_DICE, help_text=_("The faces of the dice, sorted."))
    rolls_left = models.PositiveSmallIntegerField()
    needed = models.PositiveSmallIntegerField(
        default=0, help_text=_("Points needed to win; 0 if the question is about points.")
    )
    stock = models.PositiveSmallIntegerField(default=0, help_text=_("Rolls saved in earlier turns"))

    class Meta:
        abstract = True

    @property
    def rules(self) -> Ruleset:
        return find_ruleset(self.ruleset, PLAYED)

    @property
    def position(self) -> Position:
        dice = tuple(map(int, self.dice))
        facts = (self.filled, self.upper, dice, self.rolls_left, self.chips_won, self.stock)
        return Position(self.rules, *facts)


class DrillCard(AskedPosition):
    """A position that a player learns, and the time at which the drill repeats it. ``decision`` is
    the player's own mistake in this position, or None for a position that all players get."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="drill_cards")
    decision = models.ForeignKey(
        Decision, on_delete=models.SET_NULL, null=True, related_name="drill_cards"
    )
    created_at = models.DateTimeField()
    due = models.DateTimeField()
    interval = models.PositiveSmallIntegerField(
        default=0,
        help_text=_("Days until the next repeat; 0 before the first correct answer."),
    )
    streak = models.PositiveSmallIntegerField(
        default=0, help_text=_("Number of correct answers in a row.")
    )
    lapses = models.PositiveSmallIntegerField(
        default=0, help_text=_("Number of times the player forgot the position.")
    )

    class Meta:
        verbose_name = _("drill card")
        verbose_name_plural = _("drill cards")
        constraints = [
            models.UniqueConstraint(
                name="drill_one_card_per_position", fields=["player", *POSITION]
            ),
            models.CheckConstraint(name="drill_rolls_left", condition=Q(rolls_left__lte=2)),
        ]
        indexes = [models.Index(name="drill_due_of_player", fields=["player", "due"])]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.dice}, {self.rolls_left} left"


class DrillAttempt(models.Model):
    """A player's answer in the drill: a box, or dice to hold from the sorted roll."""

    card = models.ForeignKey(DrillCard, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveSmallIntegerField(
        help_text=_("Number of the player's earlier attempts at this position.")
    )
    hold = models.PositiveSmallIntegerField(
        null=True, help_text=_("The places of the held dice, as a bit mask.")
    )
    category = models.CharField(max_length=32, blank=True, default="")
    regret = models.FloatField(help_text=_("Cost of the answer, in points."))
    took = models.PositiveIntegerField(
        null=True, help_text=_("Time in milliseconds, as the browser reported it.")
    )
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("drill attempt")
        verbose_name_plural = _("drill attempts")
        ordering = ["created_at", "pk"]
        constraints = [
            models.UniqueConstraint(name="drill_one_attempt_per_number", fields=["card", "number"]),
            models.CheckConstraint(
                name="drill_hold_or_category",
                condition=Q(hold__isnull=False, hold__lt=1 << MOST_DICE, category="")
                | (Q(hold__isnull=True) & ~Q(category="")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.card_id} {self.number}: {self.action}"

    @property
    def action(self) -> Action:
        return Score(self.category) if self.hold is None else Hold(self.hold)


def make_position_fields(position: Position, needed: int = 0) -> Mapping[str, str | int | bool]:
    return {
        "ruleset": position.rules.id,
        "filled": position.filled,
        "upper": position.upper,
        "chips_won": position.chips_won,
        "dice": "".join(map(str, position.dice)),
        "rolls_left": position.rolls_left,
        "needed": needed,
        "stock": position.stock,
    }


FIVE = 5


class FiveAnswer(models.Model):
    """A player's answer to one of the day's five positions, which all players get."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="five_answers")
    ruleset = models.CharField(max_length=32)
    day = models.DateField(help_text=_("The day of these positions, in UTC."))
    place = models.PositiveSmallIntegerField(
        help_text=_("Number of the position among the day's positions, counted from 1.")
    )
    key = models.CharField(max_length=64, help_text=_("Key of the position in the pool."))
    hold = models.PositiveSmallIntegerField(
        null=True, help_text=_("The places of the held dice, as a bit mask.")
    )
    category = models.CharField(max_length=32, blank=True, default="")
    regret = models.FloatField(help_text=_("Cost of the answer, in points."))
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("five-a-day answer")
        verbose_name_plural = _("five-a-day answers")
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


LONGEST_LIST_NAME = 40
MOST_KEPT = 100  # positions per list
MOST_LISTS = 20  # lists per player


class PositionList(models.Model):
    """A player's list of saved positions; anyone with its link can see and answer them."""

    token = models.CharField(max_length=16, unique=True, default=share_token, editable=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="position_lists")
    name = models.CharField(max_length=LONGEST_LIST_NAME)
    used_at = models.DateTimeField(help_text=_("Time when a position was last saved in the list."))

    class Meta:
        verbose_name = _("list of positions")
        verbose_name_plural = _("lists of positions")
        ordering = ["-used_at", "-pk"]

    def __str__(self) -> str:
        return self.name


class KeptPosition(AskedPosition):
    kept_in = models.ForeignKey(PositionList, on_delete=models.CASCADE, related_name="positions")

    class Meta:
        verbose_name = _("kept position")
        verbose_name_plural = _("kept positions")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(name="kept_once_in_a_list", fields=["kept_in", *POSITION])
        ]

    def __str__(self) -> str:
        return f"{self.kept_in_id}: {self.dice}, {self.rolls_left} left"
