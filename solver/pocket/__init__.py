"""The solver for browsers: a kernel in C, compiled to WebAssembly, and each ruleset as its data."""

from solver.pocket.facts import collect_facts

__all__ = ["collect_facts"]
