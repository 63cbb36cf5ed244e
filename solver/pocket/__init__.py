"""The solver for browsers: a kernel in C, compiled to WebAssembly, and each ruleset as its data."""

from solver.pocket.facts import facts_of

__all__ = ["facts_of"]
