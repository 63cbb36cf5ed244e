"""The rulesets with positions to drill. ``./yatzy drill_pool`` makes the file of a ruleset."""

from pathlib import Path

from game.data import FOLDER
from solver.rules import PLAYED, Ruleset


def file_of(rules: Ruleset) -> Path:
    return FOLDER / f"drill_pool_{rules.id}.csv"


DRILLED: dict[str, Ruleset] = {
    name: rules for name, rules in PLAYED.items() if file_of(rules).exists()
}
