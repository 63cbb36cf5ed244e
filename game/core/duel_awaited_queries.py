"""Queries for the duels in which the player must move; every page's menu shows their number."""

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

from game.models import Decision, DuelSeat, Player

MOST = 20


def list_awaiting_duels(player: Player | None) -> list[str]:
    """Return the tokens of the duels with other people in which the player must move, the oldest
    first. If the player is in no duel, make no query."""
    if player is None or not player.in_duels:
        return []
    staying = DuelSeat.objects.filter(duel=OuterRef("duel"), left_at=None)
    others = _annotate_course(staying.exclude(player=None))
    deciding = others.filter(
        player__bot="", turns=OuterRef("turns"), fixed__lt=OuterRef("fixed")
    )  # other people who have decided fewer holds in this turn than the player
    rows = (
        _annotate_course(_find_running_seats(player))
        .exclude(Exists(others.filter(turns__lt=OuterRef("turns"))))
        .exclude(Exists(deciding), duel__lockstep=True, fixed__gt=1)
        .order_by("duel__created_at")
        .values_list("duel__token", flat=True)
    )
    return list(rows[:MOST])


def list_awaited_turns(player: Player) -> list[str]:
    """Return ``token:number of decisions`` for each duel in which the player must move. Each move
    changes this text, so a page can notice it."""
    seats = DuelSeat.objects.filter(player=player, duel__token__in=list_awaiting_duels(player))
    decided = seats.annotate(decided=Count("game__decisions"))
    return [f"{token}:{n}" for token, n in decided.values_list("duel__token", "decided")]


def list_duels_with_people(player: Player) -> list[str]:
    duels = _find_running_seats(player).order_by("duel__created_at")
    return list(duels.values_list("duel__token", flat=True)[:MOST]) if player.in_duels else []


def _find_running_seats(player: Player) -> QuerySet[DuelSeat]:
    return query_seats_with_people().filter(player=player, left_at=None)


def query_seats_with_people() -> QuerySet[DuelSeat]:
    """Return the player's seats (parts) in running duels in which another person still plays."""
    others = DuelSeat.objects.filter(duel=OuterRef("duel"), left_at=None, player__bot="")
    return DuelSeat.objects.filter(
        Exists(others.exclude(pk=OuterRef("pk"))),
        duel__started_at__isnull=False,
        duel__finished_at=None,
        duel__withdrawn_at=None,
    )


def _annotate_course(seats: QuerySet[DuelSeat]) -> QuerySet[Any]:
    """Annotate each player's seat in a duel with ``turns``, the number of finished turns, and
    ``fixed``, the number of holds that the player has decided in the current turn."""
    holds = {"category": ""}
    last = Decision.objects.filter(game=OuterRef("game")).order_by("-seq")
    turns = F("turn") + Case(When(**holds, then=Value(0)), default=Value(1))
    fixed = Case(When(**holds, then=F("roll") + 1), default=Value(0))
    return seats.annotate(turns=_read_from_last(last, turns), fixed=_read_from_last(last, fixed))


def _read_from_last(last: QuerySet[Decision], fact: Combinable) -> Coalesce:
    latest = last.annotate(told=fact).values("told")[:1]
    return Coalesce(Subquery(latest, output_field=PositiveSmallIntegerField()), 0)
