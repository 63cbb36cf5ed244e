"""Lessons: positions that show the idea of their best move, and the pages that quiz the player."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import NamedTuple

import numpy as np
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.core.words import labels, phrases
from game.core.worth.tables import require_advisor
from game.pages.requests.visitors import PlayRequest
from game.pages.rulesets import list_rules_choices, rules_asked
from game.practice.asking import make_again_url
from game.practice.drill_pool import load_exercises
from solver.advice import Position
from solver.dp.arrays import Floats, Ints, find_roll_chances
from solver.dp.space import TIE
from solver.dp.turn import Turn, find_first_best
from solver.players.playbook import read_playbook, read_stored_books
from solver.players.playbook_play import PlaybookPlay, calculate_reached_cards
from solver.players.playbook_rules import BookRule, Playbook, format_sentence
from solver.rules import RULESETS, Ruleset

ASKED = 6  # number of positions per lesson, if there are enough
LEAST = 0.25  # points; a player who forgets the rule loses at least this in each position
DRAWN, SEED = 500, 1  # number of random cards, and their seed


class RuleLesson(NamedTuple):
    """A lesson about one rule of a playbook. ``number`` is the index of this rule."""

    number: int
    rule: BookRule
    earns: float
    costs: float


def list_lessons(rules: Ruleset, size: str) -> list[RuleLesson]:
    """Return the lessons, costliest first (if a player forgets the rule); empty without a
    playbook."""
    stored = read_stored_books(rules.id).get(size)
    if stored is None:
        return []
    known, lessons = Playbook.from_facts(stored).rules, stored["lessons"]
    return [
        RuleLesson(lesson["rule"], known[lesson["rule"]], lesson["earns"], lesson["costs"])
        for lesson in lessons
    ]


@cache
def list_lesson_positions(rules: Ruleset, size: int, number: int) -> tuple[Position, ...]:
    """Return the lesson's positions. They have different cards and dice, and never change."""
    positions = list[Position]()
    for cards in (_list_pool_cards, _draw_cards):
        more = ASKED - len(positions)
        if more:
            positions += islice(
                _find_positions(rules, size, number, cards(rules, size), positions), more
            )
    return tuple(positions)


def _find_positions(
    rules: Ruleset, size: int, number: int, cards: list[Position], positions: list[Position]
) -> Iterator[Position]:
    """Yield, for each card on which the rule matters, the position in which forgetting the rule
    costs most. Skip dice that ``positions`` has already."""
    book, coach = read_playbook(rules, size), require_advisor(rules)
    known = book.rules[:number] + book.rules[number + 1 :]
    rows = np.array([coach.space.find_row(met.filled, chips_won=met.chips_won) for met in cards])
    knowing = _PlaybookMoves(PlaybookPlay(rules, book), rows)
    forgetful = _PlaybookMoves(PlaybookPlay(rules, replace(book, rules=known)), rows)
    falls = find_roll_chances(rules.dice)[:, None].copy()
    falls[[rules.cup.roll_index[position.dice] for position in positions]] = 0.0
    holds = (knowing.holds != forgetful.holds).any(axis=(0, 1))
    for at in np.flatnonzero(holds | (knowing.boxes != forgetful.boxes).any(axis=0)).tolist():
        card = cards[at]
        turn = coach.turn(card.filled, card.upper, chips_won=card.chips_won)
        costs = knowing.calculate_costs(turn, at)
        saved = forgetful.calculate_costs(turn, at) - costs
        worth = np.where((costs < TIE) & (saved >= LEAST), saved, 0.0) * falls
        roll, left = np.unravel_index(find_first_best(worth.ravel()), worth.shape)
        if worth[roll, left]:
            falls[roll] = 0.0
            yield replace(card, dice=rules.cup.rolls[roll], rolls_left=int(left))


def _list_pool_cards(rules: Ruleset, _size: int) -> list[Position]:
    positions = [exercise.position for exercise in load_exercises(rules).values()]
    return list({(p.filled, p.upper, p.chips_won): p for p in positions}.values())


@cache
def _draw_cards(rules: Ruleset, size: int) -> list[Position]:
    """Return random cards without a bonus, each drawn with its chance in games of the playbook."""
    reached, _mean = calculate_reached_cards(PlaybookPlay(rules, read_playbook(rules, size)))
    reached[rules.full :: rules.full + 1] = 0.0
    reached[:, -1] = 0.0
    chances = reached.ravel() / reached.sum()
    drawn = np.random.default_rng(SEED).choice(len(chances), size=DRAWN, p=chances)
    rows, uppers = np.divmod(np.unique(drawn), reached.shape[1])
    anything = Position(rules, 0, 0, rules.cup.rolls[0], 0)
    return [
        replace(anything, filled=row & rules.full, upper=upper, chips_won=row > rules.full)
        for row, upper in zip(rows.tolist(), uppers.tolist(), strict=True)
    ]


class _PlaybookMoves:
    """The moves that a playbook makes on some cards, for every roll and number of rolls left."""

    def __init__(self, play: PlaybookPlay, rows: Ints) -> None:
        self.stop = play.cup.first_roll  # a higher number means: fill a box at once
        self.holds, self.boxes = play.decide(rows)

    def calculate_costs(self, turn: Turn, at: int) -> Floats:
        """Return an array by [roll, rolls left] for the card with index ``at``: the expected points
        that the playbook's move loses, compared with the best move."""
        boxes = self.boxes[:, at]
        rolls, place = np.arange(len(boxes)), np.vectorize(turn.place.get)(boxes)
        scored = turn.evaluate_boxes(0)[place, rolls]
        values = [scored]
        for left, held in enumerate(self.holds[:, :, at], start=1):
            values.append(np.where(held < self.stop, turn.holds(left)[held], scored))
        best = [turn.best(left) for left in range(len(values))]
        costs: Floats = np.array(best).T - np.array(values).T
        return costs


DIGITS = 2


def make_lessons_url(rules: Ruleset, size: str) -> str:
    return f"{reverse('lessons')}?{urlencode({'rules': rules.id, 'size': size})}"


def make_lesson_name(rules: Ruleset, size: str, place: int) -> str:
    return f"lesson-{rules.id}-{size}-{place}"


def format_lesson_worth(lesson: RuleLesson) -> str:
    figures = {
        name: phrases.format_points(getattr(lesson, name), DIGITS) for name in ("earns", "costs")
    }
    return (
        _(
            "This rule adds %(earns)s points per game; forgetting it costs %(costs)s points "
            "per game."
        )
        % figures
    )


@never_cache
@require_safe
def lessons(request: PlayRequest) -> HttpResponse:
    taught = {name: rules for name, rules in RULESETS.items() if read_stored_books(name)}
    rules = rules_asked(request, taught)
    sizes = list(read_stored_books(rules.id))
    size = request.GET.get("size", next(iter(sizes), ""))
    taught_here = list_lessons(rules, size)
    if not taught_here:
        raise Http404(_("There is no such lesson."))
    rows = [
        (
            make_again_url(make_lesson_name(rules, size, place)),
            format_sentence(lesson.rule, rules, _),
            format_lesson_worth(lesson),
        )
        for place, lesson in enumerate(taught_here, start=1)
    ]
    context = {
        "rows": rows,
        "sizes": [(other, make_lessons_url(rules, other), other == size) for other in sizes],
        "choices": list_rules_choices(rules, lambda game: make_lessons_url(game, size), taught),
        "game_name": labels.find_ruleset_name(rules),
        "rules": rules,
    }
    return render(request, "practice/lessons.html", context)
