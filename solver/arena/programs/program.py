"""The base class of bots that are programs, in any protocol: a fault disqualifies the bot."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Self

import numpy as np

from solver.advice.wire import serialise_position
from solver.arena.illegal import Disqualified
from solver.arena.programs.limits import USUAL, Limits
from solver.arena.programs.process import Fault, Process
from solver.arena.programs.protocol import BadAnswer
from solver.rules import Action, Ruleset, State
from solver.rules.position import find_position


class Program(ABC):
    """An ``Agent`` and a ``Batch`` in another process. Any fault ends the process; this question
    and every later one raise ``Disqualified``."""

    name: str

    def __init__(self, command: str, rules: Ruleset, limits: Limits = USUAL) -> None:
        self.rules = rules
        self.limits = limits
        self._process = Process(command, limits)
        self._guilty = ""

    @abstractmethod
    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        """Return the program's decision."""

    @abstractmethod
    def choose_among(
        self, states: Sequence[State], rng: np.random.Generator, others: Sequence[Sequence[int]]
    ) -> Sequence[Action]:
        """Return a decision per state; ``others`` are the opponents' scores for each state."""

    def choose_many(self, states: Sequence[State], rng: np.random.Generator) -> Sequence[Action]:
        return self.choose_among(states, rng, [()] * len(states))

    @abstractmethod
    def tell_wrong(self, message: str) -> None:
        """Send the program a message about its faulty answer, if the protocol has one; afterwards
        the caller ends the program."""

    @property
    def last_words(self) -> str:
        return self._process.last_words

    def close(self) -> int | None:
        return self._process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def disqualify_on_fault(self, *states: State) -> Iterator[None]:
        """Disqualify the program for any fault while the caller asks it about these states."""
        if self._guilty:
            raise Disqualified(self._guilty)
        try:
            yield
        except BadAnswer as wrong:
            self.tell_wrong(str(wrong))
            self._process.close()
            self._disqualify(str(wrong), states)
        except Fault as fault:
            self._process.kill()
            self._disqualify(str(fault), states, self._format_last_words())
        except BaseException:  # after an interrupt, an answer may still arrive
            self._process.kill()
            raise

    def _disqualify(self, wrong: str, states: Sequence[State], sigh: str = "") -> None:
        self._guilty = f"{wrong}{_format_position(states)}{sigh}"
        raise Disqualified(self._guilty) from None

    def _format_last_words(self) -> str:
        """Return the last line of the program's error output outside a traceback, or ""."""
        lines = [line for line in self.last_words.splitlines() if line and not line[0].isspace()]
        return f"; its last words: {lines[-1][:200]}" if lines else ""


def _format_position(states: Sequence[State]) -> str:
    if not states:
        return ""
    position = json.dumps(serialise_position(find_position(states[0])))
    more = f", the first of {len(states)} positions" if len(states) > 1 else ""
    return f" at {position}{more}"


def is_first_decision(state: State) -> bool:
    """Return whether this is the first decision of a game."""
    return not state.turn and state.throws_left == state.rules.throws - 1
