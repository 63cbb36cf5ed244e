"""The tickets (one-time tokens) of deleted games. Their players know the dice, so no second game
may begin with the same ticket.

A stored game has the ticket's nonce (a random text), which prevents a second game. If a game is
deleted for any reason, the hash of its nonce is stored until the ticket expires; nothing links this
hash to a player. Archives of deleted players are marked likewise.
"""

from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.db.models import QuerySet
from django.db.models.signals import pre_delete
from django.utils import timezone

from game.core.fair.tickets import MAX_AGE
from game.models import Game, SpentTicket


def listen() -> None:
    pre_delete.connect(_remember_nonce, sender=Game)


def is_spent(nonce: str) -> bool:
    return SpentTicket.objects.filter(digest=_hash_nonce(nonce, "ticket")).exists()


def query_expired_tickets() -> QuerySet[SpentTicket]:
    return SpentTicket.objects.filter(expires_at__lte=timezone.now())


def _remember_nonce(instance: Game, **kwargs: Any) -> None:
    """Store the hash of a game's nonce until its ticket expires, ``MAX_AGE`` after the start."""
    expires_at = instance.started_at + timedelta(seconds=MAX_AGE)
    if instance.nonce and expires_at > timezone.now():
        mark_spent(instance.nonce, expires_at)


def mark_spent(nonce: str, expires_at: datetime, what: str = "ticket") -> bool:
    """Store the hash until this time; return False if the hash was already stored."""
    query_expired_tickets().delete()
    digest = _hash_nonce(nonce, what)
    defaults = {"expires_at": expires_at}
    return SpentTicket.objects.get_or_create(digest=digest, defaults=defaults)[1]


def _hash_nonce(nonce: str, what: str) -> str:
    return sha256(f"{what} {nonce}".encode()).hexdigest()
