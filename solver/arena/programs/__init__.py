"""Players that are local programs, written in any language.

Limits protect against mistakes: a program that hangs, floods its output or uses up memory does no
harm. Limits do not protect against a hostile program. ``sandbox`` does, if bubblewrap is installed.
Without a sandbox a program has the rights of the user who started it.
"""

from solver.arena.programs.contest import ContestProgram
from solver.arena.programs.process import FENCED, USUAL, Limits
from solver.arena.programs.program import JsonProgram, Program
from solver.rules import Ruleset

# cmd: the protocol in docs/bots.md; contest: the protocol of the Yahtzee AI contest
KINDS: dict[str, type[Program]] = {"cmd": JsonProgram, "contest": ContestProgram}


def is_program_name(name: str) -> bool:
    kind, colon, _ = name.partition(":")
    return bool(colon) and kind in KINDS


def open_named(name: str, rules: Ruleset, limits: Limits = USUAL) -> Program:
    kind, _, command = name.partition(":")
    return KINDS[kind](command, rules, limits)


__all__ = [
    "FENCED",
    "USUAL",
    "ContestProgram",
    "JsonProgram",
    "Limits",
    "Program",
    "is_program_name",
    "open_named",
]
