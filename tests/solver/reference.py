"""A slow, obvious solver: the definition of the game and a dictionary, nothing clever."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import combinations, product

from solver.dp.arrays import Floats
from solver.players import Card, Tabular
from solver.rules import Hold, State
from solver.rules.dice import FACES, Dice
from solver.rules.rulesets import Ruleset, ScoreOption

Choice = Dice | ScoreOption  # what is kept, or where it is scored
CardState = tuple[int, int, bool]  # filled, upper, chips_won
Choices = Callable[[Dice, int, int, int, bool], Sequence[Choice]]


@cache
def outcomes(count: int) -> tuple[tuple[Dice, float], ...]:
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
            for thrown, chance in outcomes(self.rules.dice - len(kept))
        )

    def _best(self, dice: Dice, left: int, filled: int, upper: int, chips_won: bool) -> float:
        values = [
            self.score(o, filled, upper, chips_won) for o in self.options(filled, chips_won, dice)
        ]
        if left:
            holds = {kept for size in range(len(dice) + 1) for kept in combinations(dice, size)}
            values += [self.hold(kept, left, filled, upper, chips_won) for kept in holds]
        return max(values)

    def options(self, filled: int, chips_won: bool, dice: Dice) -> tuple[ScoreOption, ...]:
        return self.rules.score_options(filled, chips_won, dice)

    def score(self, option: ScoreOption, filled: int, upper: int, chips_won: bool) -> float:
        joker = self.rules.joker
        wins = bool(joker and option.category == self.rules.index[joker.box] and option.points)
        gain = option.points if self.rules.categories[option.category].face else 0
        rest = self.start(filled | 1 << option.category, upper + gain, chips_won or wins)
        return option.points + option.chip + rest


class SavedReference:
    """A reference for rules with saved throws: ``left`` includes those of earlier turns."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.start = cache(self._start)
        self.best = cache(self._best)
        self.hold = cache(self._hold)

    def _start(self, filled: int, upper: int, saved: int) -> float:
        if filled == self.rules.full:
            return self.rules.bonus(upper)
        return self.hold((), saved + self.rules.throws, filled, upper)

    def _hold(self, kept: Dice, left: int, filled: int, upper: int) -> float:
        return sum(
            chance * self.best(tuple(sorted(kept + thrown)), left - 1, filled, upper)
            for thrown, chance in outcomes(self.rules.dice - len(kept))
        )

    def _best(self, dice: Dice, left: int, filled: int, upper: int) -> float:
        options = self.rules.score_options(filled, False, dice)
        values = [self.score(option, left, filled, upper) for option in options]
        if left:
            holds = {kept for size in range(len(dice) + 1) for kept in combinations(dice, size)}
            values += [self.hold(kept, left, filled, upper) for kept in holds]
        return max(values)

    def score(self, option: ScoreOption, left: int, filled: int, upper: int) -> float:
        gain = option.points if self.rules.categories[option.category].face else 0
        saved = min(left, self.rules.stock)
        return option.points + self.start(filled | 1 << option.category, upper + gain, saved)


class ByValues(Reference):
    def __init__(self, rules: Ruleset, values: Floats) -> None:
        super().__init__(rules)
        self.values = values

    def _start(self, filled: int, upper: int, chips_won: bool) -> float:
        column = min(upper, self.rules.bonus_threshold)
        return float(self.values[filled | chips_won << len(self.rules.categories), column])

    def of(self, choice: Choice, left: int, *card: *CardState) -> float:
        if isinstance(choice, tuple):
            return self.hold(choice, left, *card)
        return self.score(choice, *card)


class ToWin:
    def __init__(self, rules: Ruleset, worth: Callable[[int], float]) -> None:
        self.rules = rules
        self.worth = worth
        self.best = cache(self._best)
        self.hold = cache(self._hold)

    def at(self, state: State) -> float:
        card = (state.points, state.filled, state.upper, state.chips_won)
        if state.deciding:
            return self.best(tuple(sorted(state.dice)), state.throws_left, *card)
        kept = Hold(state.held).kept(state.dice) if state.dice else ()
        return self.hold(kept, state.throws_left, *card)

    def _start(self, points: int, filled: int, upper: int, chips_won: bool) -> float:
        if filled == self.rules.full:
            return self.worth(points + self.rules.bonus(upper))
        return self.hold((), self.rules.throws, points, filled, upper, chips_won)

    def _hold(self, kept: Dice, left: int, points: int, *card: *CardState) -> float:
        return sum(
            chance * self.best(tuple(sorted(kept + thrown)), left - 1, points, *card)
            for thrown, chance in outcomes(self.rules.dice - len(kept))
        )

    def _best(self, dice: Dice, left: int, points: int, *card: *CardState) -> float:
        values, (filled, upper, chips_won) = [], card
        if left:
            holds = {kept for size in range(len(dice) + 1) for kept in combinations(dice, size)}
            values += [self.hold(kept, left, points, *card) for kept in holds]
        for option in self.rules.score_options(filled, chips_won, dice):
            box, joker = self.rules.categories[option.category], self.rules.joker
            wins = joker is not None and box.id == joker.box and option.points > 0
            upper_points = option.points if box.face else 0
            gained = points + option.points + option.chip
            after = filled | 1 << option.category, upper + upper_points, chips_won or wins
            values.append(self._start(gained, *after))
        return max(values)


class Followed:
    """The chances of every score of the rest of a game, by listing every throw of every turn.

    ``choices(dice, throws left, filled, upper, chips_won)`` are equally likely.
    """

    def __init__(self, rules: Ruleset, choices: Choices) -> None:
        self.rules = rules
        self.choices = choices
        self.start = cache(self._start)
        self.decide = cache(self._decide)
        self.hold = cache(self._hold)

    def _start(self, filled: int, upper: int, chips_won: bool) -> dict[int, float]:
        if filled == self.rules.full:
            return {self.rules.bonus(upper): 1.0}
        return self.hold((), self.rules.throws, filled, upper, chips_won)

    def _hold(self, kept: Dice, left: int, *card: *CardState) -> dict[int, float]:
        return mixed(
            (chance, self.decide(tuple(sorted(kept + thrown)), left - 1, *card))
            for thrown, chance in outcomes(self.rules.dice - len(kept))
        )

    def _decide(self, dice: Dice, left: int, *card: *CardState) -> dict[int, float]:
        choices = self.choices(dice, left, *card)
        return mixed((1 / len(choices), self.after(one, left, *card)) for one in choices)

    def after(
        self, choice: Choice, left: int, filled: int, upper: int, chips_won: bool
    ) -> dict[int, float]:
        if isinstance(choice, tuple):
            return self.hold(choice, left, filled, upper, chips_won)
        joker = self.rules.joker
        wins = bool(joker and choice.category == self.rules.index[joker.box] and choice.points)
        gain = choice.points if self.rules.categories[choice.category].face else 0
        rest = self.start(filled | 1 << choice.category, upper + gain, chips_won or wins)
        return {choice.points + choice.chip + score: chance for score, chance in rest.items()}


def mixed(parts: Iterable[tuple[float, dict[int, float]]]) -> dict[int, float]:
    found: dict[int, float] = {}
    for share, scores in parts:
        for score, chance in scores.items():
            found[score] = found.get(score, 0.0) + share * chance
    return found


def choices_of(agent: Tabular) -> Choices:
    rules = agent.rules

    def boxes(card: Card, dice: Dice, filled: int, chips_won: bool) -> list[ScoreOption]:
        scored = {o.category: o for o in rules.score_options(filled, chips_won, dice)}
        return [
            scored[box] for box in card.boxes[:, rules.cup.roll_index[dice]].tolist() if box >= 0
        ]

    def choices(
        dice: Dice, left: int, filled: int, upper: int, chips_won: bool
    ) -> Sequence[Choice]:
        row = filled | chips_won << len(rules.categories)
        card = agent.card(row, min(upper, rules.bonus_threshold))
        if not left:
            return boxes(card, dice, filled, chips_won)
        found: list[Choice] = []
        for hold in card.holds[:, left - 1, rules.cup.roll_index[dice]].tolist():
            scored = boxes(card, dice, filled, chips_won)
            # To keep all dice ends the turn. Each way is as likely, however many boxes it leaves.
            ends = len(rules.cup.holds[hold]) == rules.dice
            found += scored if ends else [rules.cup.holds[hold]] * len(scored)
        return found

    return choices
