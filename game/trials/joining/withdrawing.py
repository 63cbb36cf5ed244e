"""Giving a place up. From that moment nothing of it is in any table, and after a day nowhere.

Until then the rows lie packed beside the tables, so that anyone who withdrew can take it back, and
nothing that reads a trial has to know of it.

Labels that withdrew: kept as keyed hashes, so that nobody draws another arm by coming again.

They are deleted with the labels, and when the trial is closed.
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

from game.core.accounts import games_delete
from game.core.events import announce_trial
from game.core.refusals import Refused
from game.models import (
    Agreement,
    Answer,
    Arrival,
    Decision,
    DrillAttempt,
    DrillCard,
    FiveAnswer,
    Game,
    KeptPosition,
    Participant,
    Party,
    PartySeat,
    Player,
    PositionList,
    ReleasedAnswer,
    Reminder,
    Throw,
    Trial,
    TrialEvent,
    Withdrawal,
    WithdrawnLabel,
)
from game.models.recruitment import canonical_label
from game.trials.design.people import note, recruitment_of
from game.trials.joining.links import is_return_code

SALT = "game.trials.withdrawn-label"


def label_withdrew(trial: Trial, label: str) -> bool:
    digests = _digests(trial, label)
    return bool(label) and trial.withdrawn_labels.filter(digest__in=digests).exists()


def label_keep(participant: Participant) -> None:
    """Keep the hash of a withdrawn external ID while the trial is open."""
    trial, arrival = participant.trial, _arrival(participant)
    if arrival is not None and trial.is_open:
        digest = _digests(trial, arrival.label)[0]
        WithdrawnLabel.objects.get_or_create(trial=trial, digest=digest)


def label_free(participant: Participant) -> None:
    """Delete the hash when a withdrawal is undone."""
    trial, arrival = participant.trial, _arrival(participant)
    if arrival is not None:
        digests = _digests(trial, arrival.label)
        trial.withdrawn_labels.filter(digest__in=digests).delete()


def withdrawn_by_code(trial: Trial, code: str) -> Participant | None:
    """Return the participant who can undo a withdrawal, by the participant code; no row names the
    external ID."""
    lately = _to_take_back().filter(participant__trial=trial).select_related("participant")
    places = (one.participant for one in lately)
    return next((place for place in places if is_return_code(place, code)), None)


def _arrival(participant: Participant) -> Arrival | None:
    return Arrival.objects.filter(participant=participant).first()


def _digests(trial: Trial, label: str) -> list[str]:
    """Return the digest of the label's canonical form, and that of the label as it was sent, which
    is what earlier versions stored.

    The server's key and the token of the open link are in it, so another trial has other digests.
    """
    found = recruitment_of(trial)
    token = found.token if found else ""
    forms = (canonical_label(label), label)
    return [salted_hmac(SALT, f"{token} {form}", algorithm="sha256").hexdigest() for form in forms]


FINAL_AFTER = timedelta(days=1)
EMPTIED = ("experience", "last_played", "strategy", "browser", "device", "table")


def participant_withdraw(*, participant: Participant) -> Participant:
    """At any time, also after the end: every game and answer is deleted, only the fact stays."""
    with transaction.atomic():
        participant = Participant.objects.select_for_update().get(pk=participant.pk)
        if participant.consent_id is None:
            raise Refused("Nobody has agreed to take part here: there is nothing to withdraw.")
        if participant.withdrawn_at is None:
            label_keep(participant)
            _pack(participant)
            _empty(participant)
        announce_trial(participant.trial_id, participant.pk)
        return participant


def withdrawal_final_at(participant: Participant) -> datetime | None:
    """Until when it can be taken back; None where it cannot."""
    found = _to_take_back().filter(participant=participant).first()
    return found.at + FINAL_AFTER if found else None


def labels_withdrawn(participant: Participant) -> dict[str, str]:
    """Return the external IDs of a participant whose withdrawal can be undone."""
    found = _to_take_back().filter(participant=participant).first()
    rows = _rows(bytes(found.rows)) if found else []
    mine = [row for row in rows if row["model"] == Arrival._meta.label_lower]
    for one in serializers.deserialize("python", mine):
        return one.object.latest  # type: ignore[attr-defined,no-any-return]
    return {}


def withdrawal_take_back(*, participant: Participant) -> Participant:
    """Every row is as it was, but for the browser: the next to go on is the one that may."""
    try:
        with transaction.atomic():
            found = _to_take_back().select_for_update().filter(participant=participant).first()
            if found is None:
                raise Refused(_("This withdrawal is final: everything is deleted."))
            _unpack(bytes(found.rows))
            found.delete()
            label_free(participant)
            Participant.objects.filter(pk=participant.pk).update(browser="")
            note(participant.trial, TrialEvent.Kind.TAKEN_BACK, participant)
            announce_trial(participant.trial_id, participant.pk)
    except IntegrityError:  # its label has another place meanwhile
        raise Refused(
            _("You have joined this trial again since, and cannot take part twice.")
        ) from None
    return Participant.objects.select_related("trial", "player", "consent").get(pk=participant.pk)


def withdrawals_over() -> QuerySet[Withdrawal]:
    return Withdrawal.objects.filter(at__lte=timezone.now() - FINAL_AFTER)


def withdrawals_finish() -> int:
    """Delete withdrawn people for good; return how many."""
    over = withdrawals_over()
    return over.delete()[0] if over.exists() else 0  # only a deletion takes SQLite's lock


def _to_take_back() -> QuerySet[Withdrawal]:
    return Withdrawal.objects.filter(at__gt=timezone.now() - FINAL_AFTER)


def _of(participant: Participant) -> Iterator[QuerySet[Model]]:
    """All that goes with a place, those before that others need."""
    player = Player.objects.filter(participant=participant)
    games = Game.objects.filter(player__in=player)
    yield player
    yield Participant.objects.filter(pk=participant.pk)
    yield games
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
    for own in (Agreement, Answer, Arrival, TrialEvent):
        yield own._base_manager.filter(participant=participant)
    yield ReleasedAnswer.objects.filter(answer__participant=participant)


def _pack(participant: Participant) -> None:
    list(Game.objects.select_for_update().filter(player=participant.player_id))  # no move meanwhile
    rows = [row for each in _of(participant) for row in serializers.serialize("python", each)]
    packed = zlib.compress(json.dumps(rows, default=str).encode())
    Withdrawal.objects.create(participant=participant, at=timezone.now(), rows=packed)


def _unpack(packed: bytes) -> None:
    """Store the packed rows again, but for the participant, who is there already."""
    for one in serializers.deserialize("python", _rows(packed)):
        one.save(force_insert=not isinstance(one.object, Participant))


def _rows(packed: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(zlib.decompress(packed))
    return found


def _empty(participant: Participant) -> None:
    player = participant.player
    participant.player, participant.withdrawn_at = None, timezone.now()
    participant.answered_at = participant.seen_at = participant.screened_out_at = None
    participant.failed_check = False
    for name in EMPTIED:
        setattr(participant, name, "")
    participant.save()
    for own in (Agreement, Answer, Arrival, TrialEvent):
        own._base_manager.filter(participant=participant).delete()
    if player is not None:
        games_delete(games=player.games.all())  # those of the trial, and any played since
        player.delete()


def traces_of_people(*, days: int) -> dict[str, QuerySet[Model]]:
    """Places that were given up and cannot be taken back any more; labels of trials that have been
    closed for so long, for anyone who was to be paid by them has been."""
    since = timezone.now() - timedelta(days=days)
    return {
        "Withdrawals made final": withdrawals_over(),
        "Labels of closed trials forgotten": Arrival.objects.filter(trial__closed_at__lt=since),
    }
