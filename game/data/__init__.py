"""Files that commands have made: drill positions, bots' figures, simulated games, questions."""

from pathlib import Path

from solver.rules import Ruleset

FOLDER = Path(__file__).resolve().parent


def make_data_path(name: str, rules: Ruleset, suffix: str) -> Path:
    """Return the path of a ruleset's file. Its name contains a hash of the rules, so that a changed
    ruleset never uses an old file."""
    return FOLDER / f"{name}_{rules.id}_{rules.hash[:12]}.{suffix}"
