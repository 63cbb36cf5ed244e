"""The base class of bots that run as programs, for any protocol."""

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
    """An ``Agent`` and ``Batch`` in another process; its first fault kills and disqualifies it."""

    name: str

    def __init__(self, command: str, rules: Ruleset, limits: Limits = USUAL) -> None:
        self.rules = rules
        self.limits = limits
        self._process = Process(command, limits)
        self._guilty = ""

    @abstractmethod
    def choose(
        self, state: State, rng: np.random.Generator, others: Sequence[int] = ()
    ) -> Action: ...

    @abstractmethod
    def choose_among(
        self, states: Sequence[State], rng: np.random.Generator, others: Sequence[Sequence[int]]
    ) -> Sequence[Action]:
        """Return a decision per state. ``others`` has the opponents' scores, one list per state."""

    def choose_many(self, states: Sequence[State], rng: np.random.Generator) -> Sequence[Action]:
        return self.choose_among(states, rng, [()] * len(states))

    @abstractmethod
    def tell_wrong(self, message: str) -> None:
        """Report a faulty answer to the program, if the protocol can; the caller then ends it."""

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
        """Return a phrase with the last unindented line of the error output, or "" if empty."""
        lines = [line for line in self.last_words.splitlines() if line and not line[0].isspace()]
        return f"; its last words: {lines[-1][:200]}" if lines else ""


def _format_position(states: Sequence[State]) -> str:
    if not states:
        return ""
    position = json.dumps(serialise_position(find_position(states[0])))
    more = f", the first of {len(states)} positions" if len(states) > 1 else ""
    return f" at {position}{more}"


def is_first_decision(state: State) -> bool:
    return not state.turn and state.throws_left == state.rules.throws - 1
