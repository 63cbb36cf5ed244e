"""How often play to win ends above play for points: whole games in turns, on the same dice.

Every block of dice is played twice, from either seat. Both have the same dice, or each its own. Who
plays to win sees the other's card as it lies; the last rounds are played like those before, by
``players.race``, since solving them takes too long for so many games.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from solver.advice import Advisor
from solver.dp.arrays import Floats, Ints
from solver.dp.outcomes import jokers_of, outcomes_of
from solver.dp.outlook import padded
from solver.dp.slots import game_of
from solver.dp.space import Space
from solver.dp.throws import random_throws, throws_of
from solver.dp.turn import holds_padded
from solver.players.agent import GamesInPlay, Throws
from solver.players.race import Lumps, dearest, lumps, prize_scale
from solver.rules import Ruleset
from solver.tables import OUTLOOK, open_table

GAMES_AT_ONCE = 5000
SURE = 1.96
POINTS = Lumps(-1.0, 0.0)


@dataclass(frozen=True)
class Won:
    """``games`` are blocks of dice, each played from both seats; ``won`` counts a tie as half."""

    games: int
    first: float
    second: float
    ties: float
    margin: float  # half of a 95 % range of the mean of both seats
    points: float  # how much more than play for points it has on average

    @property
    def won(self) -> float:
        return (self.first + self.second) / 2


class Racing:
    def __init__(self, rules: Ruleset) -> None:
        self.rules, self.space = rules, Space(rules)
        values, outlook = open_table(rules).all(), open_table(rules, OUTLOOK).all()
        nothing, explain = np.zeros_like(values), Advisor.open(rules).explain
        prize = explain.all()[..., dearest(rules)] * prize_scale(rules) if explain else nothing
        planes = [values, outlook[..., 1], outlook[..., 0], prize, nothing]
        self.planes = np.array(planes, dtype=np.float64)
        flat = [padded(self.space, plane).reshape(-1) for plane in self.planes]
        self.tables = tuple(flat)
        self.lumps = lumps(rules)

    def turn(self, mine: GamesInPlay, theirs: GamesInPlay, throws: Throws, how: Lumps) -> None:
        """Every game's next turn of one of the two; with ``POINTS`` it is played for points."""
        from solver.players.card_kernels import score_all  # loads the compiler
        from solver.players.race_kernels import race_turns

        rules, last = self.rules, np.empty((len(mine.rows), 2), dtype=np.int64)
        cards = np.stack((mine.rows, mine.upper), axis=1).astype(np.int64)
        leads = (mine.points - theirs.points).astype(np.float64)
        dice, within = throws_of(rules.dice), holds_padded(rules.dice)
        game, stride = game_of(rules), self.space.stride
        seen = self._rest(theirs)
        race_turns(cards, leads, seen, throws, self.tables, stride, how, game, dice, within, last)
        scoring = jokers_of(rules), outcomes_of(rules), rules.bonus_threshold
        score_all(*mine.arrays, *last.T, *scoring)

    def _rest(self, games: GamesInPlay) -> Floats:
        """[game]: what the ``CardRest`` of its card is."""
        mean, second, bonus, prize, _ = self.planes[:, games.rows, games.upper]
        return np.stack((mean, second - mean * mean, bonus, prize), axis=1)

    def played(self, rng: np.random.Generator, games: int, *, same: bool) -> Iterator[Ints]:
        """By how much play to win was ahead, from the first seat and from the second."""
        turns = [
            (throws, throws if same else random_throws(rng, self.rules, games))
            for throws in (random_throws(rng, self.rules, games) for _ in self.rules.categories)
        ]
        for seat in (0, 1):
            seats = GamesInPlay.new(self.rules, games), GamesInPlay.new(self.rules, games)
            for throws in turns:
                for at in (0, 1):
                    how = self.lumps if at == seat else POINTS
                    self.turn(seats[at], seats[1 - at], throws[at], how)
            yield seats[seat].totals - seats[1 - seat].totals


def race(rules: Ruleset, games: int, seed: int, *, same: bool) -> Won:
    racing, rng = Racing(rules), np.random.default_rng(seed)
    parts = range(0, games, GAMES_AT_ONCE)
    found = [
        np.array([*racing.played(rng, min(GAMES_AT_ONCE, games - at), same=same)]) for at in parts
    ]
    ahead = np.concatenate(found, axis=1)
    won = (ahead > 0) + (ahead == 0) / 2
    margin = SURE * float(won.mean(axis=0).std()) / sqrt(games)
    first, second = won.mean(axis=1).tolist()
    return Won(games, first, second, float((ahead == 0).mean()), margin, float(ahead.mean()))
