"""Withdrawing from a trial: the participant's games, answers and events are deleted at once.

The external ID of a withdrawn participant is kept as a keyed hash, so that nobody can join again to
get another arm. The hashes are deleted with the external IDs, and when the trial closes.
"""

from datetime import timedelta

from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from game.core.accounts import delete_games
from game.core.refusals import Refused
from game.models import Game
from game.trials.design.people import find_recruitment
from game.trials.models import (
    Agreement,
    Answer,
    Arrival,
    Participant,
    Trial,
    TrialEvent,
    WithdrawnLabel,
)
from game.trials.models.recruitment import normalise_label

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
        if participant.withdrawn_at is None:
            arrival = Arrival.objects.filter(participant=participant).first()
            if arrival is not None and participant.trial.is_open:
                digest = _hash_label(participant.trial, arrival.label)[0]
                WithdrawnLabel.objects.get_or_create(trial=participant.trial, digest=digest)
            _erase(participant)
        return participant


def _erase(participant: Participant) -> None:
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


def query_deletable_rows(days: int) -> dict[str, QuerySet[Model]]:
    """Return the external IDs of trials closed ``days`` ago or earlier. Keys are headings."""
    since = timezone.now() - timedelta(days=days)
    closed = Arrival.objects.filter(trial__closed_at__lt=since)
    return {"External IDs of closed trials deleted": closed}
