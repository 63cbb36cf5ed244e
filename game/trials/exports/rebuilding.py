"""The script that rebuilds the figures of an export, and what it prints."""

import subprocess
import sys
from functools import cache
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

from game.models import Trial
from game.trials.design.reading import rulesets_of
from solver.rules import Ruleset
from solver.rules.dice import FACES

FOLDER = Path(__file__).parent / "scripts"
RULES, OUTCOME = "rules.json", "rebuild.txt"
SCRIPT = "rebuild.py"


def rules_of(trial: Trial) -> dict[str, Any]:
    """Return the rules that were played by, as data: what every roll scores in every box."""
    return {rules.id: _as_data(rules) for rules in rulesets_of(trial)}


class DoesNotRebuild(Exception):
    """A figure differs from what the tables of its own folder make it, or cannot be rebuilt."""


def rebuild(folder: Path) -> None:
    """Put the script into the folder, run it, and store what it prints; refuse a folder that it
    does not agree with."""
    (folder / SCRIPT).write_bytes((FOLDER / SCRIPT).read_bytes())
    ran = subprocess.run(  # noqa: S603 - a file of our own
        [sys.executable, str(FOLDER / SCRIPT), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    told = f"{ran.stdout}{ran.stderr}It ended with {ran.returncode}.\n"
    if ran.returncode:
        raise DoesNotRebuild(f"the export does not agree with its own tables:\n{told}")
    (folder / OUTCOME).write_text(told, encoding="utf-8")


@cache
def _as_data(rules: Ruleset) -> dict[str, Any]:
    joker, rolls = rules.joker, combinations_with_replacement(range(1, FACES + 1), rules.dice)
    return {
        "boxes": [
            {"id": one.id, "face": one.face, "joker_points": one.joker_points}
            for one in rules.categories
        ],
        "bonus_threshold": rules.bonus_threshold,
        "bonus_points": rules.bonus_points,
        "throws": rules.throws,
        "stock": rules.stock,
        "joker": {"box": joker.box, "chip": joker.chip} if joker else None,
        "points": {
            " ".join(map(str, roll)): [one.score(roll) for one in rules.categories]
            for roll in rolls
        },
    }
