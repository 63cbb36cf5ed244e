"""Own lists of positions, and what is in them."""

from django.db.models import Count, QuerySet

from game.models import Player, PositionList


def lists_of(player: Player | None) -> QuerySet[PositionList]:
    """The one that was used last first, with the number of ``kept`` positions in each."""
    return PositionList.objects.filter(player=player).annotate(kept=Count("positions"))


def list_of_token(token: str) -> PositionList | None:
    return PositionList.objects.filter(token=token).select_related("player").first()


def list_used_last(player: Player | None) -> str:
    """Its name; empty where there is none."""
    found = PositionList.objects.filter(player=player) if player else PositionList.objects.none()
    return found.values_list("name", flat=True).first() or ""
