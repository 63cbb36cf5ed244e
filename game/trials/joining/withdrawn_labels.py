"""Labels that withdrew: kept as keyed hashes, so that nobody draws another arm by coming again.

They are deleted with the labels, and when the trial is closed.
"""

from django.utils.crypto import salted_hmac

from game.models import Arrival, Participant, Trial, Withdrawal, WithdrawnLabel
from game.trials.design.people import recruitment_of
from game.trials.joining.links import is_return_code

SALT = "game.trials.withdrawn-label"


def label_withdrew(trial: Trial, label: str) -> bool:
    return bool(label) and trial.withdrawn_labels.filter(digest=_digest(trial, label)).exists()


def label_keep(participant: Participant) -> None:
    """Of somebody who withdraws now; of a closed trial nobody can come to it again."""
    trial, arrival = participant.trial, _arrival(participant)
    if arrival is not None and trial.is_open:
        WithdrawnLabel.objects.get_or_create(trial=trial, digest=_digest(trial, arrival.label))


def label_free(participant: Participant) -> None:
    """Of somebody who has taken the withdrawal back."""
    trial, arrival = participant.trial, _arrival(participant)
    if arrival is not None:
        trial.withdrawn_labels.filter(digest=_digest(trial, arrival.label)).delete()


def withdrawn_by_code(trial: Trial, code: str) -> Participant | None:
    """Who withdrew so lately that it can be taken back, by the code of the place: no row says which
    label had it."""
    lately = Withdrawal.objects.filter(participant__trial=trial).select_related("participant")
    places = (one.participant for one in lately)
    return next((place for place in places if is_return_code(place, code)), None)


def _arrival(participant: Participant) -> Arrival | None:
    return Arrival.objects.filter(participant=participant).first()


def _digest(trial: Trial, label: str) -> str:
    """The server's own key is in it, and the token of the open link: another trial has another."""
    found = recruitment_of(trial)
    token = found.token if found else ""
    return salted_hmac(SALT, f"{token} {label}", algorithm="sha256").hexdigest()
