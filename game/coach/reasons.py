"""The reason why the best option is best, in one or two sentences.

This module calculates the facts from the tables; without the tables of outlook or reasons there are
fewer facts. ``coach.json`` chooses the sentences: first the aim of the best option, then the reason
why its rival costs points. The rival is the option that looks better, comes second, or was chosen.
"""

from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

from django.utils.functional import cached_property

from game.core.words import phrases
from game.core.words.sentences import Event
from game.core.words.speech import LIMITS, Speaker, describe_odds, say
from game.core.worth.severity import find_severity
from solver.advice import Advice, Advisor, Option
from solver.advice.aims import Aim, find_aim
from solver.advice.options import sort_by_cost
from solver.rules.position import Position


def explain_best(
    advisor: Advisor, position: Position, advice: Advice, choice: Option | None = None
) -> str:
    return Facts(advisor, position, advice, choice).said("why")


def make_verdict(regret: float, words: str | None = None, act: str = "") -> Event:
    """Return the event that shows a verdict. Without ``words``, it has the words of a review."""
    severity, price = find_severity(regret), phrases.format_cost(regret)
    if words is None:
        facts = SimpleNamespace(regret=regret, severity=severity, price=price)
        words = Speaker(facts).said("review")
    return Event("verdict", words, act, {"severity": severity.id, "cost": f"{regret:.2f}"})


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
    best option in this box. If an option or the aim names the box, it is ``explained``."""

    box: str
    share: float
    expected: float
    explained: bool


class Facts:
    """The facts about a decision that the rules of ``coach.json`` name. ``rival`` is the option
    that is compared with the best one: the player's choice, else the box that looks best, else the
    next option with a noticeable cost. ``stops`` is true if the best option holds all dice."""

    def __init__(
        self, advisor: Advisor, position: Position, advice: Advice, choice: Option | None = None
    ) -> None:
        self.advisor, self.position, self.advice = advisor, position, advice
        self.tense = "before" if choice is None else "found" if choice.best else "missed"
        self.first = first = choice if choice and choice.best else advice.best
        chosen = choice if choice and not choice.best else None
        holds_all = first.action == "hold" and len(first.dice) == advisor.rules.dice
        # Compared with a box, holding all dice means filling that box later.
        compared = advice.options if holds_all and chosen and chosen.action == "score" else ()
        boxes = (option for option in compared if option.best and option.action == "score")
        self.best = best = next(boxes, first)
        self.stops = holds_all and best.action == "hold"
        others = [option for option in advice.options if option is not first]
        others = [option for option in others if option.action == "hold" or not holds_all]
        self.nearest = chosen or next(iter(others), first)
        costly = [option for option in others if option.regret >= LIMITS["noticeable"]]
        tempting = max(filter(self._looks_better, costly), key=lambda o: o.points, default=None)
        self.rival = rival = chosen or tempting or next(iter(costly), self.nearest)
        self.better = rival.regret >= LIMITS["noticeable"] and self._looks_better(rival)
        self.options, self.rolls = len(advice.options), position.throws_left
        self.open = len(advisor.rules.open(position.filled))
        self.more = rival.points - best.points
        self.fewer = best.value - best.points - (rival.value - rival.points)
        self.most_points = max(option.points for option in advice.options)

    def _looks_better(self, other: Option) -> bool:
        return self.best.action == other.action == "score" and other.points > self.best.points

    def said(self, group: str) -> str:
        rules = self.advisor.rules
        formats: dict[str, Any] = {
            "box": lambda box: phrases.name_box(rules, box) if box else say("no_points"),
            "option": partial(phrases.describe_option, rules),
            "points": phrases.format_points,
            "odds": describe_odds,
            "percent": phrases.format_percent,
        }
        return Speaker(self, formats).said(group)

    @property
    def secures(self) -> bool:
        """True if the best box secures the upper bonus; a joker's chip does not count."""
        rules, position = self.advisor.rules, self.position
        joker = rules.find_joker(position.filled, position.chips_won, position.dice)
        upper = position.upper + self.best.points - (joker.chip if joker else 0)
        face = self.best.category and rules.categories[rules.index[self.best.category]].face
        return bool(face) and position.upper < rules.bonus_threshold <= upper

    @cached_property
    def saved(self) -> float:
        """The points that the rolls saved by the best box are worth; 0 if it saves none."""
        saves = self.advisor.rules.stock and self.best.action == "score"
        return self.advisor.find_saved_value(self.position, self.best) if saves else 0.0

    @cached_property
    def aim(self) -> Aim | None:
        """The aim of the best hold; None if the best option is a box, or holds all or no dice."""
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
        """The difference of the bonus chance between the best option and the rival one. None if the
        bonus is decided, a chance is unknown, or both are printed as the same percentage."""
        seen = self.best.outlook, self.rival.outlook
        chances = [outlook.bonus_chance for outlook in seen if outlook]
        words = set(map(phrases.format_percent, chances))
        if len(words) < len(seen) or not is_bonus_in_reach(self.position):
            return None
        loss = (chances[0] - chances[1]) * self.advisor.rules.bonus_points
        figures = tuple(min(99, max(1, round(100 * chance))) for chance in chances)
        return Fall(chances[0], chances[1], loss / self.rival.regret, figures)

    @cached_property
    def largest(self) -> Largest | None:
        expected = self.advisor.find_expected_parts(self.position, self.best, self.rival)
        if expected is None:
            return None
        gains = [more.points - less.points for more, less in zip(*expected, strict=True)]
        at = sort_by_cost([-gain for gain in gains])[0]
        part = expected[0][at]
        misses = self.aim.rest if self.aim else None
        named = self.aim and self.aim.box, *(misses.boxes if misses else ())
        explained = {self.best.category, self.rival.category, *named}
        share = gains[at] / self.rival.regret
        return Largest(part.box, share, part.points, part.box in explained)
