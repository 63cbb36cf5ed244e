"""Exact distributions, worked out once and kept in ``$YATZY_VAR/lab``.

A file is named after everything that could change it: the rules, the sources of the solver and the
players, and what players have learned. Reading one needs no compiler, so that a web process can
show it.
"""

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from solver.dp.packing import is_large
from solver.dp.sweep import Progress
from solver.exact.distribution import QUANTILES, Distribution, distribution
from solver.players import CannotPlay, PlayerEntry
from solver.rules import Ruleset
from solver.tables import write_whole

SOLVER = Path(__file__).resolve().parents[1]
SOURCES = ("dp", "rules", "players")


@dataclass(frozen=True)
class Exact:
    """A player's exact distribution, and how long it took to work out."""

    player: str
    ruleset: str
    distribution: Distribution
    seconds: float

    def facts(self) -> dict[str, Any]:
        of = self.distribution
        return {
            "player": self.player,
            "ruleset": self.ruleset,
            "mean": of.mean,
            "sd": of.deviation,
            "median": of.median,
            "mode": of.mode,
            "bonus_probability": of.bonus_probability,
            "quantiles": {str(share): of.quantile(share) for share in QUANTILES},
            "probabilities": of.probabilities.tolist(),
            "states": of.states,
            "seconds": self.seconds,
        }


def computed(player: PlayerEntry, rules: Ruleset, *, progress: Progress | None = None) -> Exact:
    """Worked out now, and kept."""
    play = player.tabular(rules)
    if is_large(rules):
        raise CannotPlay(
            f"{rules.id} has too many cards for the chance of every score; its mean, spread and "
            "bonus are worked out by evaluate"
        )
    began = perf_counter()
    found = distribution(play, progress=progress)
    exact = Exact(player.name, rules.id, found, perf_counter() - began)
    with contextlib.suppress(OSError):  # one that cannot be kept is worked out again
        keep(exact, player, rules)
    return exact


def keep(result: Exact, player: PlayerEntry, rules: Ruleset, path: Path | None = None) -> None:
    facts = result.facts() | {"policy": policy_of(player)}
    write_whole(path or path_of(player, rules), json.dumps(facts))


def exact(player: PlayerEntry, rules: Ruleset, *, progress: Progress | None = None) -> Exact:
    return stored(player, rules) or computed(player, rules, progress=progress)


def stored(player: PlayerEntry, rules: Ruleset) -> Exact | None:
    """Return the stored result, local or shipped with the player; None if there is no readable
    one."""
    here, with_it = path_of(player, rules), player.worked_out
    return _read(here, player, rules) or (_read(with_it, player, rules) if with_it else None)


def policy_of(player: PlayerEntry) -> str:
    """Return a fingerprint of what was learned: results that come with a player are of that
    alone."""
    if player.worked_out is None:
        return ""
    return hashlib.sha256(player.worked_out.with_suffix(".npz").read_bytes()).hexdigest()[:16]


def _read(path: Path, player: PlayerEntry, rules: Ruleset) -> Exact | None:
    try:
        facts = json.loads(path.read_text())
        if facts.get("policy", "") != policy_of(player):
            return None
        probabilities = np.array(facts["probabilities"], dtype=np.float64)
        found = Distribution(probabilities, facts["bonus_probability"], facts["states"])
        if abs(float(probabilities.sum()) - 1) > 1e-9:
            return None
        return Exact(player.name, rules.id, found, facts["seconds"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def path_of(player: PlayerEntry, rules: Ruleset) -> Path:
    return path_named(player.name.replace(":", "."), rules)


def path_named(name: str, rules: Ruleset) -> Path:
    """Return the path of a result that depends on the rules and the players."""
    return lab_dir() / f"{name}-{rules.id}-{_digest(rules)[:12]}.json"


def lab_dir() -> Path:
    return Path(os.environ.get("YATZY_VAR") or SOLVER.parent / "var") / "lab"


@cache
def _digest(rules: Ruleset) -> str:
    digest = hashlib.sha256(rules.hash.encode())
    sources = [
        path
        for name in SOURCES
        for path in sorted((SOLVER / name).rglob("*"))
        if path.suffix in {".py", ".npz"}
    ]
    for path in (SOLVER / "exact" / "distribution.py", *sources):
        digest.update(path.read_bytes())
    return digest.hexdigest()
