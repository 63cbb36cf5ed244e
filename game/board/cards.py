"""Small view models of the pages beside the game."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from game.kind import kind_of
from game.models import Game
from game.words import labels
from solver.rules import Category, Ruleset


@dataclass(frozen=True, slots=True)
class BoxRule:
    name: str
    description: str
    maximum: int


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


def box_rules(rules: Ruleset) -> list[BoxRule]:
    return [_box_rule(category, rules) for category in rules.categories]


def _box_rule(category: Category, rules: Ruleset) -> BoxRule:
    name, rule = labels.category_name(category), labels.category_rule(category)
    return BoxRule(name, rule, labels.category_maximum(category, rules))


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
    )
