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


class OldLink(ValueError):
    """It was revoked, or another was issued in its place."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """A place in a trial and the address that leads to it; none while it is revoked."""

    label: str
    number: int
    address: str
    withdrawn: bool
    revoked: bool

    @property
    def code(self) -> str:
        """The address as a QR code, for a phone's camera: black on white in any colours."""
        return segno.make_qr(self.address, error="m").svg_inline(
            scale=4, border=4, dark="#000", light="#fff", omitsize=True
        )


def invitations(participants: Iterable[Participant], site: str) -> Iterator[Invitation]:
    """``site`` is the address of the first page."""
    for one in participants:
        address = "" if one.link_revoked else urljoin(site, path_of(one))
        withdrawn = one.withdrawn_at is not None
        yield Invitation(one.label, one.number, address, withdrawn, one.link_revoked)


def path_of(participant: Participant) -> str:
    """The first link is the code alone, each later one the code and its number."""
    issued = f".{participant.link}" if participant.link else ""
    signed = signing.Signer(salt=SALT, sep="~").sign(f"{participant.code}{issued}")
    return reverse("take_part_link", args=[signed])


def participant_of(signed: str) -> Participant:
    try:
        code, _, issued = signing.Signer(salt=SALT, sep="~").unsign(signed).partition(".")
    except signing.BadSignature:
        raise BadLink from None
    participant = participant_of_code(code)
    if participant is None:
        raise BadLink
    if participant.link_revoked or int(issued or 0) != participant.link:
        raise OldLink
    return participant
