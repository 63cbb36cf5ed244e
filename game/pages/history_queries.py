"""A player's games that are over, as a page of the history asks for them."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from game.models import Game, Player
from solver.rules import Ruleset


@dataclass(frozen=True, slots=True)
class Wanted:
    """None and an empty text ask for nothing. Days are those of the clock that the site shows."""

    rules: Ruleset | None = None
    mode: str = ""
    since: date | None = None
    until: date | None = None
    least: int | None = None
    most: int | None = None
    opponent: str = ""  # a player's code


def player_past(player: Player, wanted: Wanted) -> QuerySet[Game]:
    """The latest first. Of games with somebody also those that one of the two has left."""
    if wanted.opponent:
        return _with_somebody(player, wanted)
    return _filtered(Game.objects.filter(player=player), wanted, "finished_at").order_by(
        "-finished_at"
    )


def _with_somebody(player: Player, wanted: Wanted) -> QuerySet[Game]:
    found = Game.objects.filter(player=player, seat__duel__seats__player__code=wanted.opponent)
    over = found.annotate(over_at=Coalesce("finished_at", "abandoned_at"))
    return _filtered(over, wanted, "over_at").order_by("-over_at")


def _filtered(games: QuerySet[Game], wanted: Wanted, moment: str) -> QuerySet[Any]:
    asked = Q(**{f"{moment}__isnull": False})
    if wanted.rules is not None:
        asked &= Q(ruleset=wanted.rules.id)
    if wanted.mode:
        asked &= Q(mode=wanted.mode)
    if wanted.since is not None:
        asked &= Q(**{f"{moment}__gte": _begin(wanted.since)})
    if wanted.until is not None:
        asked &= Q(**{f"{moment}__lt": _begin(wanted.until + timedelta(days=1))})
    if wanted.least is not None:
        asked &= Q(final_score__gte=wanted.least)
    if wanted.most is not None:
        asked &= Q(final_score__lte=wanted.most)
    return games.filter(asked)


def _begin(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time()))


def player_modes(player: Player) -> list[str]:
    """Of the player's games, in the usual order."""
    played = set(Game.objects.filter(player=player).values_list("mode", flat=True).distinct())
    return [mode for mode in Game.Mode.values if mode in played]
