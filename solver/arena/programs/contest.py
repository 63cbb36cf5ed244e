"""A program written for the Yahtzee AI contest. It reads 34 integers and answers with a number.

The contest's rules are in the GitHub repository dastbe/Yahtzee-AI, as yahtzee.txt. Integers 1 to 13
are the player's boxes in the order of the card (-1 for an open box), and integer 14 has the points
of further Yahtzees. 15 to 28 are the opponent's boxes and points, 29 to 33 the dice, 34 the number
of the roll. An even answer n scores in box n/2. In an odd answer bit 1 holds the first die, bit 2
the second, and so on. There is no greeting: the program reads positions until its input ends.

Two things differ from the contest. Players do not see each other's cards, so the opponent's card is
always empty. An illegal move disqualifies; in the contest it only lost the game.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from solver.arena.programs.process import USUAL, Limits, quote_text, split
from solver.arena.programs.program import Program
from solver.arena.programs.protocol import BadAnswer
from solver.players import CannotPlay
from solver.rules import Action, Hold, IllegalAction, Ruleset, Score, State, apply_action
from solver.rules.rulesets import YAHTZEE

OPEN = -1
MOST = (1 << (YAHTZEE.dice + 1)) - 1


class ContestProgram(Program):
    def __init__(self, command: str, rules: Ruleset, limits: Limits = USUAL) -> None:
        if rules != YAHTZEE:
            raise CannotPlay(f"programs of the contest play {YAHTZEE.id} only, not {rules.id}")
        super().__init__(command, rules, limits)
        self.name = Path(split(command)[-1]).name
        self._introduced = False

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        with self.disqualify_on_fault(state):
            ask = self._process.ask if self._introduced else self._process.ask_first
            line = ask(" ".join(map(str, to_integers(state))).encode())
            self._introduced = True
            return parse_action(line, state)

    def tell_wrong(self, message: str) -> None:
        """Do nothing, because the contest has no message that reports a faulty answer."""

    def choose_among(
        self, states: Sequence[State], rng: np.random.Generator, others: Sequence[Sequence[int]]
    ) -> Sequence[Action]:
        return [self.choose(state, rng) for state in states]


def to_integers(state: State) -> list[int]:
    """Return the 34 integers that describe the state, as in the module's docstring."""
    boxes = [OPEN if box is None else box.points for box in state.boxes]
    blank = [OPEN] * len(boxes)
    throw = state.throws_made
    return [*boxes, state.chips, *blank, 0, *state.dice, throw]


def parse_action(line: bytes, state: State) -> Action:
    try:
        number = int(line)
    except ValueError:
        raise BadAnswer(f"answered {quote_text(line)}, which is no whole number") from None
    if not 0 <= number <= MOST:
        raise BadAnswer(f"answered {quote_text(line)}, which is not from 0 to {MOST}")
    value, holds = divmod(number, 2)
    action: Action
    if holds:
        action = Hold(value)
    elif value >= len(state.boxes):
        raise BadAnswer(f"answered {number}: there is no box {value}")
    else:
        action = Score(state.rules.categories[value].id)
    try:
        apply_action(state, action)
    except IllegalAction as refusal:
        raise BadAnswer(f"answered {number}: {refusal}") from None
    return action
