"""Where everybody's points go: what the decisions of each player cost, kept as a file a ruleset.

    python -m solver learn report --ruleset yatzy

To grade a player takes half a minute, so the file comes with the program and no page waits for it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from solver.arena.grading import grade_facts, graded
from solver.arena.learners import REPORTS, kept
from solver.players import PLAYERS, PlayerEntry
from solver.rules import Ruleset
from solver.tables import open_table

KEPT = (
    "how",
    "games",
    "mean",
    "regret",
    "regret_error",
    "regret_by_kind",
    "regret_by_box",
    "regret_by_best_box",
)


def lost_by_everybody(rules: Ruleset, slow: Mapping[str, int]) -> dict[str, Any]:
    """Perfect play loses nothing. ``slow`` are graded on so many games instead of exactly."""
    players = [one for one in PLAYERS.values() if one.plays(rules) and one.id != "optimal"]
    return {
        "ruleset": rules.id,
        "optimum": open_table(rules).value_start,
        "players": {one.id: _lost(one, rules, slow.get(one.id)) for one in players},
    }


def _lost(player: PlayerEntry, rules: Ruleset, games: int | None) -> dict[str, Any]:
    facts = grade_facts(graded(player.id, player.open(rules), rules, games=games))
    return {name: facts[name] for name in KEPT}


def stored_lost(rules: Ruleset) -> dict[str, Any] | None:
    return kept(lost_path(rules))


def lost_path(rules: Ruleset) -> Path:
    return REPORTS / f"lost-{rules.id}.json"
