"""Withdrawal from a trial. The data leave all tables at once, and are deleted after a day.

For this day the data are stored in a packed form. The participant can undo the withdrawal, and no
query of the trial has to exclude withdrawn data.

The external ID of a withdrawn participant is kept as a keyed hash, so that nobody can join again to
get another arm. The hashes are deleted with the external IDs, and when the trial closes.
"""

import json
import zlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.core import serializers
from django.db import IntegrityError, transaction
from django.db.models import Model, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from game.core.accounts import delete_games
from game.core.refusals import Refused
from game.models import (
    Decision,
    DrillAttempt,
    DrillCard,
    FiveAnswer,
    Game,
    KeptPosition,
    Party,
    PartySeat,
    Player,
    PositionList,
    Reminder,
    Throw,
)
from game.trials.changes import announce_trial
from game.trials.design.people import find_recruitment, log_event
from game.trials.joining.links import is_return_code
from game.trials.models import (
    Agreement,
    Answer,
    Arrival,
    Participant,
    ReleasedAnswer,
    Trial,
    TrialEvent,
    TrialGame,
    Withdrawal,
    WithdrawnLabel,
)
from game.trials.models.recruitment import normalise_label

SALT = "game.trials.withdrawn-label"


def has_label_withdrawn(trial: Trial, label: str) -> bool:
    digests = _hash_label(trial, label)
    return bool(label) and trial.withdrawn_labels.filter(digest__in=digests).exists()


def store_label_hash(participant: Participant) -> None:
    """If the trial is open, store the hash of the withdrawn participant's external ID."""
    trial, arrival = participant.trial, _find_arrival(participant)
    if arrival is not None and trial.is_open:
        digest = _hash_label(trial, arrival.label)[0]
        WithdrawnLabel.objects.get_or_create(trial=trial, digest=digest)


def delete_label_hash(participant: Participant) -> None:
    trial, arrival = participant.trial, _find_arrival(participant)
    if arrival is not None:
        digests = _hash_label(trial, arrival.label)
        trial.withdrawn_labels.filter(digest__in=digests).delete()


def find_withdrawn_by_code(trial: Trial, code: str) -> Participant | None:
    """Return the withdrawn participant with this code. No row links a code to an external ID."""
    lately = (
        _list_undoable_withdrawals().filter(participant__trial=trial).select_related("participant")
    )
    places = (withdrawal.participant for withdrawal in lately)
    return next((place for place in places if is_return_code(place, code)), None)


def _find_arrival(participant: Participant) -> Arrival | None:
    return Arrival.objects.filter(participant=participant).first()


def _hash_label(trial: Trial, label: str) -> list[str]:
    """Return two hashes: of the external ID's canonical form, and of the ID as it was sent, because
    earlier versions stored that hash.

    The hashes depend on the server's key and on the token of the open link, so they differ between
    trials."""
    recruitment = find_recruitment(trial)
    token = recruitment.token if recruitment else ""
    forms = (normalise_label(label), label)
    return [salted_hmac(SALT, f"{token} {form}", algorithm="sha256").hexdigest() for form in forms]


FINAL_AFTER = timedelta(days=1)
EMPTIED = ("experience", "last_played", "strategy", "browser", "device", "table")


def withdraw_participant(*, participant: Participant) -> Participant:
    """Withdraw a participant, even from a closed trial. The participant can undo this for a day."""
    with transaction.atomic():
        participant = Participant.objects.select_for_update().get(pk=participant.pk)
        if participant.consent_id is None:
            raise Refused("You have not agreed to take part, so you cannot withdraw.")
        if participant.withdrawn_at is None:
            store_label_hash(participant)
            _pack(participant)
            _erase(participant)
        announce_trial(participant.trial_id, participant.pk)
        return participant


def find_undo_deadline(participant: Participant) -> datetime | None:
    """Return until when the withdrawal can be undone; None if it cannot be undone any more."""
    withdrawal = _list_undoable_withdrawals().filter(participant=participant).first()
    return withdrawal.at + FINAL_AFTER if withdrawal else None


def find_withdrawn_labels(participant: Participant) -> dict[str, str]:
    """Return external IDs by name while the withdrawal can be undone, else {}."""
    withdrawal = _list_undoable_withdrawals().filter(participant=participant).first()
    rows = _unpack_rows(bytes(withdrawal.rows)) if withdrawal else []
    mine = [row for row in rows if row["model"] == Arrival._meta.label_lower]
    for row in serializers.deserialize("python", mine):
        return row.object.latest  # type: ignore[attr-defined,no-any-return]
    return {}


def undo_withdrawal(*, participant: Participant) -> Participant:
    """Restore every row of the participant, who can then continue in any browser."""
    try:
        with transaction.atomic():
            withdrawal = (
                _list_undoable_withdrawals()
                .select_for_update()
                .filter(participant=participant)
                .first()
            )
            if withdrawal is None:
                raise Refused(_("This withdrawal is final: everything is deleted."))
            _unpack(bytes(withdrawal.rows))
            withdrawal.delete()
            delete_label_hash(participant)
            Participant.objects.filter(pk=participant.pk).update(browser="")
            log_event(participant.trial, TrialEvent.Kind.TAKEN_BACK, participant)
            announce_trial(participant.trial_id, participant.pk)
    except IntegrityError:  # another place has this external ID now
        raise Refused(
            _("You have joined this trial again since you withdrew, and cannot take part twice.")
        ) from None
    return Participant.objects.select_related("trial", "player", "consent").get(pk=participant.pk)


def query_final_withdrawals() -> QuerySet[Withdrawal]:
    return Withdrawal.objects.filter(at__lte=timezone.now() - FINAL_AFTER)


def delete_final_withdrawals() -> int:
    """Delete the packed data of all final withdrawals. Return the number of deleted rows."""
    final = query_final_withdrawals()
    # Query first, because the deletion locks SQLite's database.
    return final.delete()[0] if final.exists() else 0


def _list_undoable_withdrawals() -> QuerySet[Withdrawal]:
    return Withdrawal.objects.filter(at__gt=timezone.now() - FINAL_AFTER)


def _yield_rows_to_pack(participant: Participant) -> Iterator[QuerySet[Model]]:
    """Yield the querysets of a participant's rows. Rows to which other rows refer come first."""
    player = Player.objects.filter(participant=participant)
    games = Game.objects.filter(player__in=player)
    yield player
    yield Participant.objects.filter(pk=participant.pk)
    yield games
    yield TrialGame.objects.filter(game__in=games)
    for each in (Decision, Throw):
        yield each._base_manager.filter(game__in=games)
    yield Party.objects.filter(host__in=player)
    yield PartySeat.objects.filter(game__in=games)
    yield DrillCard.objects.filter(player__in=player)
    yield DrillAttempt.objects.filter(card__player__in=player)
    yield FiveAnswer.objects.filter(player__in=player)
    yield PositionList.objects.filter(player__in=player)
    yield Reminder.objects.filter(player__in=player)
    yield KeptPosition.objects.filter(kept_in__player__in=player)
    for model in (Agreement, Answer, Arrival, TrialEvent):
        yield model._base_manager.filter(participant=participant)
    yield ReleasedAnswer.objects.filter(answer__participant=participant)


def _pack(participant: Participant) -> None:
    # Lock the games, so that no move can be stored during the withdrawal.
    list(Game.objects.select_for_update().filter(player=participant.player_id))
    rows = [
        row
        for each in _yield_rows_to_pack(participant)
        for row in serializers.serialize("python", each)
    ]
    packed = zlib.compress(json.dumps(rows, default=str).encode())
    Withdrawal.objects.create(participant=participant, at=timezone.now(), rows=packed)


def _unpack(packed: bytes) -> None:
    """Store the packed rows again. The participant's own row still exists."""
    for row in serializers.deserialize("python", _unpack_rows(packed)):
        row.save(force_insert=not isinstance(row.object, Participant))


def _unpack_rows(packed: bytes) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(zlib.decompress(packed))
    return rows


def _erase(participant: Participant) -> None:
    player = participant.player
    participant.player, participant.withdrawn_at = None, timezone.now()
    participant.answered_at = participant.seen_at = participant.screened_out_at = None
    participant.failed_check = False
    for name in EMPTIED:
        setattr(participant, name, "")
    participant.save()
    for model in (Agreement, Answer, Arrival, TrialEvent):
        model._base_manager.filter(participant=participant).delete()
    if player is not None:
        delete_games(games=player.games.all())  # also games after the trial
        player.delete()


def query_deletable_rows(days: int) -> dict[str, QuerySet[Model]]:
    """Return the final withdrawals, and the external IDs of trials closed for ``days`` days."""
    since = timezone.now() - timedelta(days=days)
    return {
        "Withdrawals made final": query_final_withdrawals(),
        "External IDs of closed trials deleted": Arrival.objects.filter(trial__closed_at__lt=since),
    }
