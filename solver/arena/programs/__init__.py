"""Players that are local programs, in any language.

Limits guard against mistakes: a program that hangs, floods or eats memory harms nobody else. They
are no jail. A program runs with the rights of whoever started it, so nobody else's is run here.
"""

from collections.abc import Callable

from solver.arena.programs.contest import ContestProgram
from solver.arena.programs.json_program import JsonProgram
from solver.arena.programs.limits import USUAL, Limits
from solver.arena.programs.program import Program
from solver.rules import Ruleset


def open_program(command: str, rules: Ruleset, limits: Limits = USUAL) -> JsonProgram:
    """Speaks the protocol of docs/bots.md."""
    return JsonProgram(command, rules, limits)


def open_contest(command: str, rules: Ruleset, limits: Limits = USUAL) -> ContestProgram:
    """Speaks that of the Yahtzee AI contest."""
    return ContestProgram(command, rules, limits)


KINDS: dict[str, Callable[[str, Ruleset, Limits], Program]] = {
    "cmd": open_program,
    "contest": open_contest,
}


def names_program(name: str) -> bool:
    """``cmd:./bot --fast``, as opposed to a player of the registry."""
    kind, colon, _ = name.partition(":")
    return bool(colon) and kind in KINDS


def open_named(name: str, rules: Ruleset, limits: Limits = USUAL) -> Program:
    """One that ``names_program`` knows."""
    kind, _, command = name.partition(":")
    return KINDS[kind](command, rules, limits)


__all__ = [
    "USUAL",
    "ContestProgram",
    "JsonProgram",
    "Limits",
    "Program",
    "names_program",
    "open_contest",
    "open_named",
    "open_program",
]
