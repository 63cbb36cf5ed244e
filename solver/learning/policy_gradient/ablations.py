"""What each choice of a run matters: small runs that differ from the usual one in that alone.

Every run has a folder; one that is finished is not trained again, one that was broken off goes on.
A choice and the usual run share their seeds, so that they are compared in pairs. Sizes are small,
and results are those of that size: the report names it.
"""

import json
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
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
    CONFIG_FILE,
    TrainingRun,
    curve,
    train,
)
from solver.players import greedy
from solver.players.learned import NetworkPlay
from solver.statistics.inference import paired, t_test
from solver.tables import write_whole

RESULT = "result.json"
# Of one core, the usual run: told beforehand.
SECONDS_A_GAME, SECONDS_A_GRADED, SECONDS_A_REGRET = 0.0008, 0.0004, 5.0
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
        "gamma from 0.95 to 1": {"gamma": 0.95},
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


class SmallRun(NamedTuple):
    """Begins with the policy of ``origin``, where there is one."""

    folder: Path
    config: Config
    origin: Path | None

    @property
    def choices(self) -> Any:
        """As a file has them."""
        return json.loads(json.dumps(self.config.facts()))

    def known(self, graded: int) -> dict[str, Any] | None:
        """What came of it, if it was run: by these choices, however the usual run has changed."""
        path = self.folder / RESULT
        facts: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        same = facts and facts["graded"] == graded and facts["config"] == self.choices
        return facts if same else None

    def begun(self) -> TrainingRun:
        own = self.folder / CHECKPOINT_FILE, self.folder / CONFIG_FILE
        if all(path.exists() for path in own) and json.loads(own[1].read_text()) == self.choices:
            return TrainingRun.load(own[0])
        run = TrainingRun(self.config)
        if self.origin:
            run.start_from(self.origin / "policy.npz")
        return run

    def result(self, graded: int, regret: Regret) -> dict[str, Any]:
        if found := self.known(graded):
            return found
        run = self.begun()
        for _ in train(run, self.folder):
            pass
        facts = {"graded": graded, "config": self.choices, **graded_run(run, graded, regret)}
        facts |= {"cpu_seconds": run.seconds, "curve": curve(self.folder)}
        write_whole(self.folder / RESULT, json.dumps(facts))
        return facts


def small_runs(name: str, size: Size, folder: Path) -> dict[str, list[SmallRun]]:
    """One a seed, of every choice and of the usual run, which is the same for all names."""
    seeds = range(1, size.seeds + 1)
    found = {USUAL: [_small_run(folder / USUAL, USUAL, {}, size, seed) for seed in seeds]}
    for choice, changes in ABLATIONS[name].items():
        found[choice] = [_small_run(folder / name, choice, changes, size, seed) for seed in seeds]
    return found


def _small_run(
    folder: Path, choice: str, changes: dict[str, Any], size: Size, seed: int
) -> SmallRun:
    """A hundred batches at least, and eight gradings."""
    own = {name: value for name, value in changes.items() if name != "from"}
    sizes = {
        "batch": max(1, min(Config.batch, size.games // 100)),
        "games": size.games,
        "every": max(1, size.games // 8),
        "graded": min(1000, size.graded),
    }
    config = config_of(**{**sizes, **own}, ruleset=size.ruleset, seed=seed)
    origin = changes.get("from")
    return SmallRun(
        folder / _place(choice, size, seed), config, origin and folder / _place(origin, size, seed)
    )


def _place(choice: str, size: Size, seed: int) -> str:
    name = "".join(c if c.isalnum() or c == "." else "-" for c in choice)
    return f"{name}-{size.ruleset}-{size.games}-{seed}"


def every_run(names: list[str], size: Size, folder: Path) -> list[SmallRun]:
    """Once each; what begins with the policy of another comes after it."""
    runs = {
        run.folder: run
        for name in names
        for seeds in small_runs(name, size, folder).values()
        for run in seeds
    }
    return sorted(runs.values(), key=lambda run: run.origin is not None)


def seconds_ahead(names: list[str], size: Size, folder: Path) -> float:
    """Of one core, about; what is there already costs nothing."""
    each_run = SECONDS_A_GAME * size.games + SECONDS_A_GRADED * size.graded + SECONDS_A_REGRET
    return each_run * sum(not run.known(size.graded) for run in every_run(names, size, folder))


def train_all(
    runs: list[SmallRun],
    graded: int,
    regret: Regret,
    *,
    pool: Executor | None = None,
    progress: Progress | None = None,
) -> None:
    """Those of a pool see the same folder, where each goes on from what was kept of its run."""
    mapped = pool.map if pool else map
    finish = partial(SmallRun.result, graded=graded, regret=regret)
    waves = [[run for run in runs if (run.origin is None) is first] for first in (True, False)]
    done = 0
    for wave in waves:
        for _ in mapped(finish, wave):
            done += 1
            if progress:
                progress(done, len(runs))


def table(name: str, size: Size, folder: Path) -> list[dict[str, Any]]:
    """The usual run and a row a choice: the means of its seeds, and what it costs against it."""
    found = {
        choice: [facts for run in runs if (facts := run.known(size.graded))]
        for choice, runs in small_runs(name, size, folder).items()
    }
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
