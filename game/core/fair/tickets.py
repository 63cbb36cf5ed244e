"""Tickets: signed random texts (nonces), each in the page of a game that has not begun.

The server calculates its key from the nonce, so the page can show the hash of the key before the
first roll. The database stores nothing for visitors who only look at the page. The dice are fixed
when the player's text arrives together with the ticket.
"""

import secrets
from dataclasses import dataclass

from django.core import signing

from game.core.fair import blocks

SALT = "game.ticket"
MAX_AGE = 24 * 60 * 60


class BadTicket(ValueError):
    """The error for a ticket that is forged, or more than a day old."""


@dataclass(frozen=True, slots=True)
class Ticket:
    nonce: str

    @property
    def key(self) -> str:
        return blocks.derive_key(self.nonce)

    @property
    def commitment(self) -> str:
        return blocks.hash_seed(self.key)

    @property
    def signed(self) -> str:
        return signing.TimestampSigner(salt=SALT).sign(self.nonce)


def issue() -> Ticket:
    return Ticket(secrets.token_hex(16))


def redeem(signed: str) -> Ticket:
    try:
        return Ticket(signing.TimestampSigner(salt=SALT).unsign(signed, max_age=MAX_AGE))
    except signing.BadSignature as error:
        raise BadTicket(str(error)) from error
