"""A tournament controller for programs. Its names are those of a controller published in Java.

A program is a ``Player`` whose ``turn(dice, stage)`` returns a ``TurnChoice``. Through
``self.game`` the program reads copies of its card and of all players' scores, in ascending order.

``Category`` has the boxes of Yahtzee, which the Java tournament plays with forced jokers;
``make_box_enum`` returns the boxes of any ruleset. Names are in Python's style:
``getFreeCategories`` is ``free_categories``, ``getScoreCard(this)`` is ``game.scorecard``.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, cast

import numpy as np

from solver.arena.illegal import Disqualified
from solver.rules import Action, Hold, Ruleset, Score, State
from solver.rules.rulesets import YAHTZEE
from solver.rules.rulesets import Category as RuleCategory

PUBLISHED_NAMES = {"ones": "ACES"}


class CategoryBox(Enum):
    """A box of the scorecard: the base of the enumerations that ``make_box_enum`` creates."""

    @property
    def rule(self) -> RuleCategory:
        return cast(RuleCategory, self.value)

    @property
    def id(self) -> str:
        return self.rule.id

    @property
    def is_upper(self) -> bool:
        return bool(self.rule.face)

    @property
    def is_lower(self) -> bool:
        return not self.rule.face

    def matches(self, dice: Sequence[int]) -> bool:
        """Return whether the dice score points in this box. Joker rules are ignored."""
        return self.score(dice) > 0

    def score(self, dice: Sequence[int]) -> int:
        """Return the points of the dice in this box. Joker rules are ignored."""
        return self.rule.score(tuple(sorted(dice)))

    @classmethod
    def matching_categories(cls, dice: Sequence[int]) -> list["CategoryBox"]:
        return [category for category in cls if category.matches(dice)]


def make_box_enum(rules: Ruleset) -> Any:
    """Return an Enum of the boxes in card order. Rulesets with the same boxes share one Enum."""
    return _make_enumeration(rules.categories)


@cache
def _make_enumeration(categories: tuple[RuleCategory, ...]) -> Any:
    members = [(PUBLISHED_NAMES.get(box.id, box.id.upper()), box) for box in categories]
    make: Any = CategoryBox  # mypy mistakes a call of an Enum for a look-up
    return make("Category", members, module=__name__)


Category = make_box_enum(YAHTZEE)


@dataclass(frozen=True)
class TurnChoice:
    """A player's answer: the indexes (from 0) of the dice to hold, or the box to fill."""

    choice: Iterable[int] | CategoryBox

    @property
    def category(self) -> CategoryBox | None:
        return self.choice if isinstance(self.choice, CategoryBox) else None


@dataclass
class Scorecard:
    """A copy of a player's card; changes to the copy do not change the game."""

    free_categories: list[CategoryBox]
    score: int
    yahtzee_bonus: int
    upper_bonus: int
    upper_score: int  # total of the upper boxes without the bonus

    @classmethod
    def from_state(cls, state: State) -> "Scorecard":
        boxes = list(make_box_enum(state.rules))
        free = [boxes[number] for number in state.rules.open(state.filled)]
        return cls(free, state.total, state.chips, state.bonus, state.upper)


class Controller:
    def __init__(self, state: State, others: Sequence[int] = ()) -> None:
        self._state, self._others = state, tuple(others)

    @property
    def rules(self) -> Ruleset:
        return self._state.rules

    @property
    def categories(self) -> Any:
        return make_box_enum(self._state.rules)

    @property
    def scorecard(self) -> Scorecard:
        return Scorecard.from_state(self._state)

    @property
    def scores(self) -> list[int]:
        """The scores of all players, also this player's, in ascending order and without names."""
        return sorted((self._state.total, *self._others))


class PublishedPlayer(ABC):
    """The base class of players with this interface. Every game gets a new instance."""

    def __init__(self, game: Controller) -> None:
        self.game = game

    @property
    def name(self) -> str:
        return type(self).__name__

    @abstractmethod
    def turn(self, dice: list[int], stage: int) -> TurnChoice:
        """Return the hold or the box. ``stage`` is 0 after the first roll and 2 after the last."""


Player = PublishedPlayer  # the base class under the name that programs use


class PlayerAgent:
    """An agent that passes decisions to a ``Player`` and checks the format of its answers."""

    def __init__(self, player: type[PublishedPlayer], rules: Ruleset) -> None:
        self._class, self._rules = player, rules
        self._players: dict[int, PublishedPlayer] = {}
        self._game = 0

    def go_on(self, game: int) -> None:
        self._game = game

    def end_game(self, game: int, score: int, others: Sequence[int]) -> None:
        self._players.pop(game, None)

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        game = Controller(state, others)
        stage = self._rules.throws - 1 - state.throws_left
        player = self._players.get(self._game)
        if player is None or (not state.filled and not stage):
            player = self._players[self._game] = self._class(game)
        player.game = game
        return parse_action(player.turn(list(state.dice), stage), state.rules)


def parse_action(answer: object, rules: Ruleset) -> Action:
    """Convert a ``TurnChoice`` to an action. Raise ``Disqualified`` if its format is wrong."""
    if not isinstance(answer, TurnChoice):
        raise Disqualified(f"answered with {_shorten(answer)}, which is no TurnChoice")
    category = answer.category
    if category is None:
        if not isinstance(answer.choice, Iterable) or isinstance(answer.choice, str):
            raise Disqualified(
                f"chose {_shorten(answer.choice)}: neither a category nor indexes of dice"
            )
        slots = 0
        for index in answer.choice:
            if isinstance(index, bool) or not isinstance(index, int | np.integer):
                raise Disqualified(
                    f"chose to hold the die {_shorten(index)}, which is no whole number"
                )
            if not 0 <= index < rules.dice:
                raise Disqualified(f"chose to hold the die {index}: dice are 0 to {rules.dice - 1}")
            if slots >> int(index) & 1:
                raise Disqualified(f"chose to hold the die {index} twice")
            slots |= 1 << int(index)
        return Hold(slots)
    if category not in make_box_enum(rules):
        raise Disqualified(f"chose {category!r}, which is no category of {rules.title}")
    return Score(category.id)


def _shorten(value: object) -> str:
    text = f"{type(value).__name__} {value!r}"
    return text if len(text) <= 80 else text[:79] + "…"


def count(dice: Iterable[int], face: int) -> int:
    return sum(die == face for die in dice)


def int_to_upper_category(face: int) -> CategoryBox:
    for category in Category:
        if category.rule.face == face:
            return cast(CategoryBox, category)
    raise ValueError(f"there is no upper category for {face}")


def upper_category_to_int(category: CategoryBox) -> int:
    if not category.is_upper:
        raise ValueError(f"{category.name} is no upper category")
    return category.rule.face


def sum_of(dice: Iterable[int]) -> int:
    return sum(dice)
