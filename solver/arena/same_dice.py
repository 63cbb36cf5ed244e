"""Games of three players on the same dice, for the lab: the study's same-value test.

Five games come with the program; `./yatzy lab_prepare --same-value N` stores N in `$YATZY_VAR/lab`.
"""

import os
from pathlib import Path
from typing import Any

from solver.advice import Advisor
from solver.arena.facts import make_same_value_facts
from solver.arena.match import make_random_blocks
from solver.arena.same_value import play_all_blocks
from solver.dp.sweep import Progress
from solver.players import PLAYERS, PlayerEntry
from solver.rules import Ruleset

GAMES, SEED = 5, 1  # number and seed of the games that the program includes
STUDIED = ("dice-based", "scorecard-based", "optimal")  # the study's programs, perfect play last
TOP = Path(__file__).resolve().parents[2]


def choose_players(rules: Ruleset) -> list[PlayerEntry]:
    """Return the study's players, or three others that can play by the rules; the last one plays
    perfectly."""
    studied = [PLAYERS[name] for name in STUDIED]
    if all(player.plays(rules) for player in studied):
        return studied
    return [player for player in PLAYERS.values() if player.plays(rules)][: len(STUDIED)][::-1]


def find_test_path(seed: int, rules: Ruleset) -> Path:
    folder = Path(os.environ.get("YATZY_VAR") or TOP / "var") / "lab"
    return folder / f"same-value-{seed}-{rules.id}-{rules.hash[:12]}.json"


def play_same_dice_test(
    rules: Ruleset, games: int = GAMES, seed: int = SEED, *, progress: Progress | None = None
) -> dict[str, Any]:
    blocks = make_random_blocks(games, seed, rules)
    played = play_all_blocks(
        choose_players(rules), blocks, Advisor.open(rules), seed=seed, progress=progress
    )
    return {"seed": seed, "ruleset": rules.id, **make_same_value_facts(played)}
