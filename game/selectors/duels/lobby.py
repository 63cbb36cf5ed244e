"""Challenges that anybody may join, a player's own duels, and in which of them others wait."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    OuterRef,
    PositiveSmallIntegerField,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from game.models import Decision, Duel, DuelSeat, Player

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


MOST = 20


def duels_awaiting(player: Player | None) -> list[str]:
    """Tokens of the duels with other people in which it is this player's turn, the oldest first.

    Nothing is asked of the database for whoever sits in no such duel.
    """
    if player is None or not player.in_duels:
        return []
    staying = DuelSeat.objects.filter(duel=OuterRef("duel"), left_at=None)
    others = _with_course(staying.exclude(player=None))
    deciding = others.filter(
        player__bot="", turns=OuterRef("turns"), fixed__lt=OuterRef("fixed")
    )  # by dice that would fall for this player with the next throw
    rows = (
        _with_course(_of(player))
        .exclude(Exists(others.filter(turns__lt=OuterRef("turns"))))
        .exclude(Exists(deciding), duel__lockstep=True, fixed__gt=1)
        .order_by("duel__created_at")
        .values_list("duel__token", flat=True)
    )
    return list(rows[:MOST])


def turns_awaited(player: Player) -> list[str]:
    """These duels, each with what this player has decided in it: another word for every move."""
    own = DuelSeat.objects.filter(player=player, duel__token__in=duels_awaiting(player))
    decided = own.annotate(decided=Count("game__decisions"))
    return [f"{token}:{n}" for token, n in decided.values_list("duel__token", "decided")]


def duels_with_people(player: Player) -> list[str]:
    """Tokens of those in which it may become this player's turn."""
    found = _of(player).order_by("duel__created_at")
    return list(found.values_list("duel__token", flat=True)[:MOST]) if player.in_duels else []


def _of(player: Player) -> QuerySet[DuelSeat]:
    return running_with_people().filter(player=player, left_at=None)


def running_with_people() -> QuerySet[DuelSeat]:
    """Seats of duels that are played, in which another person stays: nobody waits but people."""
    others = DuelSeat.objects.filter(duel=OuterRef("duel"), left_at=None, player__bot="")
    return DuelSeat.objects.filter(
        Exists(others.exclude(pk=OuterRef("pk"))),
        duel__started_at__isnull=False,
        duel__finished_at=None,
        duel__withdrawn_at=None,
    )


def _with_course(seats: QuerySet[DuelSeat]) -> QuerySet[Any]:
    """With the turns that each has played, and the throws that each has asked for in the next."""
    holds = {"category": ""}
    last = Decision.objects.filter(game=OuterRef("game")).order_by("-seq")
    turns = F("turn") + Case(When(**holds, then=Value(0)), default=Value(1))
    fixed = Case(When(**holds, then=F("roll") + 1), default=Value(0))
    return seats.annotate(turns=_of_last(last, turns), fixed=_of_last(last, fixed))


def _of_last(last: QuerySet[Decision], told: Combinable) -> Coalesce:
    found = last.annotate(told=told).values("told")[:1]
    return Coalesce(Subquery(found, output_field=PositiveSmallIntegerField()), 0)
