"""Personal links: who has one takes part, and nobody can make one up."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urljoin

import segno
from django.core import signing
from django.urls import reverse

from game.models import Participant
from game.selectors.trials import participant_of_code

SALT = "game.trial-link"


class BadLink(ValueError):
    """Forged, cut off, or of a trial that is no more."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """A place in a trial and the address that leads to it."""

    label: str
    address: str
    withdrawn: bool

    @property
    def code(self) -> str:
        """The address as a QR code, for a phone's camera: black on white in any colours."""
        return segno.make_qr(self.address, error="m").svg_inline(
            scale=4, border=4, dark="#000", light="#fff", omitsize=True
        )


def invitations(participants: Iterable[Participant], site: str) -> Iterator[Invitation]:
    """``site`` is the address of the first page."""
    for one in participants:
        yield Invitation(one.label, urljoin(site, path_of(one)), one.withdrawn_at is not None)


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
