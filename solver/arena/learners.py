"""Reports on the learned players for the lab's pages: exact grades, one file per ruleset.

    ./yatzy solver learn report --ruleset yatzy

A player is a learner if its id begins with a key of ``WHO``. Its weights, and for some players a
training curve, are in ``players/trained``. The report also grades a bot that makes mistakes like a
person. A second file has the points that all other players lose. A page cannot calculate these
points, because grading one player takes half a minute.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from solver.advice import Advisor
from solver.arena.grading import GradedPlayer, grade_agent, grade_facts
from solver.arena.results import Exact, hash_weights
from solver.dp.arrays import calculate_scale
from solver.dp.space import Space
from solver.players import PLAYERS, PlayerEntry
from solver.players.erring import make_bots
from solver.players.files import TRAINED
from solver.rules import Ruleset
from solver.tables import EXPLAIN, open_table, write_whole

WHO = {"learned-": "model-free", "td-": "knows the dice"}
REPORTS = Path(__file__).resolve().parent / "reports"
PERSON = "erring bot"
PEOPLE, NTH = 3, 1  # number of bots that make mistakes, and the index of the one that is graded
PERSONS_GAMES = 400


def find_learner_kind(player: str) -> str:
    """Return ``model-free`` or ``knows the dice`` for a learner, "" for any other player."""
    return next((kind for start, kind in WHO.items() if player.startswith(start)), "")


def find_learners(rules: Ruleset) -> list[PlayerEntry]:
    return [
        player
        for player in PLAYERS.values()
        if find_learner_kind(player.id) and player.plays(rules)
    ]


def grade_learners(rules: Ruleset) -> dict[str, GradedPlayer]:
    """Return each learner's exact grade, by id. Store the score distributions of the learners."""
    grades = {}
    for player in find_learners(rules):
        began = process_time()
        grade = grades[player.id] = grade_agent(player.id, player.open(rules), rules)
        if player.worked_out:
            result = Exact(player.name, rules.id, grade.scores, process_time() - began)
            write_whole(
                player.worked_out,
                json.dumps(result.facts() | {"policy": hash_weights(player.worked_out)}),
            )
    return grades


def make_report(
    rules: Ruleset, grades: Mapping[str, GradedPlayer], *, seed: int = 1
) -> dict[str, Any]:
    coach = Advisor.open(rules)
    coach.compile()
    person = make_bots(PEOPLE, seed)[NTH].make_tempered(coach, 1)
    space = Space(rules)
    start = open_table(rules, EXPLAIN).read_row(space.find_row(0))[space.find_column(0)]
    points = (start * calculate_scale(rules)).tolist()
    return {
        "ruleset": rules.id,
        "optimum": coach.value_start,
        "learners": [
            {**grade_facts(grade), "kind": find_learner_kind(name), "curve": read_curve(name)}
            for name, grade in grades.items()
        ],
        "perfect": {
            "points": dict(
                zip((category.id for category in rules.categories), points, strict=False)
            )
        },
        "person": grade_facts(grade_agent(PERSON, person, rules, games=PERSONS_GAMES, seed=seed)),
    }


def read_curve(player: str) -> list[dict[str, float]]:
    """Return the training curve as (games, seconds, mean score) per entry; [] if there is none."""
    path = TRAINED / f"{player}.npz"
    if not path.exists():
        return []
    with np.load(path, allow_pickle=False) as file:
        curve = json.loads(str(file["about"])).get("curve", [])
    names = ("games", "seconds", "mean")
    return [{name: grade[name] for name in names if name in grade} for grade in curve]


def read_stored_report(rules: Ruleset) -> dict[str, Any] | None:
    """Return the stored report. Return None if no learner was trained for these rules."""
    return read_report(find_report_path(rules))


def read_report(path: Path) -> dict[str, Any] | None:
    if not path.exists():
        return None
    facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return facts


def find_report_path(rules: Ruleset) -> Path:
    return REPORTS / f"{rules.id}.json"


def find_simplified_path() -> Path:
    return REPORTS / "simplified.json"


def read_simplified() -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(find_simplified_path().read_text(encoding="utf-8"))
    return facts


LOST = ("mean", "regret", "regret_by_kind", "regret_by_box", "regret_by_best_box")


def grade_all_losses(rules: Ruleset) -> dict[str, Any]:
    """Return the points lost by all players except learners and perfect play, as plain data."""
    players = {}
    for player in PLAYERS.values():
        perfect = (player.alone or player.id) == "optimal"
        if player.plays(rules) and not perfect and not find_learner_kind(player.id):
            facts = grade_facts(grade_agent(player.id, player.open(rules), rules))
            players[player.id] = {name: facts[name] for name in LOST}
    optimum = open_table(rules).value_start
    return {"ruleset": rules.id, "optimum": optimum, "players": players}


def read_stored_losses(rules: Ruleset) -> dict[str, Any] | None:
    facts, learned = read_report(find_losses_path(rules)), read_stored_report(rules)
    if facts and learned:
        facts["players"] |= {learner["player"]: learner for learner in learned["learners"]}
    return facts


def find_losses_path(rules: Ruleset) -> Path:
    return REPORTS / f"lost-{rules.id}.json"


def round_floats(value: Any, digits: int = 6) -> Any:
    """Round all floats in nested data, because the last digits differ between processors."""
    if isinstance(value, float):
        return round(value, digits)
    if isinstance(value, Mapping):
        return {key: round_floats(part, digits) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [round_floats(part, digits) for part in value]
    return value
