"""The rulesets with positions to drill. ``./yatzy drill_pool`` makes the file of a ruleset."""

from pathlib import Path

from game.data import path_of
from solver.rules import PLAYED, Ruleset


def file_of(rules: Ruleset) -> Path:
    return path_of("drill_pool", rules, "csv")


DRILLED: dict[str, Ruleset] = {
    name: rules for name, rules in PLAYED.items() if file_of(rules).exists()
}
