"""Whom the open link may still let in, and how it went for those who came by it."""

from collections import Counter
from datetime import datetime, timedelta
from hashlib import sha256

from django.db.models import Count, Q, QuerySet

from game.models import Arrival, Participant, Recruitment, Trial
from game.models.recruitment import OUTCOMES
from game.models.trial import MOST_PLACES

TOLD = ("open", "quota", "minutes", "labels", "panel", "entry", "letters", "length")


def recruitment_of_token(token: str) -> Recruitment | None:
    return Recruitment.objects.select_related("trial").filter(token=token).first()


def recruitment_of(trial: Trial) -> Recruitment | None:
    return Recruitment.objects.filter(trial=trial).first()


def told_recruitment(found: Recruitment | None) -> dict[str, object]:
    """Whom the open link lets in, and for how long. Codes and addresses are for those who come by
    it: of them is told that they are others."""
    if found is None:
        return {}
    plain = {name: getattr(found, name) for name in TOLD}
    return plain | {name: _mark(getattr(found, name)) for name in OUTCOMES}


def _mark(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()[:8] if secret else ""


def recruited(trial: Trial) -> QuerySet[Participant]:
    """Whoever withdrew has had a place too."""
    return trial.participants.filter(number__gt=MOST_PLACES)


def places_left(recruitment: Recruitment) -> int:
    return max(0, recruitment.quota - recruited(recruitment.trial).count())


def participant_of_label(trial: Trial, label: str) -> Participant | None:
    found = Arrival.objects.filter(trial=trial, label=label).select_related("participant__trial")
    arrival = found.first() if label else None
    return arrival.participant if arrival else None


def time_is_up(participant: Participant, now: datetime) -> bool:
    """For those who came by the open link, from their first consent on."""
    player = participant.player
    found = recruitment_of(participant.trial) if participant.recruited else None
    if found is None or found.minutes is None or player is None:
        return False
    return now >= player.created_at + timedelta(minutes=found.minutes)


def outcome_of(participant: Participant, done: int, now: datetime) -> str:
    """A name of OUTCOMES, or nothing while it is open; ``done`` games are finished."""
    if participant.screened_out_at is not None:
        return "screened_out"
    if done >= participant.games_planned:
        return "complete"
    return "timed_out" if time_is_up(participant, now) else ""


def outcomes(trial: Trial, now: datetime) -> Counter[str]:
    """How many of those who came by the open link are where."""
    return Counter(
        "withdrawn" if one.withdrawn_at else outcome for one, outcome in _all(trial, now)
    )


def arrivals(trial: Trial, now: datetime) -> list[tuple[Arrival, str]]:
    """The labels that are kept, each with what came of it."""
    kept = {one.participant_id: one for one in trial.arrivals.select_related("participant")}
    return [(kept[one.pk], outcome) for one, outcome in _all(trial, now) if one.pk in kept]


def _all(trial: Trial, now: datetime) -> list[tuple[Participant, str]]:
    done = Count("games", filter=Q(games__finished_at__isnull=False))
    everybody = recruited(trial).select_related("trial", "player").annotate(done=done)
    return [(one, outcome_of(one, one.done, now)) for one in everybody.order_by("number")]
