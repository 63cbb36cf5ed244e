"""Queries for trials and their participants."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.core import signing
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from game.core.game_queries import query_games
from game.core.prepared import Prepared
from game.core.words.labels import find_ruleset_name
from game.models import DrillAttempt, Game, Player
from game.trials.models import Consent, Participant, Trial, TrialEvent, TrialGame, TrialStaff

Role = TrialStaff.Role
PARTICIPANT_SALT = "game.participant"
PLACED = ("trial_game__participant", "trial_game__arm")
STAYED = Q(consent__isnull=False, withdrawn_at__isnull=True)
RUNNING = Prepared(
    lambda: Trial.objects.filter(opened_at__isnull=False, closed_at__isnull=True), values=0
)
PLANNED = Coalesce(
    F("planned"),
    F("trial__games_before")
    + F("trial__games_each")
    + F("trial__games_after")
    + F("trial__games_follow_up"),
)


@dataclass(frozen=True, slots=True)
class ListedTrial:
    """A trial in the list of all trials. ``seen`` is True if the user may open the trial."""

    trial: Trial
    rules: str
    owners: str
    seen: bool


def list_trials(user: User) -> list[ListedTrial]:
    """Return all trials with their numbers of participants (``joined``) and finished games."""
    taking_part = Q(participants__consent__isnull=False, participants__withdrawn_at__isnull=True)
    finished = Q(participants__games__game__finished_at__isnull=False)
    trials = Trial.objects.annotate(
        joined=Count("participants", filter=taking_part, distinct=True),
        finished=Count("participants__games", filter=finished, distinct=True),
    )
    rows = []
    for trial in trials.prefetch_related("team__user"):
        team = trial.team.all()
        owners = [member.user.get_username() for member in team if member.role == Role.OWN]
        seen = user.is_superuser or any(member.user_id == user.pk for member in team)
        rows.append(ListedTrial(trial, find_ruleset_name(trial.rules), ", ".join(owners), seen))
    return rows


PARTICIPANT = Prepared(
    lambda code: Participant.objects.filter(code=code),
    values=1,
    related=lambda: ["trial", "player", "consent"],
)


def find_participant_by_code(code: str) -> Participant | None:
    return PARTICIPANT.first(code)


def read_participant_cookie(value: str) -> Participant | None:
    """Return this browser's participant. Return None after a withdrawal or for an old link."""
    code, browser, link, _way = split_participant_cookie(value)
    participant = find_participant_by_code(code) if code else None
    if participant is None or participant.withdrawn_at is not None:
        return None
    if participant.link_revoked or int(link or 0) != participant.link:
        return None
    only_one = participant.trial.resume == Trial.Resume.ONE_BROWSER
    return None if only_one and browser != participant.browser else participant


def split_participant_cookie(value: str) -> tuple[str, str, str, str]:
    """Return participant code, browser, link and way of joining. A missing part is ""."""
    try:
        parts = signing.Signer(salt=PARTICIPANT_SALT).unsign(value).split(".")
    except signing.BadSignature:
        parts = []
    code, browser, link, way, *_more = [*parts, "", "", "", ""]
    return code, browser, link, way


def make_participant_cookie(participant: Participant, way: str = "") -> str:
    value = f"{participant.code}.{participant.browser}.{participant.link}.{way}"
    return signing.Signer(salt=PARTICIPANT_SALT).sign(value)


def find_frame(participant: Participant | None) -> Trial | None:
    """Return the trial to whose pages this browser is limited; None without a limit."""
    if participant is None or participant.screened_out_at or participant.trial.closed_at:
        return None
    return participant.trial


def waits_for_browser(participant: Participant) -> bool:
    """Return whether the participant, released from a browser, has not opened another yet."""
    only_one = participant.trial.resume == Trial.Resume.ONE_BROWSER
    return only_one and participant.consent_id is not None and not participant.browser


def find_trial_player(participant: Participant | None) -> Player | None:
    """Return the participant's player. Return None until the participant continues in a browser."""
    if participant is None or waits_for_browser(participant):
        return None
    return participant.player


def query_games_of(participant: Participant) -> QuerySet[Game]:
    return query_games().filter(trial_game__participant=participant)


def query_participants(trial: Trial, until: datetime) -> QuerySet[Participant]:
    """Return the participants who had agreed by ``until``, with their numbers of finished games,
    unfinished games and drill attempts. The first consent is dated by the creation of the player,
    because later consents change ``consented_at``. A subquery counts drill attempts, because a join
    would count each attempt once per game."""
    attempts = DrillAttempt.objects.filter(card__player=OuterRef("player"), created_at__lte=until)
    counts = attempts.order_by().values("card__player").annotate(n=Count("pk")).values("n")
    began = Q(games__game__started_at__lte=until)
    ended = Q(games__game__finished_at__lte=until)
    return (
        trial.participants.filter(STAYED, player__created_at__lte=until)
        .select_related("consent", "trial__recruitment", "player")
        .annotate(
            finished=Count("games", filter=ended),
            unfinished=Count("games", filter=began & ~ended),
            drilled=Coalesce(Subquery(counts), 0),
        )
        .order_by("number")
    )


def query_trial_games(trial: Trial, until: datetime) -> QuerySet[TrialGame]:
    """Return the places of games that began by ``until``, participant by participant."""
    stayed = trial.participants.filter(STAYED)
    games = TrialGame.objects.filter(participant__in=stayed, game__started_at__lte=until)
    return games.order_by("participant__number", "number")


def find_latest_consent(participant: Participant) -> Consent:
    """Return the latest consent text, to which a participant must agree."""
    return participant.trial.consents.latest("version")


def query_shared_browser(until: datetime) -> Exists:
    """Return a query expression: whether a participant has shared a browser by ``until``."""
    noted = TrialEvent.objects.filter(kind=TrialEvent.Kind.SHARED, at__lte=until)
    return Exists(noted.filter(participant=OuterRef("pk")))


WAITING = Prepared(
    lambda player: (
        Participant.objects.filter(
            player=player,
            trial__opened_at__isnull=False,
            trial__closed_at__isnull=True,
            screened_out_at__isnull=True,
        )
        .annotate(done=Count("games", filter=Q(games__game__finished_at__isnull=False)))
        .filter(done__lt=PLANNED)
    ),
    values=1,
)


def is_in_trial(player: Player) -> bool:
    """Return whether the player still has games to play in a trial. Until then, no coach may help
    the player outside the trial either."""
    return WAITING.first(player.pk) is not None
