"""Exact results of mixes: players that hold dice by one strategy and choose boxes by another.

    ./yatzy solver learn report

The calculation takes a second per mix, ten seconds with perfect play, and minutes for all mixes.
The program therefore includes a file with the results.
"""

from fractions import Fraction
from typing import Any

from solver.advice.moments import evaluate
from solver.arena.learners import REPORTS, find_learner_kind, read_report
from solver.players import PLAYERS, Tabular, find_player
from solver.players.mixed import Mixed, Wavering
from solver.players.playbook import NAMES
from solver.study.published import RULES

PERFECT, WAVERS = "optimal", "dice-based"
PATH = REPORTS / f"mixes-{RULES.id}.json"


def list_mixable() -> list[str]:
    """Return the ids of the players that can be mixed: all except learned players and playbooks."""
    playing = (player for player in PLAYERS.values() if player.plays(RULES) and not player.alone)
    return [
        player.id
        for player in playing
        if not find_learner_kind(player.id) and player.id not in NAMES
    ]


def evaluate_mixes() -> dict[str, Any]:
    """Return the results of all mixes. ``mixes[holds_id][boxes_id]`` has the mean, the standard
    deviation and the bonus chance of a player that holds like the first player and fills boxes like
    the second player. ``every_second`` is the mean score of the player ``WAVERS`` if a random half
    of its moves were perfect."""
    table = {name: find_player(name).open_tabular(RULES) for name in list_mixable()}
    return {
        "mixes": {
            holds: {boxes: measure_agent(Mixed(table[holds], table[boxes])) for boxes in table}
            for holds in table
        },
        "every_second": measure_agent(Wavering(table[PERFECT], table[WAVERS], Fraction(1, 2)))[0],
    }


def measure_agent(agent: Tabular) -> tuple[float, float, float]:
    worth = evaluate(agent)
    return worth.mean, worth.deviation, worth.bonus_probability


def read_stored_mixes() -> dict[str, Any]:
    facts = read_report(PATH)
    assert facts is not None  # noqa: S101
    return facts
