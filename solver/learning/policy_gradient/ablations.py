"""What each choice of a run matters: small runs that differ from the usual one in that alone.

Every run has a folder; one that is finished is not trained again, one that was broken off goes on.
A choice and the usual run share their seeds, so that they are compared in pairs. Sizes are small,
and results are those of that size: the report names it.
"""

import json
from collections.abc import Callable
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
from solver.learning.policy_gradient.games import played_by
from solver.learning.policy_gradient.training import (
    CHECKPOINT_FILE,
    TrainingRun,
    curve,
    train,
)
from solver.players import greedy
from solver.players.learned import NetworkPlay
from solver.statistics.inference import paired, t_test
from solver.tables import write_whole

RESULT = "result.json"
SECONDS_A_GAME, SECONDS_A_GRADED = 0.0008, 0.0006  # of one core, the usual run; told beforehand
WATCHED = ("greedy_mean", "entropy", "kl", "value_error", "explained")
BARE: dict[str, Any] = {
    "starts": 0.0,
    "dice": "counts",
    "card": ("raw",),
    "features": ("rolls", "chips"),
}
Choices = dict[str, dict[str, Any]]
Regret = Callable[[NetworkPlay, int], float]  # what its decisions cost a game, in so many games


def each(name: str, *values: Any) -> Choices:
    return {f"{name.replace('_', ' ')} {value}": {name: value} for value in values}


def _encodings() -> Choices:
    usual = Config()
    dice = {f"dice: {name}": {"dice": name} for name in DICE if name != usual.dice}
    return dice | {f"card: {name}": {"card": (name,)} for name in CARDS}


def _features() -> Choices:
    without = {
        f"without {name}": {"features": tuple(other for other in FEATURES if other != name)}
        for name in FEATURES
    }
    nothing = {"none": {"features": ()}, "bare": {**BARE, "rolling": "categorical"}}
    return without | nothing | {"bare, holds by face": BARE}


ABLATIONS: dict[str, Choices] = {
    "algorithm": {
        "reinforce, no baseline": {"algorithm": "reinforce", "baseline": "none"},
        "reinforce, mean": {"algorithm": "reinforce", "baseline": "mean"},
        "reinforce, value": {"algorithm": "reinforce"},
        "a2c": {"algorithm": "a2c"},
    },
    "encoding": _encodings(),
    "features": _features(),
    "heads": each("rolling", "categorical", "bernoulli"),
    "trunk": {
        **{
            f"{depth} x {width}": {"depth": depth, "width": width}
            for depth, width in ((1, 128), (2, 128), (3, 256), (2, 384))
        },
        "no layer norm": {"layer_norm": False},
        **each("activation", "relu", "tanh"),
        **each("initial", "orthogonal"),
    },
    "returns": {
        **each("gae_lambda", 0.0, 0.6, 0.9, 1.0),
        **each("gamma", 0.95),
        "gamma 0.95 throughout": {"gamma": 0.95, "gamma_end": 0.95},
        "advantages as they are": {"normalised": False},
        **each("scale", 1.0, 50.0),
    },
    "exploring": {
        **each("starts", 0.0, 0.8),
        **each("entropy", 0.0, 0.01, 0.1),
        "entropy 0.05 throughout": {"entropy_end": 0.05},
    },
    "steps": {
        **each("clip", 0.1, 0.4),
        **each("most_kl", 0.02),
        **each("epochs", 1, 4),
        **each("part", 2048),
        **each("batch", 64, 1024),
        **each("value_weight", 0.1, 2.0),
    },
    "rate": {
        **each("rate", 0.0005, 0.001, 0.004),
        **each("schedule", "constant", "cosine"),
        **each("warm_up", 0.0),
        **each("optimiser", "rmsprop"),
    },
    "transfer": {
        "turns alone": {"task": "turn"},
        "turns, then games": {"from": "turns alone"},
    },
}
USUAL = "usual"


class Size(NamedTuple):
    """``graded`` are the greedy games that grade the policy a run ends with."""

    ruleset: str
    games: int
    seeds: int
    graded: int


def seconds_ahead(names: list[str], size: Size, folder: Path) -> float:
    """Of one core, about; what is there already costs nothing."""
    runs = {folder / USUAL / _place(USUAL, size, seed) for seed in range(1, size.seeds + 1)}
    for name in names:
        for choice in ABLATIONS[name]:
            places = (_place(choice, size, seed) for seed in range(1, size.seeds + 1))
            runs |= {folder / name / place for place in places}
    each_run = SECONDS_A_GAME * size.games + SECONDS_A_GRADED * size.graded
    return each_run * sum(not (run / RESULT).exists() for run in runs)


def ablate(
    name: str, size: Size, folder: Path, regret: Regret, progress: Progress | None = None
) -> list[dict[str, Any]]:
    """The usual run and a row a choice: the means of its seeds, and what it costs against it."""
    choices = {USUAL: {}, **ABLATIONS[name]}
    found: dict[str, list[dict[str, Any]]] = {}
    for at, (choice, changes) in enumerate(choices.items()):
        own = folder / (USUAL if choice == USUAL else name)
        found[choice] = []
        for seed in range(1, size.seeds + 1):
            found[choice].append(_result(own, choice, changes, size, seed, regret))
            if progress:
                progress(at * size.seeds + seed, len(choices) * size.seeds)
    rows = [_row(choice, results, found[USUAL]) for choice, results in found.items()]
    facts = {"name": name, **size._asdict(), "rows": rows}
    write_whole(folder / f"{name}.json", json.dumps(facts, indent=1))
    return rows


def _row(choice: str, found: list[dict[str, Any]], usual: list[dict[str, Any]]) -> dict[str, Any]:
    regrets = [one["regret"] for one in found]
    more = paired(regrets, [one["regret"] for one in usual])
    test = t_test(more)
    return {
        "choice": choice,
        "regrets": regrets,
        **{name: _mean(found, name) for name in ("regret", "mean", "bonus", "wins", "cpu_seconds")},
        "more": _mean(found, "regret") - _mean(usual, "regret"),
        "range": more and [more.low, more.high],
        "p": test and test.p,
        "curve": [
            {name: _mean(lines, name) for name in ("games", *WATCHED)}
            for lines in zip(*(one["curve"] for one in found), strict=True)
        ],
    }


def _mean(found: Any, name: str) -> float:
    return float(np.mean([one[name] for one in found]))


def _result(
    folder: Path, choice: str, changes: dict[str, Any], size: Size, seed: int, regret: Regret
) -> dict[str, Any]:
    own = folder / _place(choice, size, seed)
    if (own / RESULT).exists():
        known: dict[str, Any] = json.loads((own / RESULT).read_text())
        if known["graded"] == size.graded:
            return known
    origin = changes.get("from")
    run = _begun(own, _config(changes, size, seed))
    if origin and not run.done:
        run.start_from(folder / _place(origin, size, seed) / "policy.npz")
    for _ in train(run, own):
        pass
    facts: dict[str, Any] = {"graded": size.graded, **graded_run(run, size.graded, regret)}
    facts |= {"cpu_seconds": run.seconds, "curve": curve(own)}
    write_whole(own / RESULT, json.dumps(facts))
    return facts


def graded_run(run: TrainingRun, games: int, regret: Regret) -> dict[str, float]:
    """Greedy play, all on the same dice; ``wins`` are against whoever plays each turn alone."""
    player, rules = NetworkPlay(run.network), run.rules
    own, other = (
        played_by(one, rules, games, np.random.default_rng(1))
        for one in (player, greedy.make(rules, ""))
    )
    ahead = np.sign(own.scores - other.scores)
    return {
        "mean": float(own.scores.mean()),
        "bonus": float(own.bonuses.mean()),
        "wins": float((1 + ahead.mean()) / 2),
        "regret": regret(player, games),
    }


def _config(changes: dict[str, Any], size: Size, seed: int) -> Config:
    """A hundred batches at least, and eight gradings."""
    own = {name: value for name, value in changes.items() if name != "from"}
    sizes = {
        "games": size.games,
        "every": max(1, size.games // 8),
        "graded": min(1000, size.graded),
    }
    batch = max(1, min(Config.batch, size.games // 100))
    return config_of(**{"batch": batch, **sizes, **own}, ruleset=size.ruleset, seed=seed)


def _begun(folder: Path, config: Config) -> TrainingRun:
    checkpoint = folder / CHECKPOINT_FILE
    return TrainingRun.load(checkpoint) if checkpoint.exists() else TrainingRun(config)


def _place(choice: str, size: Size, seed: int) -> str:
    name = "".join(c if c.isalnum() or c == "." else "-" for c in choice)
    return f"{name}-{size.ruleset}-{size.games}-{seed}"
