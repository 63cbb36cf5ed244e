"""Personal links. The holder of a link takes part in the trial, and nobody can guess a link.

The participant code is a short form of the link, for people who joined by the open link and
continue in another browser.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urljoin

import segno
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from game.core.accounts import LETTERS, normalise_code
from game.trials.models import Participant
from game.trials.reading import find_participant_by_code

SALT = "game.trial-link"
CODE_LETTERS = 8  # 8 letters out of 30 make 39 bits, enough because the site limits guesses


class NoWayIn(PermissionDenied):
    """The error for a link that does not work here; the message says why and what to do."""


class BadLink(NoWayIn):
    """The error for a link that is forged or incomplete, or that belongs to a deleted trial."""

    def __init__(self) -> None:
        super().__init__(
            _("This link is not one of ours. Please copy the whole link and try again.")
        )


@dataclass(frozen=True, slots=True)
class Invitation:
    """A place with its personal link and participant code; both are empty if staff revoked them."""

    participant: Participant
    address: str
    code: str

    @property
    def picture(self) -> str:
        """The link as a QR code, which is black on white in the dark theme too."""
        return segno.make_qr(self.address, error="m").svg_inline(
            scale=4, border=4, dark="#000", light="#fff", omitsize=True
        )


def make_invitations(participants: Iterable[Participant], site: str) -> Iterator[Invitation]:
    """Yield an invitation per participant. ``site`` is the address of the site's first page."""
    for participant in participants:
        if participant.link_revoked:
            yield Invitation(participant, "", "")
        else:
            address = urljoin(site, make_link_path(participant))
            yield Invitation(participant, address, return_code(participant))


def make_link_path(participant: Participant) -> str:
    signed = signing.Signer(salt=SALT, sep="~").sign(_make_signed_text(participant))
    return reverse("take_part_link", args=[signed])


def _make_signed_text(participant: Participant) -> str:
    """Return the text to sign: the participant's code, and the number of a second or later link."""
    return f"{participant.code}.{participant.link}" if participant.link else participant.code


def return_code(participant: Participant) -> str:
    """Return the participant code, such as ABCD-EFGH. A new link has a new participant code."""
    made = salted_hmac(
        "game.trials.return-code", _make_signed_text(participant), algorithm="sha256"
    ).digest()
    number, letters = int.from_bytes(made), ""
    for _letter in range(CODE_LETTERS):
        number, letter = divmod(number, len(LETTERS))
        letters += LETTERS[letter]
    return f"{letters[:4]}-{letters[4:]}"


def is_return_code(participant: Participant, typed: str) -> bool:
    if participant.link_revoked:
        return False
    return constant_time_compare(normalise_code(typed), normalise_code(return_code(participant)))


def find_linked_participant(signed: str) -> Participant:
    try:
        code, _dot, issued = signing.Signer(salt=SALT, sep="~").unsign(signed).partition(".")
    except signing.BadSignature:
        raise BadLink from None
    participant = find_participant_by_code(code)
    if participant is None:
        raise BadLink
    if participant.link_revoked or int(issued or 0) != participant.link:
        raise NoWayIn(
            _(
                "This link was revoked. Please ask the person who gave it to you for the new "
                "link. Your games are kept."
            )
        )
    return participant
