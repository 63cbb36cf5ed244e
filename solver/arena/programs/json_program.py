"""A program that speaks the protocol of docs/bots.md."""

from collections.abc import Sequence
from itertools import chain

import numpy as np

from solver.arena.programs import protocol
from solver.arena.programs.limits import USUAL, Limits
from solver.arena.programs.process import quote_text
from solver.arena.programs.program import Program, is_first_decision
from solver.rules import Action, Ruleset, State


class JsonProgram(Program):
    def __init__(self, command: str, rules: Ruleset, limits: Limits = USUAL) -> None:
        super().__init__(command, rules, limits)
        self._playing = False
        with self.disqualify_on_fault():
            greeting = protocol.encode_message(protocol.make_hello(rules, limits))
            line = self._process.ask_first(greeting)
            self.name, self.batch = protocol.read_introduction(line)

    def begin(self, seed: int) -> None:
        """Announce new games, with a seed for random choices; else the first decision does it."""
        with self.disqualify_on_fault():
            protocol.read_ok(self._process.ask(protocol.encode_message(protocol.make_new(seed))))
        self._playing = True

    def end(self) -> None:
        with self.disqualify_on_fault():
            protocol.read_ok(self._process.ask(protocol.encode_message(protocol.make_end())))
        self._playing = False

    def tell_wrong(self, message: str) -> None:
        self._process.tell(protocol.encode_message(protocol.make_error(message)))

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        if is_first_decision(state) or not self._playing:
            self._begin_with_seed(rng)
        return self.asked(state, others)

    def choose_among(
        self, states: Sequence[State], rng: np.random.Generator, others: Sequence[Sequence[int]]
    ) -> Sequence[Action]:
        """Return one decision per state. If all states begin games, announce the games first."""
        if not self._playing or all(map(is_first_decision, states)):
            self._begin_with_seed(rng)
        questions = list(zip(states, others, strict=True))
        if not self.batch:
            return [self.asked(state, others_of) for state, others_of in questions]
        parts = range(0, len(questions), self.limits.batch)
        return list(chain(*(self._ask_many(questions[n : n + self.limits.batch]) for n in parts)))

    def _begin_with_seed(self, rng: np.random.Generator) -> None:
        self.begin(int(rng.integers(protocol.MOST_SEED)))

    def asked(self, state: State, others: Sequence[int] = (), **more: object) -> Action:
        """Ask for a decision. ``more`` adds keys to the question, as a later protocol may."""
        with self.disqualify_on_fault(state):
            line = self._process.ask(
                protocol.encode_message(protocol.make_act(state, others) | more)
            )
            return protocol.parse_action(protocol.read(line), state)

    def require_refusal(self, line: bytes) -> None:
        """Send an invalid line. Disqualify the program unless it answers with an error message."""
        with self.disqualify_on_fault():
            reply = self._process.ask(line)
            if not protocol.is_refusal(reply):
                raise protocol.BadAnswer(
                    f"answered {quote_text(reply)} to {quote_text(line)}, where an error was due"
                )

    def _ask_many(self, questions: Sequence[tuple[State, Sequence[int]]]) -> list[Action]:
        states = [state for state, _ in questions]
        with self.disqualify_on_fault(*states):
            line = self._process.ask(
                protocol.encode_message(protocol.make_act_many(questions)), len(states)
            )
            answers = protocol.read_answers(line, len(states))
        return [self._read_action(a, state) for a, state in zip(answers, states, strict=True)]

    def _read_action(self, answer: object, state: State) -> Action:
        with self.disqualify_on_fault(state):
            return protocol.parse_action(answer, state)
