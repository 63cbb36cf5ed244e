"""Open challenges that any player may join, and a player's own duels."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet

from game.models import Duel, DuelSeat, Player

SHOWN = 20
FRESH = timedelta(days=1)  # whoever laid a challenge open longer ago is hardly still waiting


@dataclass(frozen=True, slots=True)
class Challenge:
    """A duel in a list, with those who sit there already."""

    duel: Duel
    players: Sequence[Player]
    free: int

    @property
    def people(self) -> int:
        """Those that are still waited for among them."""
        return self.free + sum(not player.bot for player in self.players)


def open_challenges(player: Player | None, now: datetime) -> list[Challenge]:
    """Those of others, the newest first."""
    found = Duel.objects.filter(
        listed=True, started_at=None, withdrawn_at=None, created_at__gt=now - FRESH
    )
    if player is not None:
        found = found.exclude(seats__player=player)
    return _with_seats(found)


def own_duels(player: Player | None) -> list[Challenge]:
    """Those that wait or are played, before the latest that are over."""
    if player is None:
        return []
    mine = Duel.objects.filter(seats__player=player, withdrawn_at=None)
    return [
        *_with_seats(mine.filter(finished_at=None)),
        *_with_seats(mine.exclude(finished_at=None)),
    ]


def _with_seats(found: QuerySet[Duel]) -> list[Challenge]:
    duels = list(found.order_by("-created_at")[:SHOWN])
    seats: dict[int, list[DuelSeat]] = {duel.pk: [] for duel in duels}
    rows = DuelSeat.objects.filter(duel__in=duels).order_by("number").select_related("player__user")
    for seat in rows:
        seats[seat.duel_id].append(seat)
    return [
        Challenge(
            duel,
            [seat.player for seat in seats[duel.pk] if seat.player],
            sum(seat.player is None for seat in seats[duel.pk]),
        )
        for duel in duels
    ]
