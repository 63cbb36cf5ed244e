"""Players whose decisions a policy network makes: they choose the likeliest hold and box.

The network sees the card, the dice and the rolls left (``players.features``), so the player has a
table of decisions. In simulated games the network evaluates only positions that the games reach,
because a whole card has 756 positions.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from solver.dp.arrays import Ints
from solver.dp.sweep import run_in_parts
from solver.players.agent import GamesInPlay, Luck, Throws
from solver.players.cards import CardPlay, Numbers
from solver.players.features import (
    Positions,
    find_allowed_boxes,
    make_features_at,
    mark_distinct_holds,
    number_holds,
)
from solver.players.network import Network, pick_boxes, pick_slots
from solver.rules import Action, Hold, Score, State

AT_ONCE = 4096  # number of positions whose features one thread calculates at a time
# If the best choice leads by less than this, the plain network decides, as in games. The rounding
# of the kernels changes outputs by less than a tenth of this.
CLOSE = 1e-2


class NetworkPlay(CardPlay):
    def __init__(self, network: Network) -> None:
        super().__init__(network.rules)
        self.network = network

    def choose_holds(self, at: Positions) -> Ints:
        """Return the network's hold in each position, as the hold's number in ``rules.dice``."""
        distinct = mark_distinct_holds(self.rules.dice)[at.rolls]
        logits = self.network.calculate_logits("holds", make_features_at(self.rules, at), at.rolls)
        slots = pick_slots(self.network.shape, logits, distinct)
        holds: Ints = number_holds(self.rules.dice)[at.rolls, slots].astype(np.int64)
        return holds

    def choose_boxes(self, at: Positions) -> Ints:
        """Return the number of the network's box in each position."""
        logits = self.network.calculate_logits("boxes", make_features_at(self.rules, at), at.rolls)
        boxes: Ints = pick_boxes(logits, find_allowed_boxes(self.rules, at))
        return boxes

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        return self.choose_many([state], rng)[0]

    def choose_many(self, states: Sequence[State], rng: np.random.Generator) -> Sequence[Action]:
        rows = [self.space.find_row(state.filled, chips_won=state.chips_won) for state in states]
        columns = [self.space.find_column(state.upper) for state in states]
        rolls = [self.cup.roll_index[tuple(sorted(state.dice))] for state in states]
        left = np.array([state.throws_left for state in states])
        at = Positions(np.array(rows), np.array(columns), np.array(rolls), left)
        boxes, holds = (
            self.choose_boxes(at._replace(left=np.zeros_like(left))),
            self.choose_holds(at),
        )
        return [
            Hold.from_faces(self.cup.holds[hold], state.dice, state.held)
            if state.throws_left and hold < self.cup.first_roll
            else Score(self.rules.categories[box].id)
            for state, hold, box in zip(states, holds.tolist(), boxes.tolist(), strict=True)
        ]

    @cached_property
    def _compiled(self) -> Any:
        from solver.players.compiled_network import CompiledNetwork  # slow: loads the compiler

        return CompiledNetwork(self.network)

    def cards(self, rows: Ints, columns: Ints) -> tuple[Numbers, Numbers]:
        shape = len(rows), self.rules.throws, len(self.cup.rolls)
        card, left, roll = (numbers.ravel() for numbers in np.indices(shape))
        at = Positions(rows[card], columns[card], roll, left)
        last = left == 0
        holds = self._choose_in("holds", at.part(~last))
        boxes = self._choose_in("boxes", at.part(last))
        return holds.reshape(len(rows), 1, -1, shape[2]), boxes.reshape(len(rows), 1, -1)

    def _choose_in(self, head: str, at: Positions, threads: int = 1) -> Numbers:
        """Return the hold or the box (``head``) that the compiled network chooses in each position.
        If its lead is small, return the choice of the plain network."""
        ask = self.choose_holds if head == "holds" else self.choose_boxes

        def choose_part(part: slice) -> Numbers:
            chosen, lead = self._compiled.choose(head, at.part(part))
            close = np.flatnonzero(lead < CLOSE)
            if len(close):
                chosen[close] = ask(at.part(part).part(close))
            numbers: Numbers = chosen
            return numbers

        if not len(at.rows):
            return np.empty(0, dtype=np.int64)
        return np.concatenate(run_in_parts(choose_part, len(at.rows), AT_ONCE, threads))

    def turns(self, games: GamesInPlay, throws: Throws, luck: Luck, threads: int) -> None:
        """Play one turn of every game. Evaluate the network only in the positions that the games
        reach, and only once in each position."""
        from solver.players.card_kernels import (
            find_next_rolls,
            score_all,
        )  # slow: loads the compiler

        dice, *scoring = self._scoring
        rows, columns, _ = games.arrays
        shape = self.space.rows, self.space.columns, len(self.cup.rolls), self.rules.throws

        def choose(head: str, playing: Ints, left: int) -> Ints:
            cards = rows[playing], columns[playing]
            keys = np.ravel_multi_index((*cards, rolls[playing], left), shape)
            different, number = np.unique(keys, return_inverse=True)
            at = Positions(*np.unravel_index(different, shape))
            return self._choose_in(head, at, threads)[number].astype(np.int64)

        rolls = dice.roll_of[throws[0]].astype(np.int64)
        every = rolling = np.arange(len(rolls))
        for number in range(1, self.rules.throws):
            holds = choose("holds", rolling, self.rules.throws - number)
            again = holds < self.cup.first_roll  # the hold of all dice ends the turn
            rolling = rolling[again]
            rolls[rolling] = find_next_rolls(holds[again], throws[number, rolling], dice)
        boxes = choose("boxes", every, 0)
        score_all(*games.arrays, rolls, boxes, *scoring, self.rules.bonus_threshold)
