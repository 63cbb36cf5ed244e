"""Small view models of pages around the game."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from game.core.counting import help_note
from game.core.kind import kind_of
from game.core.words import labels
from game.core.words.examples import counting_first, example
from game.core.words.labels import cache_by_language
from game.models import Game
from game.pages.board import rules_words as words
from game.pages.board.target import target_outcome
from solver.rules import Category, Ruleset


@dataclass(frozen=True, slots=True)
class BoxRule:
    """A line of the page of rules: what a box needs, and an example with its points."""

    name: str
    description: str
    points: int
    dice: tuple[tuple[int, bool], ...] = ()  # the dice of the example, and whether each counts


@dataclass(frozen=True, slots=True)
class PastGame:
    pk: str
    url: str
    mode_label: str
    game_name: str
    started: datetime
    finished: datetime | None
    abandoned: datetime | None
    bonus: int | None
    chips: int | None
    final_score: int | None
    came_to: str  # whether the target was reached, in words; empty without a target
    helped: str  # a note on the coach's help; empty for an unaided game

    @property
    def over(self) -> datetime | None:
        return self.finished or self.abandoned


@cache_by_language
def box_rules(rules: Ruleset) -> tuple[list[BoxRule], list[BoxRule]]:
    """Return the rules of the upper boxes and the bonus, and those of the lower boxes and chips."""
    upper = [_make_box_rule(category, rules) for category in rules.categories if category.face]
    lower = [_make_box_rule(category, rules) for category in rules.categories if not category.face]
    if rules.bonus_points:
        upper.append(BoxRule(_("Bonus"), words.bonus(rules), rules.bonus_points))
    if rules.joker:
        name = labels.chips(rules.joker)
        lower.append(BoxRule(name, words.chips(rules.joker), rules.joker.chip))
    return upper, lower


def _make_box_rule(category: Category, rules: Ruleset) -> BoxRule:
    name, rule = labels.category_name(category), labels.category_rule(category)
    roll = example(category, rules)
    return BoxRule(name, rule, category.score(roll), counting_first(category, roll))


def past_games(games: Iterable[Game]) -> list[PastGame]:
    return [past_game(game) for game in games]


def past_game(game: Game) -> PastGame:
    return PastGame(
        pk=game.pk,
        url=reverse("game", args=[game.pk]),
        mode_label=kind_of(game).label,
        game_name=labels.ruleset_name(game.rules),
        started=game.started_at,
        finished=game.finished_at,
        abandoned=game.abandoned_at,
        bonus=game.bonus,
        chips=game.chips,
        final_score=game.final_score,
        came_to=target_outcome(game),
        helped=help_note(game),
    )
