"""Players that are local programs, in any language.

Limits guard against mistakes: a program that hangs, floods or eats memory harms nobody else. They
are no jail: that is ``sandbox``, where there is bubblewrap. Without it a program runs with the
rights of the user who started it.
"""

from solver.arena.programs.contest import ContestProgram
from solver.arena.programs.json_program import JsonProgram
from solver.arena.programs.limits import FENCED, USUAL, Limits
from solver.arena.programs.program import Program
from solver.rules import Ruleset

# That of docs/bots.md, and that of the Yahtzee AI contest.
KINDS: dict[str, type[Program]] = {"cmd": JsonProgram, "contest": ContestProgram}


def names_program(name: str) -> bool:
    """``cmd:./bot --fast``, as opposed to a player of the registry."""
    kind, colon, _ = name.partition(":")
    return bool(colon) and kind in KINDS


def open_named(name: str, rules: Ruleset, limits: Limits = USUAL) -> Program:
    """Open a program of a name that ``names_program`` accepts."""
    kind, _, command = name.partition(":")
    return KINDS[kind](command, rules, limits)


__all__ = [
    "FENCED",
    "USUAL",
    "ContestProgram",
    "JsonProgram",
    "Limits",
    "Program",
    "names_program",
    "open_named",
]
