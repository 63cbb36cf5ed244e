"""How often a player has won, lost and drawn against each of those played with."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet

from game.models import DuelSeat, Player

MOST = 20  # those played with last


@dataclass(frozen=True, slots=True)
class DuelRecord:
    """Over duels that are over. Of three at a table, each two have a record of their own."""

    rival: Player
    won: int
    lost: int
    drawn: int


def records(player: Player, rivals: Collection[Player] = ()) -> list[DuelRecord]:
    """Against these, or against all; the one played with last comes first. Two queries.

    Whoever left has lost to those who stayed. Of two that left, or where a card has been deleted,
    nothing can be told.
    """
    found = against(player)
    if rivals:
        found = found.filter(rival__in=[one.pk for one in rivals])
    sums = list(found.values("rival").annotate(**_sums()).order_by("-latest")[:MOST])
    people = Player.objects.select_related("user").in_bulk([row["rival"] for row in sums])
    return [
        DuelRecord(people[row["rival"]], row["won"], row["lost"], row["drawn"])
        for row in sums
        if row["won"] or row["lost"] or row["drawn"]
    ]


def against(player: Player) -> QuerySet[Any]:
    """A row for each duel and each of the others in it."""
    over = {"duel__finished_at__isnull": False, "duel__seats__player__isnull": False}
    others = DuelSeat.objects.filter(player=player, **over).annotate(
        rival=F("duel__seats__player"),
        theirs=F("duel__seats__game__final_score"),
        their_exit=F("duel__seats__exit"),
    )
    return others.exclude(rival=F("player"))


def _sums() -> dict[str, Any]:
    i_stayed, they_stayed = Q(exit=""), Q(their_exit="")
    won = i_stayed & (~they_stayed | Q(game__final_score__gt=F("theirs")))
    lost = they_stayed & (~i_stayed | Q(game__final_score__lt=F("theirs")))
    drawn = i_stayed & they_stayed & Q(game__final_score=F("theirs"))
    return {
        "won": Count("pk", filter=won),
        "lost": Count("pk", filter=lost),
        "drawn": Count("pk", filter=drawn),
        "latest": Max("duel__finished_at"),
    }
