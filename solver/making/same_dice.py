"""Games of three players on the same dice, kept for the lab: the same-value test of the study."""

import json
from pathlib import Path
from typing import Any

from solver.advice import Advisor
from solver.arena.facts import game_of_facts, same_value_facts
from solver.arena.match import random_blocks
from solver.arena.results import path_named
from solver.arena.same_value import same_value
from solver.dp.sweep import Progress
from solver.players import PLAYERS, PlayerEntry
from solver.rules import Ruleset
from solver.tables import write_whole

GAMES, SEED = 5, 1  # that are made where nothing else is said
STUDIED = ("dice-based", "scorecard-based", "optimal")  # the study's programs; perfect play is last


def players_of(rules: Ruleset) -> list[PlayerEntry]:
    """Return the study's three where they know these rules, else three who do; perfect play is
    last."""
    studied = [PLAYERS[name] for name in STUDIED]
    if all(player.plays(rules) for player in studied):
        return studied
    return [player for player in PLAYERS.values() if player.plays(rules)][: len(STUDIED)][::-1]


def path_of_test(seed: int, rules: Ruleset) -> Path:
    return path_named(f"same-value-{seed}", rules)


def make_test(
    rules: Ruleset, games: int = GAMES, seed: int = SEED, *, progress: Progress | None = None
) -> None:
    """Plays and keeps them; OSError where nothing can be written."""
    blocks = random_blocks(games, seed, rules)
    played = same_value(
        players_of(rules), blocks, Advisor.open(rules), seed=seed, progress=progress
    )
    facts = {"seed": seed, "ruleset": rules.id, **same_value_facts(played)}
    write_whole(path_of_test(seed, rules), json.dumps(facts))


def is_kept(rules: Ruleset, seed: int = SEED) -> bool:
    try:
        facts: dict[str, Any] = json.loads(path_of_test(seed, rules).read_text())
        rows = facts["games"]
        for row in rows:
            for game in row["players"]:
                game_of_facts(game)
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return False
    return bool(rows)
