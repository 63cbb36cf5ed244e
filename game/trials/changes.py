"""A signal to the open pages of a trial that the trial has changed."""

from channels.layers import get_channel_layer
from django.db import transaction

from game.pages.requests.live import send_event


def name_trial_group(trial_id: int) -> str:
    return f"trial.{trial_id}"


def announce_trial(trial_id: int, participant_id: int | None = None) -> None:
    """Announce a change of one participant or of the whole trial, after the database commit."""

    def send() -> None:
        layer = get_channel_layer()
        if layer is not None:
            event = {"type": "trial.changed", "participant": participant_id}
            send_event(layer, name_trial_group(trial_id), event)

    transaction.on_commit(send, robust=True)
