"""The solver as a program for browsers: a kernel in C, built as WebAssembly, that knows no rule by
name, and the facts of a ruleset that it is told."""

from solver.pocket.facts import facts_of

__all__ = ["facts_of"]
