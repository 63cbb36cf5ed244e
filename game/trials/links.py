"""Personal links: who has one takes part, and nobody can make one up."""

from django.core import signing
from django.urls import reverse

from game.models import Participant
from game.selectors_trial import participant_of_code

SALT = "game.trial-link"


class BadLink(ValueError):
    """Forged, cut off, or of a trial that is no more."""


def path_of(participant: Participant) -> str:
    signed = signing.Signer(salt=SALT, sep="~").sign(participant.code)
    return reverse("take_part_link", args=[signed])


def participant_of(signed: str) -> Participant:
    try:
        code = signing.Signer(salt=SALT, sep="~").unsign(signed)
    except signing.BadSignature:
        raise BadLink from None
    participant = participant_of_code(code)
    if participant is None:
        raise BadLink
    return participant
