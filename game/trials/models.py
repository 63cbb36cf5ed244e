"""The models of trials. The table names date from when trials were part of the app ``game``.

Codes identify participants. The database has no names or addresses, and only browser types.
External IDs, by which a panel pays people, are stored apart from all data for analysis, and can be
deleted separately. For people who do not agree, only the number per day is stored.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from unicodedata import category, normalize

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from game.models.game import Game
from game.models.player import Coach, Player
from game.models.tokens import join_token, participant_code
from solver.rules import PLAYED, YATZY, Ruleset, find_ruleset

MOST_PLACES = 5_000
MOST_GAMES = 1_000
MOST_DAYS = 1_000


def make_check(name: str, condition: Q) -> models.CheckConstraint:
    return models.CheckConstraint(name=name, condition=condition)


def make_unique(name: str, *fields: str) -> models.UniqueConstraint:
    return models.UniqueConstraint(name=name, fields=fields)


def match_nulls(*fields: str) -> Q:
    """Return the condition that all of these fields are null, or none of them."""
    empty, full = ({f"{name}__isnull": null for name in fields} for null in (True, False))
    return Q(**empty) | Q(**full)


class TrialRow(models.Model):
    """A row about a trial; only logs show its text."""

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self._meta.model_name} {self.pk}"


class Trial(models.Model):
    """A trial: the games that participants play, and the settings of these games."""

    class Dice(models.TextChoices):
        VIRTUAL = "virtual", "Virtual dice"
        REAL = "real", "Real dice, typed in after each roll"

    class Kind(models.TextChoices):
        BETWEEN = "between", "Each participant has one arm"
        WITHIN = "within", "Each participant plays every arm, in balanced orders"

    class Resume(models.TextChoices):
        ANYWHERE = "anywhere", "On any device, with the same link"
        ONE_BROWSER = "one", "Only in the browser in which they began"

    HOURS_AWAY = (2, 6, 12, 24, 48, 72, 168)
    RESUME = [
        *Resume.choices,
        *((str(n), f"On any device, if they are away for less than {n} hours") for n in HOURS_AWAY),
    ]

    slug = models.SlugField("short name for addresses", max_length=50, unique=True)
    title = models.CharField(max_length=120)
    places = models.PositiveSmallIntegerField("participants")
    games_each = models.PositiveSmallIntegerField("games per participant")
    ruleset = models.CharField("rules", max_length=32, default=YATZY.id)
    dice = models.CharField(max_length=8, choices=Dice.choices, default=Dice.VIRTUAL)
    shared_dice = models.BooleanField("the same dice for everyone, game by game", default=False)
    dice_places = models.CharField(
        "order in which real dice are typed in", max_length=8, default=""
    )  # a key of DICE_PLACES
    design = models.CharField(max_length=8, choices=Kind.choices, default=Kind.BETWEEN)
    games_before = models.PositiveSmallIntegerField(default=0)
    games_after = models.PositiveSmallIntegerField(default=0)
    games_follow_up = models.PositiveSmallIntegerField(default=0)
    follow_up_days = models.PositiveSmallIntegerField(default=0)
    # The format of the seal of the allocation list. Version 1 covered only the names of the arms.
    seal_version = models.PositiveSmallIntegerField(default=2)
    stratify_by = models.CharField(max_length=50, default="")  # the key of a question
    language = models.CharField(max_length=10, default="")
    questionnaire = models.BooleanField("ask about experience with the game", default=True)
    resume = models.CharField(
        "where interrupted participants continue",
        max_length=8,
        choices=RESUME,
        default=Resume.ANYWHERE,
    )
    round_table = models.BooleanField("participants take turns on one device", default=False)
    idle_minutes = models.PositiveSmallIntegerField(
        "minutes without a move until a participant counts as away", default=30
    )
    coach_closed = models.BooleanField(
        "close the coach for everyone on this site while the trial runs", default=False
    )
    expected_end = models.DateField("expected closing date", null=True)
    facts = models.JSONField(default=dict)  # see `trials/design/consent.py`
    # Texts by arm name and moment; see `trials/design/consent.py`.
    texts = models.JSONField("participant texts", default=dict)
    rehearsal = models.BooleanField(default=False)
    seed = models.CharField(max_length=64)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    unmasked_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "game_trial"
        ordering = ["-created_at"]
        constraints = [
            make_check("trial_real_dice_are_not_shared", ~Q(dice="real", shared_dice=True)),
            make_check(
                "trial_closes_after_it_opened",
                Q(closed_at__isnull=True) | Q(opened_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_open(self) -> bool:
        return self.opened_at is not None and self.closed_at is None

    @property
    def masked(self) -> bool:
        """True if the trial is blinded: the team sees only counts, and letters in place of arms."""
        return self.opened_at is not None and self.unmasked_at is None and not self.rehearsal

    @property
    def state(self) -> str:
        if self.opened_at is None:
            return "draft"
        return "open" if self.closed_at is None else "closed"

    @property
    def hours_away(self) -> int | None:
        """The hours of absence after which a participant cannot go on; None without a limit."""
        return int(self.resume) if self.resume.isdigit() else None

    @property
    def rules(self) -> Ruleset:
        return find_ruleset(self.ruleset, PLAYED)

    @property
    def games_planned(self) -> int:
        """The number of games of a participant whose arm does not change this number."""
        return self.games_before + self.games_each + self.games_after + self.games_follow_up

    @property
    def designed(self) -> bool:
        phases = self.games_before or self.games_after or self.games_follow_up
        return bool(phases) or self.arms.exists()

    @property
    def within(self) -> bool:
        return self.design == self.Kind.WITHIN

    @property
    def real_dice(self) -> bool:
        return self.dice == self.Dice.REAL


class Consent(TrialRow):
    """A version of the consent text. Every change of the text makes a new version."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="consents")
    version = models.PositiveSmallIntegerField()
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "game_consent"
        ordering = ["trial", "version"]
        constraints = [make_unique("consent_one_per_version", "trial", "version")]


class NoAnswer(models.TextChoices):
    """The reasons why a question has no answer. A question not yet reached has no reason."""

    DECLINED = "declined", _("I would rather not say")
    SKIPPED = "skipped", _("No answer")


class Participant(models.Model):
    """A place in a trial. A person takes it by consenting; ``player`` then plays its games."""

    class Experience(models.TextChoices):
        NEVER = "never", _("I have never played it")
        FEW = "few", _("A few games")
        CHILD = "child", _("Regularly as a child")
        NOW = "now", _("Regularly now")

    class LastPlayed(models.TextChoices):
        MONTH = "month", _("Within the last month")
        YEAR = "year", _("Within the last year")
        EARLIER = "earlier", _("Longer ago")
        NEVER = "never", _("Never")

    class Strategy(models.TextChoices):
        NO = "no", _("No")
        READ = "read", _("I have read about it")
        PROGRAM = "program", _("I have practised with a program that judges moves")

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="participants")
    number = models.PositiveSmallIntegerField()
    code = models.CharField(max_length=16, unique=True, default=participant_code)
    browser = models.CharField(max_length=16, default="")
    link = models.PositiveSmallIntegerField(default=0)
    link_revoked = models.BooleanField(default=False)
    device = models.CharField(max_length=16, default="")
    table = models.CharField(max_length=16, default="")
    player = models.OneToOneField(
        Player, on_delete=models.SET_NULL, null=True, related_name="participant"
    )
    consent = models.ForeignKey(Consent, on_delete=models.PROTECT, null=True, related_name="given")
    consented_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True)
    arm = models.ForeignKey(
        "trials.Arm", on_delete=models.RESTRICT, null=True, related_name="participants"
    )
    arm_order = models.CharField(max_length=100, default="")  # numbers of arms
    stratum = models.CharField(max_length=200, default="")
    draw = models.PositiveSmallIntegerField(null=True)  # allocation number, from 1
    assigned_at = models.DateTimeField(null=True)
    planned = models.PositiveSmallIntegerField(null=True)  # number of games in the arm
    experience = models.CharField(max_length=8, default="")
    last_played = models.CharField(max_length=8, default="")
    strategy = models.CharField(max_length=8, default="")
    seen_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)
    screened_out_at = models.DateTimeField(null=True)  # time of exclusion by an answer
    failed_check = models.BooleanField(default=False)  # true if an attention check was failed

    class Meta:
        db_table = "game_participant"
        ordering = ["trial", "number"]
        constraints = [
            make_unique("participant_one_per_number", "trial", "number"),
            make_check("participant_consent_has_a_time", match_nulls("consent", "consented_at")),
            make_check(
                "participant_withdrawn_keeps_no_games",
                Q(withdrawn_at__isnull=True) | Q(player__isnull=True),
            ),
            models.UniqueConstraint(
                name="participant_one_per_draw",
                fields=["trial", "stratum", "draw"],
                condition=Q(draw__isnull=False),
            ),
            make_check(
                "participant_arm_has_a_draw", match_nulls("arm", "draw", "assigned_at", "planned")
            ),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        if self.recruited:
            return f"R{self.number - MOST_PLACES:02}"
        return f"P{self.number:02}"

    @property
    def recruited(self) -> bool:
        """True if the participant joined by the open link; such participants have high numbers."""
        return self.number > MOST_PLACES

    @property
    def games_planned(self) -> int:
        return self.trial.games_planned if self.planned is None else self.planned

    @property
    def order(self) -> tuple[int, ...]:
        """The participant's arms in the order of play, counted from 0."""
        return tuple(int(position) - 1 for position in self.arm_order.split())


class Agreement(TrialRow):
    """A participant's agreement to one version of the consent text. Earlier agreements stay."""

    participant = models.ForeignKey(
        Participant, on_delete=models.CASCADE, related_name="agreements"
    )
    consent = models.ForeignKey(Consent, on_delete=models.PROTECT, related_name="agreements")
    at = models.DateTimeField()

    class Meta:
        db_table = "game_agreement"
        ordering = ["participant", "at"]
        constraints = [make_unique("agreement_one_per_version", "participant", "consent")]


class TrialEvent(TrialRow):
    class Kind(models.TextChoices):
        OPENED = "opened", "opened"
        CLOSED = "closed", "closed"
        REOPENED = "reopened", "opened again"
        SETTINGS = "settings", "settings changed"
        PREREGISTERED = "preregistered", "preregistration locked"
        UNMASKED = "unmasked", "unblinded"
        LOOKED = "looked", "interim analysis"
        ROLE_GIVEN = "role_given", "role given"
        ROLE_TAKEN = "role_taken", "role ended"
        SUPERUSER = "superuser", "action of a superuser without the role"
        SAME_LABEL = "same_label", "participants with the same external ID, written differently"
        ENTERED = "entered", "began in a browser"
        LEFT = "left", "left the device"
        RETURNED = "returned", "came back to the device"
        DEVICE = "device", "went on in another browser"
        ARRIVED = "arrived", "came again with other external IDs"
        SHARED = "shared", "browser shared with another participant"
        CODE_REFUSED = "code_refused", "wrong participant code typed"
        TAKEN_BACK = "taken_back", "took the withdrawal back"
        HIDDEN = "hidden", "page hidden"
        SHOWN = "shown", "page shown"
        REVIEWED = "reviewed", "saw the review of a game"
        LINK_REVOKED = "link_revoked", "link revoked"
        LINK_ISSUED = "link_issued", "new link issued"
        FORGOTTEN = "forgotten", "codes, links and free texts deleted"

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="events")
    participant = models.ForeignKey(
        Participant, on_delete=models.CASCADE, null=True, related_name="events"
    )
    # The column lists no choices, so that a new kind of event needs no migration.
    kind = models.CharField(max_length=24)
    at = models.DateTimeField()
    detail = models.JSONField(default=dict)

    class Meta:
        db_table = "game_trialevent"
        ordering = ["at", "pk"]
        indexes = [models.Index(fields=["trial", "at"], name="trial_event_of_trial")]


class TrialStaff(TrialRow):
    """The role of a staff user in a trial. It includes the rights of the roles listed before it."""

    class Role(models.TextChoices):
        VIEW = "view", "sees the trial"
        RUN = "run", "runs the trial"
        OWN = "own", "owns the trial"

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="team")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="trial_roles"
    )
    role = models.CharField(max_length=8, choices=Role.choices)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "game_trialstaff"
        ordering = ["since", "pk"]
        constraints = [make_unique("trial_staff_one_role", "trial", "user")]


class Arm(TrialRow):
    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="arms")
    position = models.PositiveSmallIntegerField()  # the arm's number in the trial, from 1
    name = models.SlugField(max_length=30)
    coach = models.CharField(max_length=8, choices=Coach.choices, default=Coach.OFF.value)
    offered_points = models.BooleanField(default=True)  # true if cards show a roll's scores
    ruleset = models.CharField(max_length=32, default="")
    dice = models.CharField(max_length=8, choices=Trial.Dice.choices, default="")
    shared_dice = models.BooleanField(null=True)
    games_each = models.PositiveSmallIntegerField(null=True)
    drill = models.BooleanField(default=False)  # true if the drill is open between training games

    class Meta:
        db_table = "game_arm"
        ordering = ["trial", "position"]
        constraints = [
            make_unique("arm_one_per_position", "trial", "position"),
            make_unique("arm_one_per_name", "trial", "name"),
            make_check(
                "arm_real_dice_are_not_shared",
                Q(shared_dice__isnull=True) | ~Q(dice="real", shared_dice=True),
            ),
        ]


class TrialGame(TrialRow):
    """The place of a game in a trial: its participant, its arm and its phase."""

    class Phase(models.TextChoices):
        BEFORE = "before", "Baseline"
        TRAINING = "training", "Training"
        AFTER = "after", "Post-test"
        FOLLOW_UP = "follow_up", "Follow-up"

    game = models.OneToOneField(
        Game, on_delete=models.CASCADE, primary_key=True, related_name="trial_game"
    )
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="games")
    number = models.PositiveSmallIntegerField()  # number among the participant's games, from 1
    arm = models.ForeignKey(Arm, on_delete=models.RESTRICT, null=True, related_name="games")
    phase = models.CharField(max_length=10, default="")

    class Meta:
        db_table = "game_trialgame"
        constraints = [
            make_unique("trial_game_one_per_number", "participant", "number"),
            make_check(
                "trial_game_phase_is_known",
                Q(phase__in=["", "before", "training", "after", "follow_up"]),
            ),
            make_check("trial_game_of_an_arm_has_a_phase", Q(arm__isnull=True) | ~Q(phase="")),
        ]

    @property
    def in_training(self) -> bool:
        """True in the training phase, when the arm's settings for coach, drill and card apply."""
        return self.arm is not None and self.phase == self.Phase.TRAINING


class QuestionFile(TrialRow):
    """A version of a trial's questions. The latest version counts; the first consent fixes it."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="question_files")
    version = models.PositiveSmallIntegerField()
    text = models.TextField()  # empty if the researcher removed the questions
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "game_questionfile"
        ordering = ["trial", "version"]
        constraints = [make_unique("question_file_one_per_version", "trial", "version")]


class Answer(TrialRow):
    """A participant's answer to a question. A question that the participant did not reach has no
    row. The answer can change until its page is complete, because the browser sends the page again
    if an answer is missing or wrong."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="answers")
    key = models.CharField(max_length=81)
    moment = models.CharField(max_length=8)
    game = models.PositiveSmallIntegerField(default=0)  # number of the previous game, or 0
    value = models.TextField(default="")
    state = models.CharField(max_length=8)  # answered, declined or skipped
    passed = models.BooleanField(null=True)  # null if the question has no check
    tries = models.PositiveSmallIntegerField(default=0)
    seconds = models.FloatField(null=True)
    at = models.DateTimeField()
    page_finished = models.BooleanField(default=False)

    class Meta:
        db_table = "game_answer"
        ordering = ["participant", "at", "pk"]
        constraints = [
            make_unique("answer_one_per_question", "participant", "key", "game"),
            make_check(
                "answer_has_a_value_when_answered",
                (Q(state="answered") & ~Q(value="")) | (~Q(state="answered") & Q(value="")),
            ),
            make_check(
                "answer_between_games_names_one",
                Q(moment="between", game__gt=0) | Q(moment__in=["before", "after"], game=0),
            ),
        ]


MOST_MINUTES = 60 * 24 * 365
LONGEST_LABEL = 200
UNSEEN = {"Cc", "Cf", "Zs", "Zl", "Zp"}  # categories of control, format and space characters
# Other characters that show no mark, such as fillers and variation selectors.
INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f"
    "\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)


def normalise_label(label: str) -> str:
    """Return the canonical Unicode form without case, spaces and invisible characters."""
    before = None
    while label != before:  # removing a character can join a letter and an accent
        before, label = label, normalize("NFKC", normalize("NFKC", label).casefold())
        label = "".join(character for character in label if category(character) not in UNSEEN)
        label = INVISIBLE.sub("", label)
    return label[:LONGEST_LABEL]


class Recruitment(TrialRow):
    """The open link of a trial, and the completion codes or exit addresses for its participants."""

    trial = models.OneToOneField(Trial, on_delete=models.CASCADE, related_name="recruitment")
    token = models.CharField(max_length=24, unique=True, default=join_token)
    open = models.BooleanField("people can join by the open link", default=False)
    quota = models.PositiveSmallIntegerField(
        "maximum number of people by the open link", default=20
    )
    labels = models.CharField(
        "external IDs in the address", max_length=200, default="PROLIFIC_PID STUDY_ID SESSION_ID"
    )
    expected = models.CharField("expected IDs", max_length=500)
    panel = models.CharField(max_length=12, default="")  # a key of PANELS
    minutes = models.PositiveIntegerField("minutes for each session", null=True)
    checks = models.PositiveSmallIntegerField("missed attention checks until exclusion", null=True)
    ways_out = models.JSONField(default=dict)  # the keys are those of WAYS_OUT

    class Meta:
        db_table = "game_recruitment"

    @property
    def names(self) -> list[str]:
        return self.labels.split()

    @property
    def expectations(self) -> dict[str, set[str]]:
        expected: dict[str, set[str]] = {}
        for pair in self.expected.split():
            name, _equals, value = pair.partition("=")
            expected.setdefault(name, set()).add(value)
        return expected


class Arrival(TrialRow):
    """The external ID of a participant, as the panel sent it, and a key to look it up. A link
    without external IDs stores no arrivals."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="arrivals")
    participant = models.OneToOneField(
        Participant, on_delete=models.CASCADE, related_name="arrival"
    )
    label = models.CharField(max_length=LONGEST_LABEL)
    key = models.CharField(max_length=LONGEST_LABEL + 8)
    parameters = models.JSONField(default=dict)
    at = models.DateTimeField()
    later = models.JSONField(default=list)  # later arrivals of the same person with other IDs

    class Meta:
        db_table = "game_arrival"
        ordering = ["trial", "at"]
        constraints = [make_unique("arrival_one_per_key", "trial", "key")]

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.key = self.key or normalise_label(self.label)
        super().save(*args, **kwargs)

    @property
    def visits(self) -> list[tuple[datetime, dict[str, str]]]:
        """The times and external IDs of the first arrival, and of later arrivals with other IDs."""
        later = [(datetime.fromisoformat(visit["at"]), visit["parameters"]) for visit in self.later]
        return [(self.at, self.parameters), *later]

    @property
    def latest(self) -> dict[str, str]:
        return self.visits[-1][1]


class WithdrawnLabel(TrialRow):
    """A keyed hash of a withdrawn external ID, which does not reveal the person. The hash prevents
    a person from withdrawing and coming back to get another arm."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="withdrawn_labels")
    digest = models.CharField(max_length=64)

    class Meta:
        db_table = "game_withdrawnlabel"
        constraints = [make_unique("withdrawn_label_one_per_digest", "trial", "digest")]


class ArrivalCount(TrialRow):
    """The number of people who arrived by the open link on a day, without other data about them."""

    class Kind(models.TextChoices):
        OPENED = "opened"
        DECLINED = "declined"
        NO_PLACE = "no_place"

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="arrival_counts")
    kind = models.CharField(max_length=12)
    day = models.DateField()
    people = models.PositiveIntegerField(default=0)

    class Meta:
        db_table = "game_arrivalcount"
        constraints = [make_unique("arrival_count_one_per_day", "trial", "kind", "day")]


class Publication(TrialRow):
    """Facts about a trial's public files that ``Trial`` does not store."""

    class Licence(models.TextChoices):
        CC0 = "CC0-1.0", "CC0 1.0: no rights reserved"
        CC_BY = "CC-BY-4.0", "CC BY 4.0: anyone who uses the data must name you"

    trial = models.OneToOneField(Trial, on_delete=models.CASCADE, related_name="publication")
    creators = models.TextField(default="")
    licence = models.CharField(max_length=12, default=Licence.CC0)

    class Meta:
        db_table = "game_publication"

    @property
    def authors(self) -> list[str]:
        return [name for line in self.creators.splitlines() if (name := line.strip())]


class Preregistration(TrialRow):
    """A preregistration, which is a draft until staff lock it. The page of results defines the
    possible outcomes, analyses and exclusions, so that new ones need no migration."""

    class Stopping(models.TextChoices):
        EVERYBODY = (
            "everybody",
            "When every place is taken and every participant has played all games",
        )
        PEOPLE = "people", "When a given number of people have played all their games"
        DATE = "date", "On a given day, however many people have played"

    trial = models.OneToOneField(Trial, on_delete=models.CASCADE, related_name="preregistration")
    hypotheses = models.TextField()
    outcome = models.CharField(max_length=32)
    analyses = models.JSONField(default=list)
    exclusions = models.JSONField(default=dict)
    # How arms are compared; empty if there is no comparison, and in older locked documents.
    estimand = models.JSONField(default=dict)
    stopping = models.CharField(max_length=16)
    stopping_people = models.PositiveSmallIntegerField(null=True)
    stopping_date = models.DateField(null=True)
    changed_at = models.DateTimeField(auto_now=True)
    locked_at = models.DateTimeField(null=True)
    document = models.TextField(default="")
    digest = models.CharField(max_length=64, default="")

    class Meta:
        db_table = "game_preregistration"
        constraints = [
            make_check(
                "preregistration_locked_has_its_text",
                Q(locked_at__isnull=True, document="", digest="")
                | (Q(locked_at__isnull=False) & ~Q(document="") & ~Q(digest="")),
            ),
        ]

    @property
    def is_locked(self) -> bool:
        return self.locked_at is not None

    @property
    def locked(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.document)
        return document


def to_canonical_json(document: Mapping[str, Any]) -> str:
    """Return JSON with sorted keys and without spaces, so that equal data give equal texts."""
    return json.dumps(
        document, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )


def calculate_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
