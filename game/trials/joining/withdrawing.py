"""Withdrawing from a trial, and deletion of personal data when the promised period is over.

The games, answers and events of a participant who withdraws are deleted at once.
The external ID of a withdrawn participant is kept as a keyed hash, so that nobody can join again to
get another arm. The hashes are deleted with the external IDs, and when the trial closes.

A trial has a deadline only if its opening is logged with a number of months. Earlier versions of
the program logged no months and made no promise.
"""

from calendar import monthrange
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from game.core.accounts import delete_games
from game.core.refusals import Refused
from game.models import Game, Player
from game.models.tokens import participant_code, player_code
from game.trials.design.consent import find_months_kept
from game.trials.design.people import find_recruitment, log_event
from game.trials.models import (
    Agreement,
    Answer,
    Arrival,
    Participant,
    Trial,
    TrialEvent,
    WithdrawnLabel,
    normalise_label,
)
from game.trials.questions.questionnaire import may_be_free_text
from game.trials.questions.reading import map_question_items

SALT = "game.trials.withdrawn-label"
EMPTIED = ("experience", "last_played", "strategy", "browser", "device", "table")


def has_label_withdrawn(trial: Trial, label: str) -> bool:
    digests = _hash_label(trial, label)
    return bool(label) and trial.withdrawn_labels.filter(digest__in=digests).exists()


def _hash_label(trial: Trial, label: str) -> list[str]:
    """Return two hashes of an external ID: of its canonical form, and of the ID as it was sent,
    because earlier versions stored that second hash. The hashes depend on the server's key and on
    the token of the open link, so they differ between trials."""
    recruitment = find_recruitment(trial)
    token = recruitment.token if recruitment else ""
    forms = (normalise_label(label), label)
    return [salted_hmac(SALT, f"{token} {form}", algorithm="sha256").hexdigest() for form in forms]


def withdraw_participant(*, participant: Participant) -> Participant:
    """Withdraw a participant, even from a closed trial, and delete their data for good."""
    with transaction.atomic():
        participant = Participant.objects.select_for_update().get(pk=participant.pk)
        if participant.consent_id is None:
            raise Refused("You have not agreed to take part, so you cannot withdraw.")
        if participant.withdrawn_at is not None:
            return participant
        arrival = Arrival.objects.filter(participant=participant).first()
        if arrival is not None and participant.trial.is_open:
            digest = _hash_label(participant.trial, arrival.label)[0]
            WithdrawnLabel.objects.get_or_create(trial=participant.trial, digest=digest)
        player = participant.player
        # Lock the games, so that no move is stored during the withdrawal.
        list(Game.objects.select_for_update().filter(player=player))
        participant.player, participant.withdrawn_at = None, timezone.now()
        participant.answered_at = participant.seen_at = participant.screened_out_at = None
        participant.failed_check = False
        for name in EMPTIED:
            setattr(participant, name, "")
        participant.save()
        for model in (Agreement, Answer, Arrival, TrialEvent):
            model._base_manager.filter(participant=participant).delete()
        if player is not None:
            delete_games(games=player.games.all())  # including games after the trial
            player.delete()
        return participant


def query_deletable_rows(days: int) -> dict[str, QuerySet[Model]]:
    """Return the external IDs of trials closed ``days`` ago or earlier. Keys are headings."""
    since = timezone.now() - timedelta(days=days)
    closed = Arrival.objects.filter(trial__closed_at__lt=since)
    return {"External IDs of closed trials deleted": closed}


LABEL_DAYS = 30  # time from the closing of a trial to the deletion of its external IDs
ERASED = "[deleted]"
UNBOUND = {"link_revoked": True, "browser": "", "device": "", "table": ""}


def find_deadline(trial: Trial) -> datetime | None:
    """Return when codes, links and free texts are deleted. Return None if the trial promises no
    date, is not closed, or has deleted the data already."""
    closed = trial.closed_at
    if closed is None or not _query_trials_with_deadline().filter(pk=trial.pk).exists():
        return None
    years, month = divmod(closed.month - 1 + int(find_months_kept(trial)), 12)
    year = closed.year + years
    day = min(closed.day, monthrange(year, month + 1)[1])
    return closed.replace(year=year, month=month + 1, day=day)


def _query_trials_with_deadline() -> QuerySet[Trial]:
    """Return the closed trials with data that their consent text promises to delete."""
    events, kind = TrialEvent.objects.filter(trial=OuterRef("pk")), TrialEvent.Kind
    promised = events.filter(kind=kind.OPENED, detail__has_key="kept")
    deleted = events.filter(kind=kind.FORGOTTEN, at__gte=OuterRef("closed_at"))
    closed = Trial.objects.filter(closed_at__isnull=False, rehearsal=False)
    return closed.filter(Exists(promised), ~Exists(deleted))


def delete_expired_data() -> None:
    """Delete data whose promised deletion date has come. Every server process calls this."""
    now = timezone.now()
    Arrival.objects.filter(trial__closed_at__lte=now - timedelta(days=LABEL_DAYS)).delete()
    for trial in _query_trials_with_deadline():
        deadline = find_deadline(trial)
        if deadline is None or deadline > now:
            continue
        with transaction.atomic():
            locked = Trial.objects.select_for_update().get(pk=trial.pk)
            if find_deadline(locked) is None:
                continue  # another process was faster, or the trial has been opened again
            # Replace participants' codes, so that no link or cookie leads to a participant any
            # more. Delete external IDs and free texts. Moves and other answers stay.
            locked.arrivals.all().delete()
            for participant in locked.participants.all():
                participants = Participant.objects.filter(pk=participant.pk)
                participants.update(code=participant_code(), **UNBOUND)
            for player in Player.objects.filter(participant__trial=locked, user=None):
                Player.objects.filter(pk=player.pk).update(code=player_code())
            items = map_question_items(locked)
            answers = Answer.objects.filter(participant__trial=locked).exclude(value="")
            keys = answers.values_list("key", flat=True)
            free = {key for key in keys if may_be_free_text(items.get(key))}
            answers.filter(key__in=free).update(value=ERASED)
            log_event(locked, TrialEvent.Kind.FORGOTTEN)
