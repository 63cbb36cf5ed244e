"""The solver for browsers: a kernel in C that is compiled to WebAssembly, and rulesets as data."""

from solver.pocket.facts import collect_facts

__all__ = ["collect_facts"]
