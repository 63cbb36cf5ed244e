"""The open link of a trial: its free places, and the outcomes of people who joined by the link.

For each outcome (a way out), the researcher can set a code to show or an address to open.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Literal

from django.db.models import Count, DateTimeField, Min, OuterRef, Q, QuerySet, Subquery, Value
from django.utils import timezone

from game.models import Decision
from game.trials.models import (
    MOST_PLACES,
    Participant,
    Recruitment,
    Trial,
    TrialEvent,
    TrialGame,
    normalise_label,
)

Place = Literal["kept", "freed", "none"]
ADDRESSES = ("https://", "http://")  # a text with another beginning is a code


@dataclass(frozen=True, slots=True)
class WayOut:
    """An outcome. ``place`` shows if the person keeps the place, frees it, or never had one."""

    title: str
    when: str
    place: Place


WAYS_OUT: dict[str, WayOut] = {
    "complete": WayOut(
        "Complete", "The participant has played all games, including any follow-up.", "kept"
    ),
    "first_sitting": WayOut(
        "First session done",
        "The participant has played all games except the follow-up, which comes days later.",
        "kept",
    ),
    "screened_out": WayOut("Screened out", "An answer screened the participant out.", "freed"),
    "failed_check": WayOut(
        "Failed a check",
        "The participant failed the check of the rules, or missed too many attention checks.",
        "freed",
    ),
    "no_consent": WayOut(
        "No consent", "The person declined to take part. Nothing is stored about them.", "none"
    ),
    "full": WayOut("No place left", "The person came when all places were taken.", "none"),
    "closed": WayOut(
        "Closed",
        "The person came while no one could join, or had not finished when the trial was closed.",
        "kept",
    ),
    "timed_out": WayOut(
        "Out of time",
        "The participant did not finish a session within its time limit, or was away too long.",
        "freed",
    ),
    "withdrawn": WayOut("Withdrawn", "The participant withdrew from the trial.", "freed"),
}
UNDER_WAY = "under_way"  # the exported outcome of people who still take part in the trial
UNDER_WAY_TITLE = "Under way"


def is_address(ending: str) -> bool:
    return ending.startswith(ADDRESSES)


def find_recruitment(trial: Trial) -> Recruitment | None:
    return Recruitment.objects.filter(trial=trial).first()


def redact_settings(recruitment: Recruitment | None) -> dict[str, object]:
    """Return the open link's settings for the log; {} without a link. Codes and addresses are
    secret, so the log has only short hashes of them, which show whether they changed."""
    if recruitment is None:
        return {}
    names = ("open", "quota", "minutes", "labels", "panel")
    plain: dict[str, object] = {name: getattr(recruitment, name) for name in names}
    for name in WAYS_OUT:
        secret = recruitment.ways_out.get(name, "").encode()
        plain[name] = sha256(secret).hexdigest()[:8] if secret else ""
    return plain


def query_recruited(trial: Trial) -> QuerySet[Participant]:
    """Return the people who joined by the open link, even if they have withdrawn."""
    return trial.participants.filter(number__gt=MOST_PLACES)


def count_taken_places(trial: Trial) -> int:
    """Count the places of people who take part, or whose outcome lets them keep the place."""
    counts = count_outcomes(trial, timezone.now())
    return sum(n for way, n in counts.items() if not way or WAYS_OUT[way].place == "kept")


def count_places_left(recruitment: Recruitment) -> int:
    return max(0, recruitment.quota - count_taken_places(recruitment.trial))


def find_participant_by_label(trial: Trial, label: str) -> Participant | None:
    key = normalise_label(label)
    people = Participant.objects.filter(arrival__trial=trial, arrival__key=key)
    return people.select_related("trial").first() if key else None


@dataclass(frozen=True, slots=True)
class PlayedSoFar:
    """A participant's progress: the number of finished games, the start of the first follow-up
    game and, if the trial limits absences, the time of the last move."""

    done: int = 0
    returned_at: datetime | None = None
    moved_at: datetime | None = None


def _build_annotations(trial: Trial, now: datetime) -> dict[str, Any]:
    ended = Q(games__game__finished_at__lte=now)
    returned = Q(games__game__started_at__lte=now, games__phase=TrialGame.Phase.FOLLOW_UP)
    moves = Decision.objects.filter(game__trial_game__participant=OuterRef("pk"))
    last = moves.filter(created_at__lte=now).order_by("-created_at").values("created_at")[:1]
    return {
        "done": Count("games", filter=ended),
        "returned_at": Min("games__game__started_at", filter=returned),
        "moved_at": Subquery(last) if trial.hours_away else Value(None, DateTimeField()),
    }


def summarise_play(participant: Participant) -> PlayedSoFar:
    annotations = _build_annotations(participant.trial, timezone.now())
    people = Participant.objects.filter(pk=participant.pk).annotate(**annotations)
    return PlayedSoFar(**people.values(*annotations).get())


def find_outcome(participant: Participant, played: PlayedSoFar, now: datetime) -> str:
    """Return how the participant left the trial (a key of WAYS_OUT); "" if they still take part."""
    trial = participant.trial
    if participant.withdrawn_at is not None:
        return "withdrawn"
    if participant.screened_out_at is not None:
        return "failed_check" if participant.failed_check else "screened_out"
    if played.done >= participant.games_planned:
        return "complete"
    if _waits_for_follow_up(participant, played):
        return "first_sitting"
    until = min(now, trial.closed_at or now)
    if is_session_over(participant, played, until) or is_expired(participant, played, until):
        return "timed_out"
    return "closed" if trial.closed_at is not None else ""


def yield_participant_outcomes(trial: Trial, now: datetime) -> Iterator[tuple[Participant, str]]:
    """Yield (participant, outcome or "") for everyone who had agreed by ``now``."""
    agreed = Q(player__created_at__lte=now) | Q(withdrawn_at__lte=now)
    return add_outcomes(trial.participants.filter(agreed), trial, now)


def count_outcomes(trial: Trial, now: datetime) -> Counter[str]:
    """Count the people of the open link by outcome (empty for those still taking part)."""
    people = add_outcomes(query_recruited(trial), trial, now)
    return Counter(outcome for _participant, outcome in people)


def add_outcomes(
    people: QuerySet[Participant], trial: Trial, now: datetime
) -> Iterator[tuple[Participant, str]]:
    """Yield each participant with the outcome, ordered by number, without a query per person."""
    for participant in (
        people.select_related("player")
        .annotate(**_build_annotations(trial, now))
        .order_by("number")
    ):
        participant.trial = trial
        row: Any = participant
        played = PlayedSoFar(row.done, row.returned_at, row.moved_at)
        yield participant, find_outcome(participant, played, now)


def _waits_for_follow_up(participant: Participant, played: PlayedSoFar) -> bool:
    """Return whether the participant waits for the follow-up, during which no time limit runs."""
    follow_up = participant.trial.games_follow_up
    first_sitting = participant.games_planned - follow_up
    return bool(follow_up) and played.done >= first_sitting and played.returned_at is None


def is_session_over(participant: Participant, played: PlayedSoFar, now: datetime) -> bool:
    """Return whether the time limit since the consent or the first follow-up game has passed."""
    link = getattr(participant.trial, "recruitment", None) if participant.recruited else None
    if link is None or link.minutes is None or participant.player is None:
        return False
    began = played.returned_at or participant.player.created_at
    over = now >= began + timedelta(minutes=link.minutes)
    return over and not _waits_for_follow_up(participant, played)


def is_expired(participant: Participant, played: PlayedSoFar, now: datetime) -> bool:
    """Return whether the participant was away too long to go on."""
    hours, seen_at = participant.trial.hours_away, participant.seen_at
    if hours is None or seen_at is None or played.done >= participant.games_planned:
        return False
    over = now >= max(seen_at, played.moved_at or seen_at) + timedelta(hours=hours)
    return over and not _waits_for_follow_up(participant, played)


def has_expired(participant: Participant) -> bool:
    if participant.trial.hours_away is None:
        return False
    return is_expired(participant, summarise_play(participant), timezone.now())


def log_event(
    trial: Trial,
    kind: TrialEvent.Kind,
    participant: Participant | None = None,
    /,
    **detail: object,
) -> TrialEvent:
    """Log an event. ``detail`` contains no names of people."""
    return TrialEvent.objects.create(
        trial=trial, kind=kind, participant=participant, at=timezone.now(), detail=detail
    )


def log_changes(
    trial: Trial, before: Mapping[str, object], after: Mapping[str, object], **changes: object
) -> None:
    """Log the settings that differ, with both values, and ``changes`` of the same form."""
    for name, value in after.items():
        if value != before.get(name, ""):
            values = {"from": before.get(name, ""), "to": value}
            changes[name] = {when: make_plain(each) for when, each in values.items()}
    if changes:
        log_event(trial, TrialEvent.Kind.SETTINGS, **changes)


def make_plain(value: object) -> object:
    return value if isinstance(value, str | int | float | list | None) else str(value)
