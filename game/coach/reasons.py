"""The reason why the best option is best, in one or two sentences.

This module calculates the facts from the tables; without the tables of outlook or reasons there are
fewer facts. ``coach.json`` chooses the sentences: first the aim of the best option, then what costs
points in the option that looks better, comes second, or was chosen.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from django.utils.functional import cached_property

from game.core.words import phrases
from game.core.words.speech import LIMITS, Speaker, describe_odds, say
from solver.advice import Advice, Advisor, Option
from solver.advice.aims import Aim, find_aim
from solver.advice.options import sort_by_cost
from solver.rules.position import Position


def explain_best(advisor: Advisor, position: Position, advice: Advice) -> str:
    return Facts(advisor, position, advice).said("why")


def explain_choice(advisor: Advisor, position: Position, advice: Advice, chosen: Option) -> str:
    return Facts(advisor, position, advice, chosen).said("why")


def describe_aims(advisor: Advisor, position: Position, option: Option) -> str:
    facts = Facts(advisor, position, Advice(option.value, (option,)))
    facts.aim = find_aim(advisor.list_endings(position, option))
    return facts.said("hold")


def is_bonus_in_reach(position: Position) -> bool:
    rules, upper = position.rules, position.upper
    still = sum(rules.dice * rules.categories[box].face for box in rules.open(position.filled))
    return upper < rules.bonus_threshold <= upper + still


class Fall(NamedTuple):
    """The chance of the bonus with the best option (``before``) and with its rival (``after``);
    ``share`` is the part of the rival's cost that the difference explains."""

    before: float
    after: float
    share: float
    figures: tuple[int, ...]


class Largest(NamedTuple):
    """The box in which the rival option loses most points; ``expected`` is the mean points of the
    best option in this box."""

    box: str
    share: float
    expected: float
    explained: bool


class Facts:
    """The facts about a decision that the rules of ``coach.json`` name."""

    def __init__(
        self, advisor: Advisor, position: Position, advice: Advice, choice: Option | None = None
    ) -> None:
        self.advisor = advisor
        self.position = position
        self.advice = advice
        self.tense = "before" if choice is None else "found" if choice.best else "missed"
        self.first = choice if choice is not None and choice.best else advice.best
        self.chosen = choice if choice is not None and not choice.best else None
        self.options = len(advice.options)
        self.open = len(advisor.rules.open(position.filled))
        self.rolls = position.throws_left

    def said(self, group: str) -> str:
        rules = self.advisor.rules
        formats: dict[str, Callable[[Any], str]] = {
            "box": lambda box: phrases.name_box(rules, box) if box else say("no_points"),
            "option": partial(phrases.describe_option, rules),
            "points": phrases.format_points,
            "number": str,
            "odds": describe_odds,
            "percent": phrases.format_percent,
        }
        return Speaker(self, formats).said(group)

    @cached_property
    def best(self) -> Option:
        """The best option; if it holds all dice and the player chose a box, a best box."""
        if self._holds_all and self.chosen is not None and self.chosen.action == "score":
            boxes = (
                option for option in self.advice.options if option.best and option.action == "score"
            )
            return next(boxes, self.first)
        return self.first

    @property
    def _holds_all(self) -> bool:
        return self.first.action == "hold" and len(self.first.dice) == self.advisor.rules.dice

    @property
    def stops(self) -> bool:
        """True if the best option holds all dice although rolls are left."""
        return self._holds_all and self.best.action == "hold"

    @cached_property
    def _others(self) -> list[Option]:
        """All options except the first best one. If that option holds all dice, boxes are left out
        too."""
        others = [option for option in self.advice.options if option is not self.first]
        return [option for option in others if option.action == "hold" or not self._holds_all]

    @property
    def nearest(self) -> Option:
        return self.chosen or self._others[0]

    @cached_property
    def rival(self) -> Option:
        """The option that is compared with the best one: the player's choice, else the box that
        looks best, else the next option with a noticeable cost."""
        if self.chosen is not None:
            return self.chosen
        tempting = [option for option in self._others if self._looks_better(option)]
        if tempting:
            return max(tempting, key=lambda option: option.points)  # options are sorted by value
        costly = (option for option in self._others if option.regret >= LIMITS["noticeable"])
        return next(costly, self._others[0])

    @property
    def better(self) -> bool:
        """True if the rival is a costly box that scores more now than the best box."""
        return self._looks_better(self.rival)

    def _looks_better(self, other: Option) -> bool:
        boxes = self.best.action == other.action == "score"
        more = other.points > self.best.points
        return boxes and more and other.regret >= LIMITS["noticeable"]

    @property
    def more(self) -> int:
        """The points that the rival scores now, minus those of the best option."""
        return self.rival.points - self.best.points

    @property
    def fewer(self) -> float:
        """The points that the best option scores later, minus those of the rival."""
        return self.best.value - self.best.points - (self.rival.value - self.rival.points)

    @property
    def most_points(self) -> int:
        return max(option.points for option in self.advice.options)

    @property
    def secures(self) -> bool:
        """True if the best box secures the upper bonus; a joker's chip does not count."""
        rules, position = self.advisor.rules, self.position
        joker = rules.find_joker(position.filled, position.chips_won, position.dice)
        points = self.best.points - (joker.chip if joker else 0)
        face = self.best.category and rules.categories[rules.index[self.best.category]].face
        return bool(face) and position.upper < rules.bonus_threshold <= position.upper + points

    @cached_property
    def saved(self) -> float:
        """The value of the rolls that the best box saves; 0 if it saves none."""
        if not self.advisor.rules.stock or self.best.action == "hold":
            return 0.0
        return self.advisor.find_saved_value(self.position, self.best)

    @cached_property
    def aim(self) -> Aim | None:
        """The aim of the best hold; None for a box, for all dice and for no dice."""
        if self.best.action == "score" or self.stops or not self.best.dice:
            return None
        return find_aim(self.advisor.list_endings(self.position, self.best))

    @property
    def bonus_chance(self) -> float | None:
        """The chance of the upper bonus with the best option; None if unknown or decided."""
        seen = self.best.outlook if is_bonus_in_reach(self.position) else None
        return seen.bonus_chance if seen else None

    @property
    def falls(self) -> Fall | None:
        """The fall of the bonus chance from the best option to its rival; None if the bonus is
        decided, a chance is unknown, or both chances print as the same percentage."""
        before, after = self.best.outlook, self.rival.outlook
        if before is None or after is None or not is_bonus_in_reach(self.position):
            return None
        chances = before.bonus_chance, after.bonus_chance
        if phrases.format_percent(chances[0]) == phrases.format_percent(chances[1]):
            return None
        loss = (chances[0] - chances[1]) * self.advisor.rules.bonus_points
        figures = tuple(min(99, max(1, round(100 * chance))) for chance in chances)
        return Fall(*chances, loss / self.rival.regret, figures)

    @cached_property
    def largest(self) -> Largest | None:
        expected = self.advisor.find_expected_parts(self.position, self.best, self.rival)
        if expected is None:
            return None
        best, rival = ({part.box: part.points for part in parts} for parts in expected)
        boxes = list(best)
        box = boxes[sort_by_cost([rival[name] - best[name] for name in boxes])[0]]
        share = (best[box] - rival[box]) / self.rival.regret
        return Largest(box, share, best[box], box in self._explained)

    @property
    def _explained(self) -> set[str]:
        if self.best.action == "score":
            return {self.best.category}
        if self.aim is None:
            return set()
        return {self.aim.box, *(self.aim.rest.boxes if self.aim.rest else ())}
