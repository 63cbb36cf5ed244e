"""Queries of an export: in bulk, and in the order in which it is written.

A participant who has withdrawn is in nothing of it. A game that had not ended by then is marked.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.db.models import Count, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from game.models import (
    Agreement,
    Consent,
    DrillAttempt,
    Game,
    Participant,
    Trial,
    TrialEvent,
)

GAMES_AT_ONCE = 200
PAGE_KINDS = (TrialEvent.Kind.HIDDEN, TrialEvent.Kind.SHOWN)
STAYED = Q(consent__isnull=False, withdrawn_at__isnull=True)


def exported_participants(trial: Trial, until: datetime) -> QuerySet[Participant]:
    """Return the people who agreed by then, with their finished and unfinished games.
    ``returned_at`` is the start of the follow-up. The first consent makes a participant's
    player; later ones move ``consented_at``."""
    began = Q(games__started_at__lte=until)
    ended = Q(games__finished_at__lte=until)
    follow_up = Q(games__phase=Game.Phase.FOLLOW_UP)
    return (
        trial.participants.filter(STAYED, player__created_at__lte=until)
        .select_related("consent", "trial__recruitment", "player")
        .annotate(
            finished=Count("games", filter=ended),
            unfinished=Count("games", filter=began & ~ended),
            returned_at=Min("games__started_at", filter=began & follow_up),
            drilled=_drilled(until),
        )
        .order_by("number")
    )


def _drilled(until: datetime) -> Coalesce:
    """Attempt at the drill, counted apart from the games so that neither multiplies the other."""
    made = DrillAttempt.objects.filter(card__player=OuterRef("player"), created_at__lte=until)
    counted = made.order_by().values("card__player").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), 0)


def exported_games(trial: Trial, until: datetime) -> list[str]:
    """Return the keys of all games begun by then, participant by participant."""
    stayed = trial.participants.filter(STAYED)
    found = Game.objects.filter(participant__in=stayed, started_at__lte=until)
    return list(found.order_by("participant__number", "trial_number").values_list("pk", flat=True))


def games_of(keys: Sequence[str]) -> Iterator[list[Game]]:
    """Yield games in batches that fit into memory."""
    for at in range(0, len(keys), GAMES_AT_ONCE):
        wanted = keys[at : at + GAMES_AT_ONCE]
        found = Game.objects.select_related("participant", "arm").in_bulk(wanted)
        yield [found[key] for key in wanted if key in found]


def exported_agreements(trial: Trial, until: datetime) -> QuerySet[Agreement]:
    """Every agreement of anyone who takes part, participant by participant, in their order."""
    return (
        Agreement.objects.filter(participant__in=exported_participants(trial, until), at__lte=until)
        .select_related("participant", "consent")
        .order_by("participant__number", "at")
    )


def exported_events(trial: Trial, until: datetime) -> QuerySet[TrialEvent]:
    """Return the events of the trial and of its participants; while it is blinded, without hidden
    pages, which differ from arm to arm."""
    whose = Q(participant__isnull=True) | Q(participant__in=exported_participants(trial, until))
    found = trial.events.filter(whose, at__lte=until).select_related("participant")
    return found.exclude(kind__in=PAGE_KINDS) if trial.masked else found


def exported_consents(trial: Trial) -> QuerySet[Consent]:
    return trial.consents.order_by("version")


def anybody_withdrew(trial: Trial, since: datetime) -> bool:
    return trial.participants.filter(withdrawn_at__gte=since).exists()
