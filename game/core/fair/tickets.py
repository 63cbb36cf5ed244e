"""The server's part of a game that has not begun: a signed nonce in the page instead of a row.

The key follows from the nonce, so that the page can show its commitment before the first throw, and
visitors who only look leave no row behind. The dice are not fixed until the player's part arrives
with the ticket.
"""

import secrets
from dataclasses import dataclass

from django.core import signing

from game.core.fair import blocks

SALT = "game.ticket"
MAX_AGE = 24 * 60 * 60


class BadTicket(ValueError):
    """The error for a ticket that is forged or older than a day."""


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
