"""A player that follows a playbook, and the exact value of the book and of each of its rules.

The rules never look at the upper total. The outcome of a turn therefore depends only on which boxes
are filled. The calculation follows the upper total only for the chance of the bonus.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from solver.advice.options import sort_by_cost
from solver.dp import arrays
from solver.dp.arrays import Floats, Ints
from solver.dp.outcomes import build_jokers, build_outcomes
from solver.players.agent import Card
from solver.players.cards import CardPlay, Numbers
from solver.players.playbook_rules import BookRule, Playbook, find_cases, find_commonest
from solver.rules import Ruleset
from solver.rules.dice import FACES

CARDS_TOGETHER = 2048  # number of cards whose data fit into the processor's cache


class Way(NamedTuple):
    """An action for cards on which the boxes ``need`` are open and the boxes ``ban`` filled
    (bits)."""

    need: int
    ban: int
    action: int


class PlaybookPlay(CardPlay):
    looks_at_upper = False

    def __init__(self, rules: Ruleset, book: Playbook) -> None:
        super().__init__(rules)
        self.book = book

    def card(self, row: int, column: int) -> Card:
        holds, boxes = self.decide(np.array([row]))
        return Card(holds[None, :, :, 0].astype(np.int64), boxes[None, :, 0].astype(np.int64))

    def cards(self, rows: Ints, columns: Ints) -> tuple[Numbers, Numbers]:
        holds, boxes = self._all
        return holds[rows, None], boxes[rows, None]

    @cached_property
    def _all(self) -> tuple[Numbers, Numbers]:
        """The holds and boxes on all cards, calculated together because callers need most cards."""
        parts = [self.decide(rows) for rows in split_into_batches(np.arange(self.space.rows))]
        holds = np.concatenate([holds.transpose(2, 0, 1) for holds, _ in parts])
        return holds, np.concatenate([boxes.T for _, boxes in parts])

    def decide(self, rows: Ints) -> tuple[Numbers, Numbers]:
        """Return the book's decisions: holds[rolls left - 1, roll, card] and boxes[roll, card]."""
        rules, seen = self.rules, _Seen(~rows & self.rules.full)
        rolls = len(self.cup.rolls)
        holds = np.empty((rules.throws - 1, rolls, len(rows)), dtype=np.int16)
        boxes = np.empty((rolls, len(rows)), dtype=np.int16)
        boxes[:] = seen.find_first_open([rules.index[box] for box in self.book.scratch])
        for left, ways in enumerate(self._ways):
            for roll in range(rolls):
                decided = holds[left - 1, roll] if left else boxes[roll]
                for way in reversed(ways[roll]):
                    decided[seen.find_cards(way.need, way.ban)] = way.action
        if rules.joker:  # the box with most points; of equal boxes, the first in ``scratch``
            order = np.argsort([self.rules.index[box] for box in self.book.scratch])
            card, entry = _find_jokers(self.rules, rows)
            jokers = build_jokers(self.rules)
            points = build_outcomes(self.rules).points[jokers.outcome[entry]]
            best = np.lexsort((-order[jokers.box[entry]], points))
            boxes[jokers.roll[entry][best], card[best]] = jokers.box[entry][best]
        return holds, boxes

    @cached_property
    def _ways(self) -> list[list[list[Way]]]:
        """The actions that may apply, as lists [rolls left][roll] in the order of the rules. An
        action is omitted if an earlier action applies to all its cards, as it is never chosen."""
        by_rolls_left = []
        for rolls_left in range(self.rules.throws):
            ways = [list[Way]() for _ in self.cup.rolls]
            for rule in self.book.rules:
                for roll, way in list_ways(self.rules, rule, rolls_left):
                    if not any(w.need & ~way.need == 0 == w.ban & ~way.ban for w in ways[roll]):
                        ways[roll].append(way)
            if rolls_left:
                for roll, dice in enumerate(self.cup.rolls):
                    ways[roll].append(Way(0, 0, self.cup.hold_index[find_commonest(dice)]))
            by_rolls_left.append(ways)
        return by_rolls_left


@lru_cache(maxsize=256)
def list_ways(rules: Ruleset, rule: BookRule, throws_left: int) -> list[tuple[int, Way]]:
    """Return (roll, way) for each roll to which the rule can apply, from a cache for all books."""
    ways = []
    for roll, dice in enumerate(rules.cup.rolls):
        for case in find_cases(rule, rules, dice, throws_left):
            stops = throws_left and not case.holds
            action = rules.cup.first_roll + roll if stops else case.action
            ways.append((roll, Way(case.need, case.ban, action)))
    return ways


class _Seen:
    """A group of cards, searched by the boxes that must be open and filled. ``opened`` has the open
    boxes of each card, as bits."""

    def __init__(self, opened: Ints) -> None:
        self.opened = opened
        self._matches: dict[tuple[int, int], Ints] = {}

    def find_cards(self, need: int, ban: int) -> Ints:
        """Return the indexes of the cards whose boxes ``need`` are open and ``ban`` filled."""
        if (need, ban) not in self._matches:
            fits = (self.opened & need == need) & (self.opened & ban == 0)
            self._matches[need, ban] = np.flatnonzero(fits)
        return self._matches[need, ban]

    def find_first_open(self, order: Sequence[int]) -> Ints:
        """Return the first open box of each card in this order of boxes; else the last box."""
        first = np.full_like(self.opened, order[-1])
        for box in reversed(order):
            first[self.find_cards(1 << box, 0)] = box
        return first


def split_into_batches(rows: Ints) -> Iterator[Ints]:
    for at in range(0, len(rows), CARDS_TOGETHER):
        yield rows[at : at + CARDS_TOGETHER]


class BookWorth(NamedTuple):
    mean: float
    bonus_probability: float


def measure_play(play: PlaybookPlay) -> BookWorth:
    rules = play.rules
    reached, mean = calculate_reached_cards(play)
    bonus = float(reached[play.space.full_rows, rules.bonus_threshold].sum())
    return BookWorth(mean + rules.bonus_points * bonus, bonus)


def calculate_reached_cards(play: PlaybookPlay) -> tuple[Floats, float]:
    """Return each card's chance, as [row, upper total], and the mean score without the bonus."""
    space, outcomes = play.space, build_outcomes(play.rules)
    # Outcomes that fill the same boxes and add the same number (step) to the upper total.
    alike = defaultdict[tuple[int, int], list[int]](list)
    changes = zip(outcomes.row.tolist(), outcomes.step.tolist(), strict=True)
    for outcome, change in enumerate(changes):
        alike[change].append(outcome)
    reached, mean = np.zeros((space.rows, space.columns)), 0.0
    reached[0, 0] = 1.0
    for level in space.list_levels()[:0:-1]:
        for rows in split_into_batches(level[reached[level].any(axis=1)]):
            chances = find_outcome_chances(play, rows)
            here = reached[rows]
            mean += float(here.sum(axis=1) @ (outcomes.points @ chances))
            for (boxes, step), group in alike.items():
                chance = chances[group].sum(axis=0)
                some = np.flatnonzero(chance)
                share = here[some] * chance[some, None]
                after, kept = rows[some] | boxes, max(space.columns - step, 0)
                reached[after, space.columns - kept :] += share[:, :kept]
                reached[after, -1] += share[:, kept:].sum(axis=1)
    return reached, mean


def find_outcome_chances(play: PlaybookPlay, rows: Ints) -> Floats:
    """Return an array [outcome, card]: the chance that the card's turn ends with the outcome."""
    dice, outcomes, cards = play.rules.dice, build_outcomes(play.rules), np.arange(len(rows))
    holds, boxes = play.decide(rows)
    stop = play.cup.first_roll
    flow = np.empty((len(play.cup.holds), len(rows)))
    flow[stop:] = arrays.find_roll_chances(dice)[:, None]
    arrived = np.zeros_like(flow[stop:])  # chances of rolls that are scored, not rerolled
    for decided in holds[::-1]:
        rolls = flow[stop:].copy()
        flow[:] = 0.0
        for roll, held in enumerate(decided):
            flow[held, cards] += rolls[roll]
        arrived += flow[stop:]
        flow[stop:] = 0.0
        for hold, *more in reversed(arrays.list_larger_holds(dice)):
            share = flow[hold] / FACES
            for larger in more:
                flow[larger] += share
    chance = np.zeros((len(outcomes.points), len(rows)))
    ends = build_outcomes(play.rules).by_roll[boxes, np.arange(len(boxes))[:, None]]
    if play.rules.joker:
        (card, entry), jokers = _find_jokers(play.rules, rows), build_jokers(play.rules)
        chosen = boxes[jokers.roll[entry], card] == jokers.box[entry]
        card, entry = card[chosen], entry[chosen]
        ends[jokers.roll[entry], card] = jokers.outcome[entry]
    for roll, share in enumerate(arrived + flow[stop:]):
        chance[ends[roll], cards] += share
    return chance


def _find_jokers(rules: Ruleset, rows: Ints) -> tuple[Ints, Ints]:
    """Return two arrays with an entry per joker: its card, and its index in ``build_jokers``."""
    jokers = build_jokers(rules)
    first, many = jokers.start[rows], jokers.start[rows + 1] - jokers.start[rows]
    entry = np.repeat(first - many.cumsum() + many, many) + np.arange(many.sum())
    return np.repeat(np.arange(len(rows)), many), entry


class BookLesson(NamedTuple):
    """A rule of a playbook and its worth in points per game. ``earns`` is what the rule adds to the
    rules before it. ``costs`` is what the whole book loses without the rule."""

    rule: int
    earns: float
    costs: float


def measure_book(ruleset: Ruleset, book: Playbook, known: Collection[int]) -> BookWorth:
    """Return the results of a player that knows only the rules with these numbers."""
    rules = tuple(rule for number, rule in enumerate(book.rules) if number in known)
    return measure_play(PlaybookPlay(ruleset, Playbook(rules, book.scratch)))


def order_lessons(ruleset: Ruleset, book: Playbook) -> Iterator[BookLesson]:
    """Yield the rules, starting with the rule that costs most points if forgotten."""
    every = set(range(len(book.rules)))
    best = measure_book(ruleset, book, every).mean
    costs = {rule: best - measure_book(ruleset, book, every - {rule}).mean for rule in every}
    known, so_far = set[int](), measure_book(ruleset, book, ()).mean
    for rule in sort_by_cost([-costs[rule] for rule in sorted(every)]):
        known.add(rule)
        now = measure_book(ruleset, book, known).mean
        yield BookLesson(rule, now - so_far, costs[rule])
        so_far = now


def collect_facts(ruleset: Ruleset, book: Playbook) -> dict[str, Any]:
    """Return a playbook and its results as JSON data, with the rules in the order of learning."""
    worth = measure_book(ruleset, book, range(len(book.rules)))
    return {
        **worth._asdict(),
        **book.as_data(),
        "lessons": [lesson._asdict() for lesson in order_lessons(ruleset, book)],
    }
