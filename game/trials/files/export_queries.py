"""Bulk queries for an export, in the order in which the tables are written.

The queries omit participants who have withdrawn. They mark games that had not ended at the moment
of the export.
"""

from datetime import datetime

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from game.models import DrillAttempt
from game.trials.models import Agreement, Participant, Trial, TrialEvent, TrialGame

GAMES_AT_ONCE = 200
PLACED = ("trial_game__participant", "trial_game__arm")
PAGE_KINDS = (TrialEvent.Kind.HIDDEN, TrialEvent.Kind.SHOWN)
STAYED = Q(consent__isnull=False, withdrawn_at__isnull=True)


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


def list_game_keys(trial: Trial, until: datetime) -> list[str]:
    """Return the keys of games that began by ``until``, participant by participant."""
    stayed = trial.participants.filter(STAYED)
    games = TrialGame.objects.filter(participant__in=stayed, game__started_at__lte=until)
    return list(games.order_by("participant__number", "number").values_list("pk", flat=True))


def query_agreements(trial: Trial, until: datetime) -> QuerySet[Agreement]:
    """Return the agreements to consent texts, sorted by participant and time."""
    return (
        Agreement.objects.filter(participant__in=query_participants(trial, until), at__lte=until)
        .select_related("participant", "consent")
        .order_by("participant__number", "at")
    )


def query_events(trial: Trial, until: datetime) -> QuerySet[TrialEvent]:
    """Return the events of the trial and its participants. For a blinded trial, omit the events of
    hidden and shown pages, because their numbers could reveal the arms."""
    whose = Q(participant__isnull=True) | Q(participant__in=query_participants(trial, until))
    events = trial.events.filter(whose, at__lte=until).select_related("participant")
    return events.exclude(kind__in=PAGE_KINDS) if trial.masked else events
