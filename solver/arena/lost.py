"""Where points go: what the decisions of the players cost, kept as a file a ruleset.

    python -m solver learn report --ruleset yatzy

To grade a player takes half a minute, so the file comes with the program and no page waits for it.
Those who learned are in the report of learners, and are read there.
"""

from pathlib import Path
from typing import Any

from solver.arena.grading import grade_facts, graded
from solver.arena.learners import REPORTS, kept, kind_of, stored_report
from solver.players import PLAYERS, PlayerEntry
from solver.rules import Ruleset
from solver.tables import open_table

KEPT = ("mean", "regret", "regret_by_kind", "regret_by_box", "regret_by_best_box")


def losing(rules: Ruleset) -> list[PlayerEntry]:
    """Who decides by rules; those who learned stand in the report on them."""
    playing = (one for one in PLAYERS.values() if one.plays(rules) and not kind_of(one.id))
    return [one for one in playing if (one.alone or one.id) != "optimal"]


def all_lost(rules: Ruleset) -> dict[str, Any]:
    return {
        "ruleset": rules.id,
        "optimum": open_table(rules).value_start,
        "players": {one.id: _lost(one, rules) for one in losing(rules)},
    }


def _lost(player: PlayerEntry, rules: Ruleset) -> dict[str, Any]:
    facts = grade_facts(graded(player.id, player.open(rules), rules))
    return {name: facts[name] for name in KEPT}


def stored_lost(rules: Ruleset) -> dict[str, Any] | None:
    facts, learned = kept(lost_path(rules)), stored_report(rules)
    if facts and learned:
        facts["players"] |= {one["player"]: one for one in learned["learners"]}
    return facts


def lost_path(rules: Ruleset) -> Path:
    return REPORTS / f"lost-{rules.id}.json"
