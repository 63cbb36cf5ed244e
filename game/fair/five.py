"""The day's five positions: of the pool, from easy to hard, the same for everybody.

Each level of the pool is shuffled anew once all of it has been asked, so that a position does not
come back for weeks. Nobody knows the next day's: the order follows from a secret.
"""

from datetime import date

import numpy as np

from game.fair.blocks import seed_of_five
from game.judgement.pool import Exercise, exercises
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
