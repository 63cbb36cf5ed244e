"""The day's five positions: of the pool, from easy to hard, the same for everybody; and what
has been answered of them, by one player and by all.

Each level of the pool is shuffled anew once all of it has been asked, so that a position does not
come back for weeks. Nobody knows the next day's: the order follows from a secret.
"""

from dataclasses import dataclass
from datetime import date

import numpy as np
from django.db.models import Avg, Count, F, Value
from django.db.models.functions import Greatest

from game.core.fair.blocks import seed_of_five
from game.core.worth.repetition import NO_CREDIT
from game.models import FIVE, FiveAnswer, Player
from game.practice.drill_pool import Exercise, exercises
from solver.rules import Ruleset

LEVELS = (1, 2, 3, 3, 4)


def five_of_day(day: date, rules: Ruleset) -> tuple[Exercise, ...]:
    return tuple(
        _asked(day, rules, level, LEVELS[:place].count(level)) for place, level in enumerate(LEVELS)
    )


def _asked(day: date, rules: Ruleset, level: int, before: int) -> Exercise:
    """``before``: so many of this level stand before it on the same day."""
    pool = [one for one in exercises(rules).values() if one.level == level]
    number = day.toordinal() * LEVELS.count(level) + before
    lap, place = divmod(number, len(pool))
    seed = int(seed_of_five(rules.id, level, lap), 16)
    return pool[int(np.random.default_rng(seed).permutation(len(pool))[place])]


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
