"""Contestants of a tournament, and their agents. A text names a contestant:

    optimal, dice-based:open     a player of the registry, or one of its variants
    package.module:Class         a ``controller.Player``, or a class of agents made with the rules
    folder/file.py:Class         the same class, named by its file
    cmd:./bot --fast             a program that speaks JSON lines (``arena.programs``)

An agent has the method ``choose``, or ``choose_many`` for many games at once. It may also have
these methods, which the arena then calls:

    sit_down(rules, players)   before the first game, with the number of players
    new_game(game)             a game begins, numbered from 0; several games run side by side
    go_on(game)                the next questions are about this game; not called for a ``Batch``
    end_game(game, score, others)
    close()                    the last call, which happens even after an error

An agent that cannot continue raises ``Disqualified``. Any other exception also disqualifies it.
"""

import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from solver import Refusal
from solver.arena.illegal import Disqualified
from solver.arena.programs import USUAL, JsonProgram, Limits, is_program_name, open_named
from solver.players import Agent, find_player
from solver.rules import Action, Ruleset, State


class UnknownContestant(Refusal, ValueError):
    """The error for a text that is no contestant. The message gives the reason."""


@dataclass(frozen=True)
class Contestant:
    """A player in a tournament. ``tell`` calls an optional method of the player's agent."""

    name: str
    agent: Agent
    command: str = ""  # command that starts the program, because its name may not be unique
    known: str = ""  # name of a player in the registry

    @property
    def identity(self) -> str:
        return self.command or self.name

    def tell(self, method: str, *facts: object) -> None:
        listener = getattr(self.agent, method, None)
        if listener is None:
            return
        try:
            listener(*facts)
        except Disqualified:
            raise
        except (Exception, SystemExit) as error:
            raise Disqualified(f"{method} raised {type(error).__name__}: {error}") from error

    def close(self) -> None:
        close = getattr(self.agent, "close", None)
        if close is not None:
            close()


def find_contestant(text: str, rules: Ruleset, limits: Limits = USUAL) -> Contestant:
    module, colon, name = text.partition(":")
    if is_program_name(text):
        command = f"{module}:{name.strip()}"
        if not name.strip():
            raise UnknownContestant(f"{command} must be followed by the command of a program")
        try:
            program = open_named(command, rules, limits)
        except Disqualified as reason:
            return Contestant(text, Absent(reason))
        if isinstance(program, JsonProgram):
            return Contestant(program.name, program, command=text)
        return Contestant(text, program)
    if module.endswith(".py"):
        path = Path(module)
        if not path.is_file():
            raise UnknownContestant(f"there is no file {path}")
        if not name:
            raise UnknownContestant(f"{path} must be followed by a colon and the name of a class")
        sys.path.insert(0, str(path.resolve().parent))
        return Contestant(text, _open_agent_of_class(path.stem, name, rules, limits))
    if colon and ("." in module or (name.isidentifier() and name[:1].isupper())):
        return Contestant(text, _open_agent_of_class(module, name, rules, limits))
    player = find_player(text)
    return Contestant(player.name, player.open(rules), known=text)


def find_contestants(
    texts: Sequence[str], rules: Ruleset, limits: Limits = USUAL
) -> list[Contestant]:
    """Return all contestants, with unique names such as "greedy (2)". If a text names no
    contestant, close all others and raise the error."""
    contestants: list[Contestant] = []
    try:
        for text in texts:
            contestant = find_contestant(text, rules, limits)
            number, name = 2, contestant.name
            while name in {other.name for other in contestants}:
                name, number = f"{contestant.name} ({number})", number + 1
            contestants.append(replace(contestant, name=name))
    except BaseException:
        for contestant in contestants:
            contestant.close()
        raise
    return contestants


class Absent:
    """A stand-in for a program that failed to start. At its first decision it raises the reason."""

    def __init__(self, reason: Disqualified) -> None:
        self._reason = reason

    def sit_down(self, rules: Ruleset, players: int) -> None:
        raise self._reason

    def choose(self, state: State, rng: np.random.Generator, others: Sequence[int] = ()) -> Action:
        raise self._reason


def _open_agent_of_class(module: str, name: str, rules: Ruleset, limits: Limits) -> Agent:
    """Return the class's agent in another process, or here if ``open_class`` returns None."""
    from solver.arena.programs.class_program import NoPlayer, open_class

    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)  # also find modules in the current folder, as ``python -m`` does
    try:
        walled = open_class(module, name, rules, limits)
    except NoPlayer as error:
        raise UnknownContestant(str(error)) from None
    except Disqualified as reason:
        return Absent(reason)
    if walled is not None:
        return walled
    agent: Agent = getattr(importlib.import_module(module), name)(rules)
    return agent
