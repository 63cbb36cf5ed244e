"""The rulesets with positions for the drill. ``./yatzy drill_pool`` makes the file of a ruleset."""

from pathlib import Path

from game.data import make_data_path
from solver.rules import PLAYED, Ruleset


def make_pool_path(rules: Ruleset) -> Path:
    return make_data_path("drill_pool", rules, "csv")


DRILLED: dict[str, Ruleset] = {
    name: rules for name, rules in PLAYED.items() if make_pool_path(rules).exists()
}
