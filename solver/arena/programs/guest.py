"""A separate process that runs another author's player class and asks it for moves.

    python -m solver.arena.programs.guest

The parent process sends questions as pickles. This process answers in plain JSON, so that the
parent never unpickles an object of the class. The class prints to standard error.
"""

import base64
import importlib
import json
import os
import pickle
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from solver.arena.controller import Player, PlayerAgent
from solver.arena.illegal import Disqualified
from solver.arena.programs.process import LONGEST
from solver.players.agent import Agent, Batch, Seated, Tabular
from solver.rules import Hold, Ruleset, Score, State

Facts = dict[str, Any]


class Guest:
    """The player class in its own process. Each method returns a reply for the parent process."""

    def __init__(self) -> None:
        self._agent: Any = None

    def reply(self, method: str, facts: Sequence[Any]) -> Facts:
        ask: Callable[..., Facts] = getattr(self, method)
        try:
            return ask(*facts)
        except Disqualified as out:
            return {"out": out.reason}
        except (Exception, SystemExit) as error:
            return {"out": f"raised {type(error).__name__}: {error}"}

    def make(self, module: str, name: str, rules: Ruleset, path: list[str]) -> Facts:
        """Create the player. Return its optional methods, or the reason why it is no player."""
        sys.path[:] = path
        try:
            named: Any = getattr(importlib.import_module(module), name, None)
        except (Exception, SystemExit) as error:
            return {"unknown": f"no module {module!r} can be imported: {error}"}
        if not isinstance(named, type):
            return {"unknown": f"{module} has no class {name!r}"}
        make: Any = partial(PlayerAgent, named) if issubclass(named, Player) else named
        try:
            self._agent = make(rules)
        except (Exception, SystemExit) as error:
            return {"unknown": f"{module}:{name} cannot be made: {error}"}
        if not isinstance(self._agent, Agent):
            return {"unknown": f"{module}:{name} is neither a Player nor has it choose()"}
        return {"is": [kind.__name__ for kind in KINDS if isinstance(self._agent, kind)]}

    def tell(self, method: str, facts: Sequence[Any]) -> Facts:
        listener = getattr(self._agent, method, None)
        if listener is None:
            return {}
        try:
            listener(*facts)
        except (Exception, SystemExit) as error:
            if isinstance(error, Disqualified):
                raise
            raise Disqualified(f"{method} raised {type(error).__name__}: {error}") from error
        return {}

    def choose(self, state: State, seed: int, others: Sequence[int]) -> Facts:
        return {
            "answer": encode_answer(self._agent.choose(state, np.random.default_rng(seed), others))
        }

    def choose_many(self, states: Sequence[State], seed: int) -> Facts:
        chosen = self._agent.choose_many(states, np.random.default_rng(seed))
        return {"answers": [encode_answer(answer) for answer in chosen]}

    def choose_among(
        self, states: Sequence[State], seed: int, others: Sequence[Sequence[int]]
    ) -> Facts:
        chosen = self._agent.choose_among(states, np.random.default_rng(seed), others)
        return {"answers": [encode_answer(answer) for answer in chosen]}

    def close(self) -> Facts:
        getattr(self._agent, "close", lambda: None)()
        return {}


KINDS = (Batch, Seated, Tabular)


def encode_answer(answer: object) -> Facts:
    match answer:
        case Hold(slots):
            return {"hold": slots}
        case Score(category):
            return {"score": category}
    return {"other": type(answer).__name__}


def main() -> None:
    """Answer questions from standard input. The class has no access to it, and prints to stderr."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    guest = Guest()
    for line in questions:
        method, facts = pickle.loads(base64.b64decode(line))  # noqa: S301 - from the parent process
        reply = {
            key: value[: LONGEST + 1] if isinstance(value, str) else value
            for key, value in guest.reply(method, facts).items()
        }
        answers.write(json.dumps(reply, default=repr).encode() + b"\n")


if __name__ == "__main__":
    main()
