"""A slow, obvious solver: the definition of the game and a dictionary, nothing clever."""

from functools import cache
from itertools import combinations, product

from solver.rules.dice import DICE, FACES, Dice
from solver.rules.rulesets import Ruleset


@cache
def outcomes(count: int) -> tuple[tuple[Dice, float], ...]:
    """What so many thrown dice may show, and how likely each is, by listing all orders."""
    found: dict[Dice, float] = {}
    for faces in product(range(1, FACES + 1), repeat=count):
        dice = tuple(sorted(faces))
        found[dice] = found.get(dice, 0.0) + FACES**-count
    return tuple(found.items())


class Reference:
    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.start = cache(self._start)
        self.best = cache(self._best)
        self.hold = cache(self._hold)

    def _start(self, filled: int, upper: int, chips_won: bool) -> float:
        if filled == self.rules.full:
            return self.rules.bonus(upper)
        return self.hold((), self.rules.throws, filled, upper, chips_won)

    def _hold(self, kept: Dice, left: int, filled: int, upper: int, chips_won: bool) -> float:
        return sum(
            chance * self.best(tuple(sorted(kept + thrown)), left - 1, filled, upper, chips_won)
            for thrown, chance in outcomes(DICE - len(kept))
        )

    def _best(self, dice: Dice, left: int, filled: int, upper: int, chips_won: bool) -> float:
        values = [
            self.score(o, filled, upper, chips_won) for o in self.options(filled, chips_won, dice)
        ]
        if left:
            holds = {kept for size in range(DICE + 1) for kept in combinations(dice, size)}
            values += [self.hold(kept, left, filled, upper, chips_won) for kept in holds]
        return max(values)

    def options(self, filled: int, chips_won: bool, dice: Dice):
        return self.rules.score_options(filled, chips_won, dice)

    def score(self, option, filled: int, upper: int, chips_won: bool) -> float:
        joker = self.rules.joker
        wins = bool(joker and option.category == self.rules.index[joker.box] and option.points)
        gain = option.points if self.rules.categories[option.category].face else 0
        rest = self.start(filled | 1 << option.category, upper + gain, chips_won or wins)
        return option.points + option.chip + rest
