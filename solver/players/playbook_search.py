"""Better playbooks: one rule changed, put in, left out or moved, and kept if it is worth more.

Exact grading takes a large part of a second, and most changes are for the worse. So what a change
brings is estimated before: on some cards, drawn as often as the book comes to them, one turn is
played by the changed book, and all later ones as until now. What is kept is graded exactly.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from time import process_time
from typing import NamedTuple

import numpy as np

from solver.dp.arrays import Floats, Ints
from solver.dp.outcomes import outcomes_of
from solver.players.playbook_changes import changed
from solver.players.playbook_play import (
    BookWorth,
    PlaybookPlay,
    ends_of,
    outcome_chances,
    reached_by,
    together,
    worth,
)
from solver.players.playbook_rules import Playbook
from solver.rules import Ruleset

DRAWN = 1000  # cards on which a change is estimated
LEAST = 1e-9  # points that a change must bring
CHEAP = 0.02  # points: a rule that costs so much is left out half as often as one that costs none


class Improved(NamedTuple):
    step: int
    book: Playbook
    worth: BookWorth


def improved(
    rules: Ruleset, book: Playbook, size: int, seed: int, *, steps: int, seconds: float
) -> Iterator[Improved]:
    """Ever better books of so many rules at most; the first is the one that was given.

    It ends after so many steps or processor seconds. The same steps find the same books.
    """
    rng, began = np.random.default_rng(seed), process_time()
    best, deviation = worth(PlaybookPlay(rules, book)), _drawn(rules, book, rng)
    left_out = _left_out(deviation)
    yield Improved(0, book, best)
    for step in count(1):
        if step > steps or process_time() - began > seconds:
            return
        other = changed(rules, book, size, left_out, rng)
        if other == book or deviation.gain(other) <= LEAST:
            continue
        found = worth(PlaybookPlay(rules, other))
        if found.mean > best.mean + LEAST:
            book, best, deviation = other, found, _drawn(rules, other, rng)
            left_out = _left_out(deviation)
            yield Improved(step, book, best)


class Deviation:
    """What one turn by another book brings, on some cards, all later ones being by this one.

    ``shares[row, upper total]`` are how often it is come to each.
    """

    def __init__(self, play: PlaybookPlay, rows: Ints, shares: Floats) -> None:
        self.play, self.rows = play, rows
        values, points = values_of(play), outcomes_of(play.rules).points
        self.ends = points[:, None] * shares.sum(axis=1)
        for (gained, step), outcomes in ends_of(play.rules).items():
            self.ends[outcomes] += (shares * _later(values, rows | gained, step)).sum(axis=1)
        self.mean = self._turns(play)

    def gain(self, other: Playbook) -> float:
        return self._turns(PlaybookPlay(self.play.rules, other)) - self.mean

    def _turns(self, play: PlaybookPlay) -> float:
        return float((outcome_chances(play, self.rows) * self.ends).sum())


def _drawn(rules: Ruleset, book: Playbook, rng: np.random.Generator) -> Deviation:
    """On cards drawn as often as the book comes to them."""
    play = PlaybookPlay(rules, book)
    reached, _mean = reached_by(play)
    reached[play.space.full_rows] = 0.0
    often = reached.sum(axis=1)
    drawn = rng.choice(len(often), size=DRAWN, p=often / often.sum())
    rows, times = np.unique(drawn, return_counts=True)
    shares = reached[rows] * (times / DRAWN * often.sum() / often[rows])[:, None]
    return Deviation(play, rows, shares)


def _left_out(deviation: Deviation) -> Floats:
    """How likely each rule is to be left out: the cheaper to forget, the likelier."""
    book, chances = deviation.play.book, []
    for at in range(len(book.rules)):
        without = replace(book, rules=book.rules[:at] + book.rules[at + 1 :])
        chances.append(CHEAP / (CHEAP + max(-deviation.gain(without), 0.0)))
    return np.array(chances) / sum(chances)


def values_of(play: PlaybookPlay) -> Floats:
    """[card, upper total]: what the book still brings."""
    rules, space, points = play.rules, play.space, outcomes_of(play.rules).points
    values = np.zeros((space.rows, space.columns))
    values[space.full_rows, rules.bonus_threshold] = rules.bonus_points
    for level in space.levels()[1:]:
        for rows in together(level):
            chance = outcome_chances(play, rows)
            found = np.repeat((points @ chance)[:, None], space.columns, axis=1)
            for (gained, step), outcomes in ends_of(rules).items():
                share = chance[outcomes].sum(axis=0)
                some = np.flatnonzero(share)
                found[some] += share[some, None] * _later(values, rows[some] | gained, step)
            values[rows] = found
    return values


def _later(values: Floats, rows: Ints, step: int) -> Floats:
    columns = np.minimum(np.arange(values.shape[1]) + step, values.shape[1] - 1)
    found: Floats = values[rows[:, None], columns]
    return found
