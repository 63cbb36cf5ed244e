from datetime import date

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from game.models.tokens import player_code
from solver.rules import PLAYED, YATZY, Ruleset

NICKNAME = 20  # characters


class Coach(models.TextChoices):
    OFF = "off", _("Off")
    AFTER = "after", _("After each move")
    ALERT = "alert", _("Warn me, without showing the better move")
    BEFORE = "before", _("Before costly moves")
    LIVE = "live", _("Live values, while I choose")
    HINT = "hint", _("Only hints, when I ask")


# The coach settings that a player can choose. ``HINT`` is only for arms of a trial.
WISHES = [(value, label) for value, label in Coach.choices if value != Coach.HINT]


class Player(models.Model):
    """A player: a guest with a signed cookie, the owner of an account, or a bot."""

    class Theme(models.TextChoices):
        AUTO = "auto", _("Same as the device")
        LIGHT = "light", _("Light")
        DARK = "dark", _("Dark")

    class ReadOut(models.TextChoices):
        ALL = "all", _("Everything")
        RESULTS = "results", _("Dice and results")
        ANSWERS = "answers", _("Only messages that need an answer")

    code = models.CharField(max_length=16, unique=True, default=player_code, editable=False)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="player",
    )
    bot = models.CharField(
        max_length=32,
        blank=True,
        default="",
        editable=False,
        help_text=_("ID of the lab player; empty for a person."),
    )
    confirm_costly = models.BooleanField(
        _("ask me before I put 0 in a box when another box would score"), default=True
    )
    confirm_boxes = models.BooleanField(_("ask me before I fill a box"), default=False)
    sound = models.BooleanField(_("sounds"), default=False)
    vibration = models.BooleanField(_("vibration, if the device can vibrate"), default=False)
    greetings = models.BooleanField(_("greetings in duels"), default=True)
    read_out = models.CharField(max_length=8, choices=ReadOut.choices, default=ReadOut.ALL)
    ruleset = models.CharField(_("rules of new games"), max_length=32, default=YATZY.id)
    coach = models.CharField(
        _("coach in new games"), max_length=8, choices=WISHES, default=Coach.AFTER
    )
    coach_threshold = models.FloatField(
        _("the coach asks before moves that cost at least this many points"),
        default=1.0,
        validators=[MinValueValidator(0.1), MaxValueValidator(5.0)],
    )
    language = models.CharField(_("language"), max_length=10, blank=True, default="")
    theme = models.CharField(_("colours"), max_length=5, choices=Theme.choices, default=Theme.AUTO)
    nickname = models.CharField(_("nickname"), max_length=NICKNAME, blank=True, default="")
    nickname_key = models.CharField(
        max_length=2 * NICKNAME, blank=True, default="", editable=False
    )  # two nicknames with the same key count as equal
    nickname_barred = models.BooleanField(
        default=False, help_text=_("Staff removed the nickname. The player may not choose another.")
    )
    in_duels = models.BooleanField(default=False, editable=False)  # set by `duels/duel_ends.py`
    recovery = models.CharField(
        max_length=128,
        blank=True,
        default="",
        editable=False,
        help_text=_("Hash of the recovery code, stored like a password."),
    )
    dice_seen = models.CharField(
        max_length=200,
        blank=True,
        default="",
        editable=False,
        help_text=_("A day, and the rulesets whose dice the player saw in another player's game."),
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("player")
        verbose_name_plural = _("players")
        constraints = [
            models.UniqueConstraint(
                name="player_one_per_bot", fields=["bot"], condition=~Q(bot="")
            ),
            models.UniqueConstraint(
                fields=["nickname_key"],
                name="player_one_of_a_nickname",
                condition=~Q(nickname_key=""),
            ),
        ]

    def __str__(self) -> str:
        if self.bot:
            return self.bot
        return self.user.get_username() if self.user else f"guest {self.code[:4]}"

    @property
    def days_seen(self) -> list[tuple[date, str]]:
        seen, *rulesets = self.dice_seen.split() or [""]
        return [(date.fromisoformat(seen), ruleset) for ruleset in rulesets]

    def has_seen(self, day: date, ruleset: str) -> bool:
        """Return whether the player saw this day's dice. Only the latest day is stored."""
        return (day, ruleset) in self.days_seen

    def see(self, day: date, ruleset: str) -> None:
        """Record that the player has seen a day's dice, without saving the player."""
        seen = [ruleset for seen_on, ruleset in self.days_seen if seen_on == day]
        later = any(seen_on > day for seen_on, _ruleset in self.days_seen)
        if not later and ruleset not in seen:
            self.dice_seen = " ".join((day.isoformat(), *seen, ruleset))

    @property
    def rules(self) -> Ruleset:
        return PLAYED[self.ruleset]


class Reminder(models.Model):
    """A device that gets a push message when it is its player's turn. The server sends it at the
    second check that finds the turn waiting, because the player may be playing at the first."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="reminders")
    endpoint = models.URLField(max_length=500, unique=True)
    site = models.URLField(help_text=_("The site where the player asked for the reminder."))
    seen = models.TextField(blank=True, default="")  # the turns that were waiting at the last check
    told = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("reminder")
        verbose_name_plural = _("reminders")
        ordering = ["created_at", "pk"]

    def __str__(self) -> str:
        return f"reminder of {self.player_id}"
