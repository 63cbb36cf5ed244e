"""The base class of bots that run as programs, for any protocol."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Self

import numpy as np

from solver.advice.wire import serialise_position
from solver.arena.illegal import Disqualified
from solver.arena.programs import protocol
from solver.arena.programs.process import USUAL, Fault, Limits, Process, quote_text
from solver.arena.programs.protocol import BadAnswer
from solver.rules import Action, Ruleset, State
from solver.rules.position import find_position


class Program(ABC):
    """A player in another process. Its first fault disqualifies it and ends the process."""

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
        """Return a decision per state. ``others`` lists the opponents' scores for each state."""

    def choose_many(self, states: Sequence[State], rng: np.random.Generator) -> Sequence[Action]:
        return self.choose_among(states, rng, [()] * len(states))

    @abstractmethod
    def tell_wrong(self, message: str) -> None:
        """Report a wrong answer to the program, if the protocol can; the caller then ends it."""

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
            lines = [
                line for line in self.last_words.splitlines() if line and not line[0].isspace()
            ]
            self._disqualify(
                str(fault), states, f"; its last words: {lines[-1][:200]}" if lines else ""
            )
        except BaseException:  # the answer to an interrupted question may still arrive
            self._process.kill()
            raise

    def _disqualify(self, wrong: str, states: Sequence[State], sigh: str = "") -> None:
        where = ""
        if states:
            where = f" at {json.dumps(serialise_position(find_position(states[0])))}"
        if len(states) > 1:
            where += f", the first of {len(states)} positions"
        self._guilty = f"{wrong}{where}{sigh}"
        raise Disqualified(self._guilty) from None


def is_first_decision(state: State) -> bool:
    return not state.turn and state.throws_left == state.rules.throws - 1


class JsonProgram(Program):
    def __init__(self, command: str, rules: Ruleset, limits: Limits = USUAL) -> None:
        super().__init__(command, rules, limits)
        self._playing = False
        with self.disqualify_on_fault():
            greeting = protocol.encode_message(protocol.make_hello(rules, limits))
            line = self._process.ask_first(greeting)
            self.name, self.batch = protocol.read_introduction(line)

    def begin(self, seed: int) -> None:
        """Announce new games with a seed for random choices. Otherwise the first decision does."""
        with self.disqualify_on_fault():
            announced = protocol.encode_message({"type": "new", "seed": seed})
            protocol.read_ok(self._process.ask(announced))
        self._playing = True

    def end(self) -> None:
        with self.disqualify_on_fault():
            protocol.read_ok(self._process.ask(protocol.encode_message({"type": "end"})))
        self._playing = False

    def tell_wrong(self, message: str) -> None:
        self._process.tell(protocol.encode_message({"type": "error", "message": message}))

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        if is_first_decision(state) or not self._playing:
            self.begin(int(rng.integers(protocol.MOST_SEED)))
        return self.ask_action(state, others)

    def choose_among(
        self, states: Sequence[State], rng: np.random.Generator, others: Sequence[Sequence[int]]
    ) -> Sequence[Action]:
        """Return a decision per state. If all states begin games, announce the games first."""
        if not self._playing or all(map(is_first_decision, states)):
            self.begin(int(rng.integers(protocol.MOST_SEED)))
        questions = list(zip(states, others, strict=True))
        if not self.batch:
            return [self.ask_action(state, others_of) for state, others_of in questions]
        actions = []
        for first in range(0, len(questions), self.limits.batch):
            part = questions[first : first + self.limits.batch]
            with self.disqualify_on_fault(*(state for state, _ in part)):
                sent = [protocol.make_question(state, scores) for state, scores in part]
                message = protocol.encode_message({"type": "act", "questions": sent})
                line = self._process.ask(message, len(part))
                answers = protocol.read_answers(line, len(part))
            for answer, (state, _) in zip(answers, part, strict=True):
                with self.disqualify_on_fault(state):
                    actions.append(protocol.parse_action(answer, state))
        return actions

    def ask_action(self, state: State, others: Sequence[int] = (), **more: object) -> Action:
        """Send a question and return the decision. ``more`` adds keys, as later protocols may."""
        with self.disqualify_on_fault(state):
            question = {"type": "act", **protocol.make_question(state, others), **more}
            line = self._process.ask(protocol.encode_message(question))
            return protocol.parse_action(protocol.read(line), state)

    def require_refusal(self, line: bytes) -> None:
        """Send an invalid line. Disqualify the program unless it answers with an error message."""
        with self.disqualify_on_fault():
            reply = self._process.ask(line)
            if not isinstance(protocol.parse_object(reply).get("error"), str):
                raise protocol.BadAnswer(
                    f"answered {quote_text(reply)} to {quote_text(line)}, where an error was due"
                )
