"""A player's record against each opponent: wins, losses, and who loses fewer points."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Count, F, FloatField, Max, Q, QuerySet
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Cast

from game.core.words.equation import LEDGER
from game.core.worth.skill import Moments
from game.models import DuelSeat, Player
from solver.rules import Ruleset

MOST = 20  # the most opponents in the list, starting with the latest


@dataclass(frozen=True, slots=True)
class DuelRecord:
    """A player's record against one opponent. A duel of three counts for each pair of players."""

    rival: Player
    won: int
    lost: int
    drawn: int


def list_records(player: Player, rivals: Collection[Player] = ()) -> list[DuelRecord]:
    """Return the records against these opponents (or against all), the latest first, in two
    queries. A player who left has lost to the players who stayed. If both players left, or a card
    was deleted, the duel has no result for this pair."""
    seats = find_rival_rows(player)
    if rivals:
        seats = seats.filter(rival__in=[rival.pk for rival in rivals])
    i_stayed, they_stayed = Q(exit=""), Q(their_exit="")
    won = i_stayed & (~they_stayed | Q(game__final_score__gt=F("theirs")))
    defeat = they_stayed & (~i_stayed | Q(game__final_score__lt=F("theirs")))
    drawn = i_stayed & they_stayed & Q(game__final_score=F("theirs"))
    sums = list(
        seats.values("rival")
        .annotate(
            won=Count("pk", filter=won),
            lost=Count("pk", filter=defeat),
            drawn=Count("pk", filter=drawn),
            latest=Max("duel__finished_at"),
        )
        .order_by("-latest")[:MOST]
    )
    people = Player.objects.select_related("user").in_bulk([row["rival"] for row in sums])
    return [
        DuelRecord(people[row["rival"]], row["won"], row["lost"], row["drawn"])
        for row in sums
        if row["won"] or row["lost"] or row["drawn"]
    ]


def find_rival_rows(player: Player) -> QuerySet[Any]:
    over = {"duel__finished_at__isnull": False, "duel__seats__player__isnull": False}
    others = DuelSeat.objects.filter(player=player, **over).annotate(
        rival=F("duel__seats__player"),
        theirs=F("duel__seats__game__final_score"),
        their_exit=F("duel__seats__exit"),
    )
    return others.exclude(rival=F("player"))


def measure_differences(
    player: Player, rules: Ruleset, value_start: float
) -> Mapping[int, Moments]:
    """Return, for each opponent, how many more points the opponent lost than the player, in duels
    that both players finished."""
    both = find_rival_rows(player).filter(duel__ruleset=rules.id)
    for seat in ("", "duel__seats__"):
        score, luck, regret = (
            F(f"{seat}game__{name}") for name in ("final_score", "luck", "regret")
        )
        started = Cast(score, FloatField()) - luck + regret
        name = "theirs_began" if seat else "mine_began"
        both = both.alias(**{name: started}).filter(
            **{f"{name}__gt": value_start - LEDGER, f"{name}__lt": value_start + LEDGER}
        )
    more = F("duel__seats__game__regret") - F("game__regret")
    square = CombinedExpression(F("amount"), "*", F("amount"))
    rows = (
        both.values(key=F("rival"), amount=more)
        .values("key")
        .annotate(
            count=Count("pk"), mean=Avg("amount"), square=Avg(square, output_field=FloatField())
        )
    )
    return {row["key"]: Moments(row["count"], row["mean"], row["square"]) for row in rows}
