"""Small view models: the data of templates for pages around the game."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from game.core.counting import format_help_note
from game.core.kind import find_kind
from game.core.words import labels
from game.core.words.labels import cache_by_language
from game.models import Game
from game.pages.board import rules_words as words
from game.pages.board.rules_words import find_example, sort_counting_first
from game.pages.board.target import describe_target
from solver.rules import Category, Ruleset


@dataclass(frozen=True, slots=True)
class BoxRule:
    name: str
    description: str
    points: int
    dice: tuple[tuple[int, bool], ...] = ()  # the dice of the example, each with whether it counts


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
    came_to: str  # text on whether the player reached the target; empty without a target
    helped: str  # text on the coach's help; empty for a game without help

    @property
    def over(self) -> datetime | None:
        return self.finished or self.abandoned


@cache_by_language
def list_box_rules(rules: Ruleset) -> tuple[list[BoxRule], list[BoxRule]]:
    """Return the rules of the upper boxes and the bonus, and of the lower boxes and the chips."""
    upper = [_make_box_rule(category, rules) for category in rules.categories if category.face]
    lower = [_make_box_rule(category, rules) for category in rules.categories if not category.face]
    if rules.bonus_points:
        upper.append(BoxRule(_("Bonus"), words.explain_bonus(rules), rules.bonus_points))
    if rules.joker:
        name = labels.name_chip_bonus(rules.joker)
        lower.append(BoxRule(name, words.explain_chips(rules.joker), rules.joker.chip))
    return upper, lower


def _make_box_rule(category: Category, rules: Ruleset) -> BoxRule:
    name, rule = labels.find_category_name(category), labels.explain_category(category)
    roll = find_example(category, rules)
    return BoxRule(name, rule, category.score(roll), sort_counting_first(category, roll))


def list_past_games(games: Iterable[Game]) -> list[PastGame]:
    return [make_past_game(game) for game in games]


def make_past_game(game: Game) -> PastGame:
    return PastGame(
        pk=game.pk,
        url=reverse("game", args=[game.pk]),
        mode_label=find_kind(game).label,
        game_name=labels.find_ruleset_name(game.rules),
        started=game.started_at,
        finished=game.finished_at,
        abandoned=game.abandoned_at,
        bonus=game.bonus,
        chips=game.chips,
        final_score=game.final_score,
        came_to=describe_target(game),
        helped=format_help_note(game),
    )
