"""Players whose decisions a policy network makes: the likeliest hold and the likeliest box.

The network sees the card, the dice and the rolls left (``players.observed``), so the player has a
table of decisions. Simulated games evaluate the network only in the positions that they reach; a
whole card has 756 positions.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from solver.dp.arrays import Ints
from solver.players.agent import GamesInPlay, Luck, Throws
from solver.players.cards import CardPlay, Numbers
from solver.players.files import TRAINED
from solver.players.network import Network, NoPolicy, pick_boxes, pick_slots, read
from solver.players.observed import (
    Positions,
    find_allowed_boxes,
    make_features_at,
    mark_distinct_holds,
    number_holds,
)
from solver.rules import Action, Hold, Ruleset, Score, State

ASKED_AT_ONCE = 512
# If the best logit leads by less than this, the plain network decides, as in games. Rounding in the
# kernels changes logits by less than a tenth of this lead.
CLOSE = 1e-2
Ask = Callable[[Positions], Ints]


class NetworkPlay(CardPlay):
    def __init__(self, network: Network) -> None:
        super().__init__(network.rules)
        self.network = network

    def choose_holds(self, at: Positions) -> Ints:
        """Return the hold that the network chooses in each position, as its number in
        ``rules.dice``."""
        distinct = mark_distinct_holds(self.rules.dice)[at.rolls]
        logits = self.network.calculate_logits("holds", make_features_at(self.rules, at), at.rolls)
        slots = pick_slots(self.network.shape, logits, distinct)
        holds: Ints = number_holds(self.rules.dice)[at.rolls, slots].astype(np.int64)
        return holds

    def choose_boxes(self, at: Positions) -> Ints:
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
            Hold.of(self.cup.holds[hold], state.dice, state.held)
            if state.throws_left and hold < self.cup.first_roll
            else Score(self.rules.categories[box].id)
            for state, hold, box in zip(states, holds.tolist(), boxes.tolist(), strict=True)
        ]

    @cached_property
    def _whole(self) -> Any:
        from solver.players.whole_cards import WholeCards  # slow: loads the compiler

        return WholeCards(self.network)

    def cards(self, rows: Ints, columns: Ints) -> tuple[Numbers, Numbers]:
        lefts = np.arange(1, self.rules.throws)
        each = rows.repeat(len(lefts)), columns.repeat(len(lefts)), np.tile(lefts, len(rows))
        holds = self._choose_on_cards("holds", self.choose_holds, *each)
        boxes = self._choose_on_cards(
            "boxes", self.choose_boxes, rows, columns, np.zeros_like(rows)
        )
        return holds.reshape(len(rows), 1, len(lefts), -1), boxes[:, None]

    def _choose_on_cards(
        self, head: str, ask: Ask, rows: Ints, columns: Ints, left: Ints
    ) -> Numbers:
        """Return [card, roll]: the holds or the boxes that the head chooses."""
        chosen, lead = self._whole.chosen(head, rows, columns, left)
        card, roll = np.nonzero(lead < CLOSE)
        if len(card):
            at = Positions(rows[card], columns[card], roll, left[card])
            chosen[card, roll] = evaluate_in_parts(ask, at)
        numbers: Numbers = chosen
        return numbers

    def turns(self, games: GamesInPlay, throws: Throws, luck: Luck, threads: int) -> None:
        """Play one turn of every game; evaluate the network only in the positions that the games
        reach."""
        from solver.players.card_kernels import (
            find_next_rolls,
            score_all,
        )  # slow: loads the compiler

        dice, *scoring = self._scoring
        rows, upper, _ = games.arrays
        at = Positions(
            rows.astype(np.int64), upper.astype(np.int64), *np.zeros((2, len(rows)), int)
        )
        at = at._replace(rolls=dice.roll_of[throws[0]].astype(np.int64))
        for number in range(1, self.rules.throws):
            left = np.full_like(at.rolls, self.rules.throws - number)
            holds = evaluate_in_parts(self.choose_holds, at._replace(left=left))
            at = at._replace(rolls=find_next_rolls(holds, throws[number], dice))
        boxes = evaluate_in_parts(self.choose_boxes, at)
        score_all(*games.arrays, at.rolls, boxes, *scoring, self.rules.bonus_threshold)


def evaluate_in_parts(ask: Ask, at: Positions) -> Ints:
    """Call ``ask`` on parts of the positions, small enough for the processor's cache, and return
    all results in one array."""
    parts = range(0, len(at.rows), ASKED_AT_ONCE)
    return np.concatenate(
        [ask(Positions(*(field[n : n + ASKED_AT_ONCE] for field in at))) for n in parts]
    )


def load_trained_player(rules: Ruleset, name: str) -> NetworkPlay:
    player = NetworkPlay(read(TRAINED / f"{name}.npz"))
    if player.rules != rules:
        raise NoPolicy(f"{name} was learned for {player.rules.id}")
    return player
