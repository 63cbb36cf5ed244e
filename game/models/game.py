from typing import Any

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from game.models.player import Coach, Player
from game.models.tokens import game_id, share_token
from solver.rules import PLAYED, YATZY, Ruleset


def mode_choices() -> Any:
    """Return the modes of the field. Because this is a function, new modes need no migration."""
    return Game.Mode.choices


class Game(models.Model):
    """A game: its rules and the secret seed of its dice. Decisions are rows of another table."""

    class Mode(models.TextChoices):
        SOLO = "solo", _("Solo game")
        DAILY = "daily", _("Daily game")
        REMATCH = "rematch", _("Rematch on the same dice")
        TRIAL = "trial", _("Trial game")
        LAB = "lab", _("Same dice as lab players")
        DUEL = "duel", _("Duel")
        PARTY = "party", _("On one device")
        IMPORT = "import", _("Imported game")
        OFFLINE = "offline", _("Played offline")

    Coach = Coach

    id = models.CharField(max_length=12, primary_key=True, default=game_id, editable=False)
    share_token = models.CharField(max_length=16, unique=True, default=share_token, editable=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="games")
    ruleset = models.CharField(max_length=32, default=YATZY.id)
    mode = models.CharField(max_length=8, choices=mode_choices, default=Mode.SOLO)
    coach = models.CharField(max_length=8, choices=Coach.choices, default=Coach.OFF)
    coach_threshold = models.FloatField(
        default=1.0, help_text=_("The coach asks before moves that cost at least this many points.")
    )
    seed = models.CharField(max_length=64, blank=True, editable=False)
    commitment = models.CharField(max_length=64, blank=True, editable=False)
    # The parts of the seed; empty in older games, daily games and trial games.
    key = models.CharField(max_length=64, blank=True, default="", editable=False)
    added = models.TextField(blank=True, default="", editable=False)
    nonce = models.CharField(max_length=32, blank=True, default="", editable=False)
    day = models.DateField(null=True, blank=True, help_text=_("The day of these dice, in UTC."))
    rematch_of = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="rematches"
    )
    real_dice = models.BooleanField(
        default=False, help_text=_("The player rolls real dice and types them in.")
    )
    lab_seed = models.PositiveBigIntegerField(
        null=True, blank=True, help_text=_("Seed of the lab's dice, which anyone can calculate.")
    )
    lab_number = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text=_("Number of the lab's game with these dice, from 1.")
    )
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    abandoned_at = models.DateTimeField(null=True, blank=True)
    final_score = models.PositiveSmallIntegerField(null=True, blank=True)
    bonus = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text=_("Points of the upper bonus, included in the final score."),
    )
    regret = models.FloatField(
        null=True,
        blank=True,
        help_text=_("Points lost in the decisions of a finished game."),
    )
    luck = models.FloatField(
        null=True,
        blank=True,
        help_text=_("Total luck of the rolls of a finished game, in points."),
    )
    free_decisions = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text=_("Number of judged decisions with more than one option.")
    )
    chips = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text=_("Points of the bonus chips, included in the final score."),
    )
    target = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text=_("The final score that the player tries to reach.")
    )
    unranked = models.BooleanField(
        default=False,
        help_text=_("True if the player may have seen the dice before, or finished late."),
    )
    among_guests = models.BooleanField(
        default=False,
        help_text=_("True if the daily game is ranked only among guests and new accounts."),
    )
    hints = models.PositiveSmallIntegerField(
        default=0, help_text=_("Number of hints that the player asked for.")
    )
    hinted_moves = models.JSONField(
        default=list, help_text=_("Numbers of the moves with a hint, counted from 0.")
    )
    hinted = models.PositiveSmallIntegerField(
        default=0, help_text=_("Number of unforced moves with a hint in a finished game.")
    )
    hinted_regret = models.FloatField(
        default=0.0,
        help_text=_("Points lost in unforced moves with a hint, in a finished game."),
    )

    class Meta:
        verbose_name = _("game")
        verbose_name_plural = _("games")
        constraints = [
            models.CheckConstraint(
                name="game_score_when_finished",
                condition=Q(finished_at__isnull=True, final_score__isnull=True, bonus__isnull=True)
                | Q(finished_at__isnull=False, final_score__isnull=False, bonus__isnull=False),
            ),
            models.CheckConstraint(
                name="game_finished_or_abandoned",
                condition=Q(finished_at__isnull=True) | Q(abandoned_at__isnull=True),
            ),
            models.CheckConstraint(
                name="game_daily_has_day",
                condition=~Q(mode="daily", day__isnull=True) & ~Q(mode="solo", day__isnull=False),
            ),
            models.CheckConstraint(
                name="game_of_the_lab_has_its_dice",
                condition=Q(mode="lab", lab_seed__isnull=False, lab_number__isnull=False)
                | (~Q(mode="lab") & Q(lab_seed__isnull=True, lab_number__isnull=True)),
            ),
            models.CheckConstraint(
                name="game_has_dice",
                condition=Q(real_dice=True, seed="")
                | Q(mode="lab", seed="")
                | (Q(real_dice=False) & ~Q(mode="lab") & ~Q(seed="")),
            ),
            models.CheckConstraint(
                name="game_added_to_has_a_key", condition=Q(added="") | ~Q(key="")
            ),
            models.UniqueConstraint(
                name="game_one_per_nonce", fields=["nonce"], condition=~Q(nonce="")
            ),
            models.UniqueConstraint(
                name="game_one_daily_per_player",
                fields=["player", "day", "ruleset"],
                condition=Q(mode="daily"),
            ),
        ]
        indexes = [
            models.Index(name="game_of_player", fields=["player", "-started_at"]),
            models.Index(
                name="game_over_of_player",
                fields=["player", "-finished_at"],
                condition=Q(finished_at__isnull=False),
            ),
            models.Index(
                name="game_of_day",
                fields=["day", "ruleset", "-final_score"],
                condition=Q(mode="daily"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.mode} game {self.id}"

    @property
    def over(self) -> bool:
        return self.finished_at is not None or self.abandoned_at is not None

    @property
    def rules(self) -> Ruleset:
        return PLAYED[self.ruleset]


class DayChain(models.Model):
    """The end of the hash chain that gives the dice of each day (``game.core.fair.chain``). The
    single row never changes: with the published anchor, everyone could detect a change."""

    end = models.CharField(max_length=64, editable=False)
    first = models.DateField(editable=False)

    def __str__(self) -> str:
        return f"chain of days from {self.first}"


class SpentTicket(models.Model):
    """A hash of a deleted game's nonce, so that the game's one-time token starts no other game."""

    digest = models.CharField(max_length=64, primary_key=True, editable=False)
    expires_at = models.DateTimeField(db_index=True, editable=False)

    def __str__(self) -> str:
        return f"ticket {self.digest[:8]}"
