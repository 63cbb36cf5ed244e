"""Where the points of the study's strategies go: what their decisions cost, as the lab tells it."""

from typing import Any

from solver.arena.learners import stored_lost
from solver.study.histograms import KEYS
from solver.study.html import TextTable
from solver.study.published import RULES

COSTS = ("regret", "regret_by_kind", "regret_by_box", "regret_by_best_box")
KINDS = ("first hold", "second hold", "box")


def lost_facts() -> dict[str, dict[str, Any]]:
    """Of each strategy but perfect play."""
    stored = stored_lost(RULES) or {"players": {}}
    players = {name: stored["players"][name] for name in KEYS if name in stored["players"]}
    return {name: {cost: facts[cost] for cost in COSTS} for name, facts in players.items()}


def lost() -> TextTable:
    found = lost_facts()
    costs = [
        {
            "all decisions": facts["regret"],
            **dict(zip(KINDS, facts["regret_by_kind"], strict=True)),
            **{box.replace("_", " "): cost for box, cost in facts["regret_by_box"].items()},
        }
        for facts in found.values()
    ]
    rows = [[name, *(f"{of[name]:.2f}" for of in costs)] for name in costs[0]]
    caption = "Points lost in a game, exactly: by hold, by box, and by the box that was filled"
    return TextTable(caption, ["", *found], rows)
