"""What has been answered of the day's five positions, by one player and by all."""

from dataclasses import dataclass
from datetime import date

from django.db.models import Avg, Count, F, Value
from django.db.models.functions import Greatest

from game.judgement.repetition import NO_CREDIT
from game.models import FIVE, FiveAnswer, Player
from solver.rules import Ruleset


@dataclass(frozen=True, slots=True)
class Everybody:
    """Of a day: how many answered all five, and their mean credit, between 0 and 1."""

    players: int
    credit: float | None


def five_answers(player: Player | None, day: date, rules: Ruleset) -> dict[int, FiveAnswer]:
    """By their place, from 1."""
    if player is None:
        return {}
    found = FiveAnswer.objects.filter(player=player, day=day, ruleset=rules.id)
    return {answer.place: answer for answer in found.order_by("place")}


def five_of_everybody(day: date, rules: Ruleset) -> Everybody:
    credit = Greatest(Value(0.0), Value(1.0) - F("regret") / Value(NO_CREDIT))
    found = FiveAnswer.objects.filter(day=day, ruleset=rules.id).order_by().values("player")
    whole = found.annotate(answers=Count("pk"), mean=Avg(credit)).filter(answers=FIVE)
    means = [row["mean"] for row in whole]
    return Everybody(len(means), sum(means) / len(means) if means else None)
