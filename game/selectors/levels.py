"""What players lose in the games that say how well they play. Each function is one query."""

from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import Avg, Count, F, FloatField, QuerySet
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Cast

from game.judgement.skill import Moments
from game.models import Game, Player
from game.selectors.duels.records import against
from game.selectors.games import counted
from game.selectors.losses import judged
from game.selectors.profile import rated
from game.words.equation import LEDGER
from solver.rules import Ruleset


def lost_by_players(
    players: Collection[Player], rules: Ruleset, value_start: float
) -> Mapping[int, Moments]:
    """Of games without help on dice that others play too and nobody can have known; by key."""
    games = Game.objects.filter(
        counted(),
        rated(),
        player__in=[one.pk for one in players],
        ruleset=rules.id,
        free_decisions__gt=0,
    )
    found = judged(games, value_start).order_by().values("player")
    return _moments(found.annotate(key=F("player"), amount=F("regret")))


def differences(player: Player, rules: Ruleset, value_start: float) -> Mapping[int, Moments]:
    """Points that each of the others lost more than the player, in duels that both finished."""
    both = against(player).filter(duel__ruleset=rules.id)
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
    return _moments(both.values("rival").annotate(key=F("rival"), amount=more))


def _moments(amounts: QuerySet[Any]) -> dict[int, Moments]:
    square = CombinedExpression(F("amount"), "*", F("amount"))
    rows = amounts.values("key").annotate(
        count=Count("pk"), mean=Avg("amount"), square=Avg(square, output_field=FloatField())
    )
    return {row["key"]: Moments(row["count"], row["mean"], row["square"]) for row in rows}
