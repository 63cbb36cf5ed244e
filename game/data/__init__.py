"""Files that commands made once: pools to drill, peers, simulated games, questions."""

from pathlib import Path

from solver.rules import Ruleset

FOLDER = Path(__file__).resolve().parent


def make_data_path(name: str, rules: Ruleset, suffix: str) -> Path:
    """Return the path of a ruleset's file; a changed ruleset has another hash and thus no file."""
    return FOLDER / f"{name}_{rules.id}_{rules.hash[:12]}.{suffix}"
