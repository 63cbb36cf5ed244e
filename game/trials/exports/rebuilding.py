"""Runs the script that recalculates the figures of an export from its tables."""

import subprocess
import sys
from functools import cache
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

from game.trials.design.reading import list_rulesets
from game.trials.models import Trial
from solver.rules import Ruleset
from solver.rules.dice import FACES

FOLDER = Path(__file__).parent / "scripts"
RULES, OUTCOME = "rules.json", "rebuild.txt"
SCRIPT = "rebuild.py"


def export_rules(trial: Trial) -> dict[str, Any]:
    """Return the rules of the trial's games as data, including each roll's points in each box."""
    return {rules.id: _convert_rules(rules) for rules in list_rulesets(trial)}


class DoesNotRebuild(Exception):
    """The error if the script cannot confirm a figure of the export."""


def rebuild(folder: Path) -> None:
    """Run the script in the folder; raise DoesNotRebuild unless it confirms every figure."""
    (folder / SCRIPT).write_bytes((FOLDER / SCRIPT).read_bytes())
    ran = subprocess.run(  # noqa: S603 - a script of this repository
        [sys.executable, str(FOLDER / SCRIPT), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    output = f"{ran.stdout}{ran.stderr}The script ended with {ran.returncode}.\n"
    if ran.returncode:
        raise DoesNotRebuild(f"the figures of the export do not match its own tables:\n{output}")
    (folder / OUTCOME).write_text(output, encoding="utf-8")


@cache
def _convert_rules(rules: Ruleset) -> dict[str, Any]:
    joker, rolls = rules.joker, combinations_with_replacement(range(1, FACES + 1), rules.dice)
    return {
        "boxes": [
            {"id": box.id, "face": box.face, "joker_points": box.joker_points}
            for box in rules.categories
        ],
        "bonus_threshold": rules.bonus_threshold,
        "bonus_points": rules.bonus_points,
        "throws": rules.throws,
        "stock": rules.stock,
        "joker": {"box": joker.box, "chip": joker.chip} if joker else None,
        "points": {
            " ".join(map(str, roll)): [box.score(roll) for box in rules.categories]
            for roll in rolls
        },
    }
