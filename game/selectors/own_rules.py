"""Rulesets that a player made: what there is of them, and whose they are."""

from collections.abc import Iterator
from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from game.models import OwnRules, Player
from solver.rules import Ruleset
from solver.rules.own import MARK


def own_rules_of(player: Player | None) -> QuerySet[OwnRules]:
    """Those that are still there."""
    return OwnRules.objects.filter(owner=player, removed=False)


def own_rules_lately(player: Player) -> int:
    """How many were made within a day, removed or not."""
    since = timezone.now() - timedelta(days=1)
    return OwnRules.objects.filter(owner=player, made_at__gt=since).count()


def own_ruleset(player: Player | None, name: str, *, removed: bool = False) -> Ruleset | None:
    """The player's own of this name, with ``removed`` also one that is there no more."""
    if player is None or not name.startswith(MARK):
        return None
    found = OwnRules.objects.filter(owner=player, pk=name)
    one = (found if removed else found.filter(removed=False)).first()
    return one.rules if one else None


def own_rulesets_kept() -> Iterator[Ruleset]:
    """Everybody's, whose tables are to be there."""
    yield from (one.rules for one in OwnRules.objects.filter(removed=False))
