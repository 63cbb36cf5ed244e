"""Player classes by other authors, run in a separate process (``guest``) with limits.

A class can hang, print, use up memory or change its arguments without harm to the tournament.
"""

import base64
import json
import pickle
import shlex
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from solver.arena.illegal import Disqualified
from solver.arena.programs.process import USUAL, Fault, Limits, Process, format_line, quote_text
from solver.rules import Action, Hold, Ruleset, Score, State

COMMAND = shlex.join([sys.executable, "-m", "solver.arena.programs.guest"])
SEEDS = 1 << 63  # exclusive upper limit of a seed


class NoPlayer(ValueError):
    """The error for a class that is no player or does not start. The message gives the reason."""


class ClassProgram:
    """An ``Agent`` that sends each question to a player class in another process."""

    def __init__(self, process: Process) -> None:
        self._process, self._guilty = process, ""

    def sit_down(self, rules: Ruleset, players: int) -> None:
        self._tell("sit_down", rules, players)

    def new_game(self, game: int) -> None:
        self._tell("new_game", game)

    def go_on(self, game: int) -> None:
        self._tell("go_on", game)

    def end_game(self, game: int, score: int, others: Sequence[int]) -> None:
        self._tell("end_game", game, score, others)

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        return _read_action(
            self._call_method("choose", state, _draw_seed(rng), others).get("answer")
        )

    def close(self) -> None:
        try:
            self._call_method("close")
        except Disqualified:
            return  # the process has ended already
        self._process.close()

    def _tell(self, method: str, *facts: object) -> None:
        self._call_method("tell", method, facts)

    def _call_method(self, method: str, *facts: object, questions: int = 1) -> dict[str, Any]:
        if self._guilty:
            raise Disqualified(self._guilty)
        try:
            call = base64.b64encode(pickle.dumps((method, facts)))
            reply = read(self._process.ask(call, questions))
        except Fault as fault:
            self._disqualify(str(fault))
        except BaseException:  # an answer to an interrupted question may still arrive
            self._process.kill()
            raise
        if "out" in reply:
            self._disqualify(format_line(reply["out"]))
        return reply

    def _disqualify(self, reason: str) -> None:
        self._process.kill()
        self._guilty = reason
        raise Disqualified(reason) from None


class BatchClassProgram(ClassProgram):
    def choose_many(self, states: Sequence[State], rng: np.random.Generator) -> Sequence[Action]:
        return self._request_actions("choose_many", states, _draw_seed(rng))

    def _request_actions(
        self, method: str, states: Sequence[State], *facts: object
    ) -> list[Action]:
        reply = self._call_method(method, states, *facts, questions=len(states))
        return [_read_action(answer) for answer in reply.get("answers", ())]


class SeatedClassProgram(BatchClassProgram):
    def choose_among(
        self, states: Sequence[State], rng: np.random.Generator, others: Sequence[Sequence[int]]
    ) -> Sequence[Action]:
        return self._request_actions("choose_among", states, _draw_seed(rng), others)


def open_class(
    module: str, name: str, rules: Ruleset, limits: Limits = USUAL
) -> ClassProgram | None:
    """Start a player class in another process. If the class has a decision table and the limits
    require no sandbox, return None. The caller then uses the class in this process."""
    files = [f"{folder}/{module}.py" for folder in sys.path]
    process = Process(COMMAND, limits, shown=[*sys.path, *files])
    try:
        call = base64.b64encode(pickle.dumps(("make", (module, name, rules, sys.path))))
        reply = read(process.ask_first(call))
    except Fault as fault:
        process.kill()
        raise Disqualified(f"could not be made: {fault}") from None
    kinds = reply.get("is")
    here = kinds is not None and "Tabular" in kinds and not limits.sandbox
    if kinds is None or here:
        process.close()
    if kinds is None:
        raise NoPlayer(format_line(reply.get("unknown", reply.get("out"))))
    if here:
        return None
    return _KINDS["Seated" if "Seated" in kinds else "Batch" if "Batch" in kinds else ""](process)


_KINDS = {"": ClassProgram, "Batch": BatchClassProgram, "Seated": SeatedClassProgram}


def read(line: bytes) -> dict[str, Any]:
    """Parse a reply of ``guest``. Raise ``Fault`` if the line is not a JSON object."""
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        reply = None
    if not isinstance(reply, dict):
        raise Fault(f"wrote {quote_text(line)} where its answer was due")
    return reply


def _draw_seed(rng: np.random.Generator) -> int:
    return int(rng.integers(SEEDS))


def _read_action(answer: Any) -> Action:
    if "hold" in answer:
        return Hold(answer["hold"])
    if "score" in answer:
        return Score(answer["score"])
    raise Disqualified(
        f"answered with {format_line(answer['other'])}, which is neither a hold nor a box"
    )
