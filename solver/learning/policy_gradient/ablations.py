"""What each choice of a run matters: small runs that differ in that one choice alone.

Every run has a folder; one that is finished is not trained again, one that was broken off goes on.
Their sizes are small, and results are those of that size: the report names it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from solver.dp.sweep import Progress
from solver.learning.policy_gradient.config import (
    CARDS,
    DICE,
    FEATURES,
    Config,
    config_of,
)
from solver.learning.policy_gradient.training import CHECKPOINT_FILE, TrainingRun, train
from solver.tables import write_whole

RESULT = "result.json"
Choices = dict[str, dict[str, Any]]


def _encodings() -> Choices:
    dice = {f"dice: {name}": {"dice": name} for name in DICE}
    return dice | {f"card: {name}": {"card": (name,)} for name in CARDS}


def _features() -> Choices:
    without = {
        f"without {name}": {"features": tuple(other for other in FEATURES if other != name)}
        for name in FEATURES
    }
    return {"all": {}, **without, "none": {"features": ()}}


ABLATIONS: dict[str, Choices] = {
    "algorithm": {
        "reinforce, no baseline": {"algorithm": "reinforce", "baseline": "none"},
        "reinforce, mean": {"algorithm": "reinforce", "baseline": "mean"},
        "reinforce, value": {"algorithm": "reinforce"},
        "a2c": {"algorithm": "a2c"},
        "ppo": {},
    },
    "encoding": _encodings(),
    "features": _features(),
    "heads": {
        "how many of every face": {},
        "one of 32": {"rolling": "categorical"},
        "every die alone": {"rolling": "bernoulli"},
    },
    "capacity": {
        f"{depth} x {width}": {"depth": depth, "width": width}
        for depth, width in ((1, 128), (2, 128), (2, 256), (3, 256), (2, 384))
    },
    "layernorm": {"with": {}, "without": {"layer_norm": False}},
    "activation": {name: {"activation": name} for name in ("swish", "relu", "tanh")},
    "lambda": {f"{value:g}": {"gae_lambda": value} for value in (0.0, 0.3, 0.6, 0.9, 1.0)},
    "entropy": {f"{value:g}": {"entropy": value} for value in (0.0, 0.003, 0.01, 0.03)},
    "transfer": {
        "from the start": {},
        "turns alone": {"task": "turn"},
        "turns, then games": {"from": "turns alone"},
    },
}


class Size(NamedTuple):
    """``graded`` are the greedy games that grade the policy a run ends with."""

    ruleset: str
    games: int
    seeds: int
    graded: int


def ablate(
    name: str, size: Size, folder: Path, progress: Progress | None = None
) -> list[dict[str, Any]]:
    """A row a choice: the means of its seeds, their mean and their spread."""
    choices, done = ABLATIONS[name], 0
    rows = []
    for choice, changes in choices.items():
        found = []
        for seed in range(1, size.seeds + 1):
            found.append(_result(folder / name, choice, changes, size, seed))
            done += 1
            if progress:
                progress(done, len(choices) * size.seeds)
        rows.append(_row(choice, found))
    facts = {"name": name, **size._asdict(), "rows": rows}
    write_whole(folder / f"{name}.json", json.dumps(facts, indent=1))
    return rows


def _row(choice: str, found: list[dict[str, Any]]) -> dict[str, Any]:
    means = [one["mean"] for one in found]
    return {
        "choice": choice,
        "mean": float(np.mean(means)),
        "spread": float(np.std(means, ddof=1)) if len(means) > 1 else 0.0,
        "means": means,
        "sd": float(np.mean([one["sd"] for one in found])),
        "bonus": float(np.mean([one["bonus"] for one in found])),
        "cpu_seconds": float(np.mean([one["cpu_seconds"] for one in found])),
        "curve": found[0]["curve"],
    }


def _result(
    folder: Path, choice: str, changes: dict[str, Any], size: Size, seed: int
) -> dict[str, Any]:
    own = folder / f"{slug(choice)}-{size.ruleset}-{size.games}-{seed}"
    if (own / RESULT).exists():
        known: dict[str, Any] = json.loads((own / RESULT).read_text())
        if known["graded"] == size.graded:
            return known
    origin = changes.get("from")
    run = _begun(own, _config(changes, size, seed))
    if origin and not run.done:
        run.start_from(folder / f"{slug(origin)}-{size.ruleset}-{size.games}-{seed}/policy.npz")
    lines = list(_curve(run, own))
    scores, bonuses = run.grade(size.graded)
    facts: dict[str, Any] = {
        "graded": size.graded,
        "mean": float(scores.mean()),
        "sd": float(scores.std()),
    }
    facts |= {"bonus": float(bonuses.mean()), "cpu_seconds": run.seconds, "curve": lines}
    write_whole(own / RESULT, json.dumps(facts))
    return facts


def _config(changes: dict[str, Any], size: Size, seed: int) -> Config:
    """A hundred batches at least, and eight gradings."""
    own = {name: value for name, value in changes.items() if name != "from"}
    sizes = {"games": size.games, "every": max(1, size.games // 8), "graded": 1000}
    batch = max(1, min(Config.batch, size.games // 100))
    return config_of(**{"batch": batch, **sizes, **own}, ruleset=size.ruleset, seed=seed)


def _begun(folder: Path, config: Config) -> TrainingRun:
    checkpoint = folder / CHECKPOINT_FILE
    return TrainingRun.load(checkpoint) if checkpoint.exists() else TrainingRun(config)


def _curve(run: TrainingRun, folder: Path) -> Iterator[tuple[int, float]]:
    from solver.learning.policy_gradient.training import curve

    for _ in train(run, folder):
        pass
    for line in curve(folder):
        yield line["games"], line["greedy_mean"]


def slug(text: str) -> str:
    return "".join(c if c.isalnum() or c == "." else "-" for c in text)
