"""Exact distributions of the players' scores, and games of three players on the same dice.

    python -m solver.arena.results [RULESET...]    calculate and store all: minutes per ruleset

The program includes these results in `worked_out/RULESET.json.gz`. The lab can therefore show them
at the first start, and the web process needs no compiler. A learned player's distribution is stored
next to its weights. The nightly tests calculate all results again.

In the lab's tournament of the built-in players, every player has separate dice. Scores are
therefore independent, and a probability is a sum over scores:

    win(one, other)  = sum over s of P(one = s) P(other < s)
    point(one)       = sum over s of P(one = s) prod over the others of P(other <= s)
"""

import gzip
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from solver.advice.options import sort_by_cost
from solver.arena.facts import play_same_dice_test
from solver.dp.arrays import Floats
from solver.dp.packing import is_large
from solver.dp.sweep import Progress
from solver.exact.distribution import QUANTILES, Distribution, calculate_distribution
from solver.players import PLAYERS, CannotPlay, PlayerEntry
from solver.rules import RULESETS, Ruleset
from solver.tables import write_whole

FOLDER = Path(__file__).with_name("worked_out")


@dataclass(frozen=True)
class Exact:
    player: str
    ruleset: str
    distribution: Distribution
    seconds: float

    def facts(self) -> dict[str, Any]:
        scores = self.distribution
        return {
            "player": self.player,
            "ruleset": self.ruleset,
            "mean": scores.mean,
            "sd": scores.deviation,
            "median": scores.median,
            "mode": scores.mode,
            "bonus_probability": scores.bonus_probability,
            "quantiles": {str(share): scores.find_quantile(share) for share in QUANTILES},
            "probabilities": scores.probabilities.tolist(),
            "states": scores.states,
            "seconds": self.seconds,
        }


def calculate_exact(
    player: PlayerEntry, rules: Ruleset, *, progress: Progress | None = None
) -> Exact:
    """Calculate exact results. Raise CannotPlay for a large ruleset or a player without a table."""
    play = player.open_tabular(rules)
    if is_large(rules):
        raise CannotPlay(
            f"{rules.id} has too many cards for the chance of every score; evaluate calculates "
            "its mean, spread and bonus"
        )
    began = perf_counter()
    scores = calculate_distribution(play, progress=progress)
    return Exact(player.name, rules.id, scores, perf_counter() - began)


def find_result(player: PlayerEntry, rules: Ruleset, *, progress: Progress | None = None) -> Exact:
    return read_result(player, rules) or calculate_exact(player, rules, progress=progress)


def read_result(player: PlayerEntry, rules: Ruleset) -> Exact | None:
    """Return the stored result of the player, or None if there is none for exactly these rules."""
    if path := player.worked_out:
        try:
            facts = json.loads(path.read_text())
            if facts.get("policy") != hash_weights(path):
                return None
            return _make_exact(facts, player, rules)
        except (OSError, ValueError, KeyError, TypeError):
            return None
    facts = read_stored_facts(rules).get("players", {}).get(player.alone or player.name)
    return _make_exact(facts, player, rules) if facts else None


@cache
def read_stored_facts(rules: Ruleset) -> dict[str, Any]:
    """Return the contents of a ruleset's file; {} if there is no file for exactly these rules."""
    path = FOLDER / f"{rules.id}.json.gz"
    if not path.exists():
        return {}
    facts: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    return facts if facts["rules"] == rules.hash else {}


def hash_weights(path: Path) -> str:
    return hashlib.sha256(path.with_suffix(".npz").read_bytes()).hexdigest()[:16]


def _make_exact(facts: dict[str, Any], player: PlayerEntry, rules: Ruleset) -> Exact:
    probabilities = np.array(facts["probabilities"], dtype=np.float64)
    scores = Distribution(probabilities, facts["bonus_probability"], facts["states"])
    if abs(float(probabilities.sum()) - 1) > 1e-9:
        raise ValueError(f"the chances of {player.name} do not add up to 1")
    return Exact(player.name, rules.id, scores, facts["seconds"])


def list_entries(rules: Ruleset) -> Iterator[PlayerEntry]:
    for player in PLAYERS.values():
        if player.plays(rules) and player.worked_out is None and not player.alone:
            try:
                player.open_tabular(rules)
            except CannotPlay:  # a player without a table has no exact result
                continue
            yield player
            yield from (replace(player, reading=name) for name in list(player.readings)[1:])


def write(rules: Ruleset) -> None:
    players = {entry.name: calculate_exact(entry, rules).facts() for entry in list_entries(rules)}
    facts = {"rules": rules.hash, "players": players, "same_dice": play_same_dice_test(rules)}
    write_whole(FOLDER / f"{rules.id}.json.gz", gzip.compress(json.dumps(facts).encode(), mtime=0))


if __name__ == "__main__":
    for name in sys.argv[1:] or RULESETS:
        if list(list_entries(RULESETS[name])):
            write(RULESETS[name])


@dataclass(frozen=True)
class ExactStanding:
    """The exact result of a tournament. In games of two, ``wins[a, b]`` is the probability that
    player a beats player b, and ``ties[a, b]`` that they tie. If all players play together,
    ``points[a]`` is the probability that player a has the highest score, possibly tied."""

    names: tuple[str, ...]
    means: tuple[float, ...]
    points: Floats
    wins: Floats
    ties: Floats


def rank_players(rules: Ruleset) -> ExactStanding:
    """Return the exact standing of all players that have a stored score distribution."""
    playing = (player for player in PLAYERS.values() if player.plays(rules) and not player.alone)
    kept = {player.id: read_result(player, rules) for player in playing}
    return rank_distributions({name: exact.distribution for name, exact in kept.items() if exact})


def rank_distributions(distributions: Mapping[str, Distribution]) -> ExactStanding:
    rows = [distribution.probabilities for distribution in distributions.values()]
    most = max(map(len, rows), default=0)
    padded = [np.pad(row, (0, most - len(row))) for row in rows]
    chances = np.array(padded).reshape(len(rows), most)
    at_most = chances.cumsum(axis=1)
    others = [np.delete(at_most, n, axis=0).prod(axis=0) for n in range(len(chances))]
    points = np.array([mine @ theirs for mine, theirs in zip(chances, others, strict=True)])
    order = sort_by_cost((-points).tolist())
    chances, points = chances[order], points[order]
    names, means = (
        tuple(distributions),
        [distribution.mean for distribution in distributions.values()],
    )
    return ExactStanding(
        names=tuple(names[n] for n in order),
        means=tuple(means[n] for n in order),
        points=points,
        wins=chances @ (chances.cumsum(axis=1) - chances).T,  # P(one = s) * P(other < s)
        ties=chances @ chances.T,
    )
