"""Days ahead: their dice are fixed once, by chance, when the database gets its tables."""

import secrets
from datetime import timedelta
from typing import Any

from django.apps import apps as here
from django.db.models.signals import post_migrate

from game.core.fair import days
from game.pages.daily.daily_queries import day_chain


def listen() -> None:
    post_migrate.connect(_day_chain_begin, dispatch_uid="game.pages.daily.daily_dice_ahead")


def _day_chain_begin(apps: Any = here, **_told: object) -> None:
    """After every ``migrate``. Today's dice are in play already: it begins tomorrow."""
    try:
        chains = apps.get_model("game", "DayChain")
    except LookupError:  # back at a version that had none
        return
    first = days.today() + timedelta(days=1)
    chains.objects.get_or_create(pk=1, defaults={"end": secrets.token_hex(32), "first": first})
    day_chain.cache_clear()
    day_chain()
