"""A training run: batch after batch, graded by greedy play, written down as it goes.

The folder of a run has ``config.json``, ``curve.jsonl`` (a line a grading), ``checkpoint.npz``,
from which it goes on bit for bit, ``best.npz``, the policy of the best grading, and when it is
done ``policy.npz``, the last one. The luck of a batch is that of the seed and the batch's number.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from solver.dp.sweep import Progress
from solver.exact.evaluation import evaluate
from solver.learning.policy_gradient.config import BadConfig, Config, config_from
from solver.learning.policy_gradient.games import GameTable, Graded, greedy_games
from solver.learning.policy_gradient.optimiser import KEEPS, Adam, first, rate_at, views
from solver.learning.policy_gradient.update import Decisions, Moved, PolicySlope
from solver.players import files
from solver.players.learned import NetworkPlay
from solver.players.network import POLICY, Floats32, Network, shape_of
from solver.rules import find_ruleset
from solver.tables import write_whole

CHECKPOINT = "policy-gradient checkpoint"
GRADING, PLAYING = 1, 0  # which luck of a batch
CHECKPOINT_FILE, CONFIG_FILE = "checkpoint.npz", "config.json"


class TrainingRun:
    """Everything that a run is at some batch; ``flat`` are all parameters in a row."""

    def __init__(self, config: Config, flat: Floats32 | None = None) -> None:
        self.config, self.rules = config, find_ruleset(config.ruleset)
        shape = config.shape
        sizes = shape.parameters(self.rules)
        rng = np.random.default_rng([config.seed])
        self.flat = first(shape, self.rules, rng, config.initial) if flat is None else flat
        self.gradient = np.zeros_like(self.flat)
        self.adam = Adam(len(self.flat), KEEPS[config.optimiser])
        self.network = Network(self.rules, shape, views(self.flat, sizes))
        self.learning = PolicySlope(config, self.network, views(self.gradient, sizes))
        self.table = GameTable(config, self.network, config.batch)
        self.done, self.seconds, self.best = 0, 0.0, -1.0

    def luck(self, kind: int) -> np.random.Generator:
        return np.random.default_rng([self.config.seed, self.done, kind])

    def batch(self) -> dict[str, float]:
        """Plays one and learns from it; what a curve tells."""
        began, rng = process_time(), self.luck(PLAYING)
        batch = self.table.play(rng, self.config.starts * (1 - self.done / self.config.batches))
        given = self.learning.prepared(batch, self.done / self.config.batches)
        moved = self._learned(given.holds, given.boxes, rng)
        self.done += 1
        self.seconds += process_time() - began
        mean = float(batch.scores.mean())
        return {"training_mean": mean, "explained": given.explained, **moved._asdict()}

    def _learned(self, holds: Decisions, boxes: Decisions, rng: np.random.Generator) -> Moved:
        config, share = self.config, self.done / self.config.batches
        count = len(holds.chosen) + len(boxes.chosen)
        parts = max(1, round(count / config.part)) if config.algorithm == "ppo" else 1
        rate = rate_at(config, (self.done + 1) / config.batches)
        beta = config.at("entropy", share)
        for _ in range(config.epochs):
            orders = (
                np.array_split(rng.permutation(len(one.chosen)), parts) for one in (holds, boxes)
            )
            for some_holds, some_boxes in zip(*orders, strict=True):
                self.gradient[:] = 0
                moved = self.learning.slope(holds.some(some_holds), boxes.some(some_boxes), beta)
                self.adam.step(self.flat, self.gradient, rate, config.clip_norm)
            if config.most_kl and moved.kl > config.most_kl:
                break
        return moved

    def grade(self, games: int) -> Graded:
        return greedy_games(self.network, games, self.luck(GRADING))

    def save(self, path: Path) -> None:
        facts = {"config": self.config.facts(), "done": self.done, "seconds": self.seconds}
        facts |= {"steps": self.adam.steps, "best": self.best}
        files.save(path, CHECKPOINT, facts, flat=self.flat, **self.adam.arrays())

    @classmethod
    def load(cls, path: Path, games: int | None = None) -> "TrainingRun":
        """As it was left, or with another number of games to come; schedules follow."""
        facts, arrays = files.load(path, CHECKPOINT)
        config = config_from(facts["config"])
        run = cls(replace(config, games=games or config.games), arrays["flat"])
        run.adam.mean, run.adam.square = arrays["adam_mean"], arrays["adam_square"]
        run.adam.steps, run.done = facts["steps"], facts["done"]
        run.seconds, run.best = facts["seconds"], facts["best"]
        return run

    def write_policy(self, path: Path, lines: Sequence[Mapping[str, Any]] = ()) -> None:
        """What plays (``players.network.read``), and how it came to it."""
        config, network = self.config, self.network
        facts: dict[str, Any] = {"ruleset": self.rules.id, "shape": asdict(network.shape)}
        facts |= {"config": config.facts(), "games": self.done * config.batch}
        names = {"games": "games", "seconds": "cpu_seconds", "mean": "greedy_mean"}
        facts["curve"] = [{short: line[name] for short, name in names.items()} for line in lines]
        files.save(path, POLICY, facts, **network.parameters)

    def start_from(self, path: Path) -> None:
        """Trunk and policy of another run; the value, of another task, is learned anew."""
        facts, arrays = files.load(path, POLICY)
        if shape_of(facts) != self.network.shape:
            raise BadConfig(f"{path} has another shape: {facts['shape']}")
        if facts["ruleset"] != self.rules.id:
            raise BadConfig(f"{path} plays {facts['ruleset']}")
        for name, array in self.network.parameters.items():
            if not name.startswith("value."):
                array[:] = arrays[name]


def train(
    run: TrainingRun, folder: Path, progress: Progress | None = None
) -> Iterator[dict[str, Any]]:
    """Goes on to the end; yields the line of every grading, once it is written."""
    config = run.config
    write_config(folder, config)
    lines = [line for line in curve(folder) if line["games"] <= run.done * config.batch]
    write_curve(folder, lines)
    every = max(1, round(config.every / config.batch))
    while run.done < config.batches:
        found = run.batch()
        if progress:
            progress(run.done, config.batches)
        if run.done % every == 0 or run.done == config.batches:
            line = _graded(run, folder, found)
            lines.append(line)
            write_curve(folder, lines)
            run.save(folder / CHECKPOINT_FILE)
            yield line
    run.write_policy(folder / "policy.npz", lines)


def _graded(run: TrainingRun, folder: Path, found: dict[str, float]) -> dict[str, Any]:
    mean, bonus = _worth(run)
    if mean > run.best:
        run.best = mean
        run.write_policy(folder / "best.npz")
    games = run.done * run.config.batch
    facts = {"games": games, "greedy_mean": mean, "greedy_bonus": bonus}
    return {**facts, "cpu_seconds": round(run.seconds, 2), **found}


def _worth(run: TrainingRun) -> tuple[float, float]:
    """Mean and chance of the bonus of greedy play."""
    if run.config.exact_curve:
        exact = evaluate(NetworkPlay(run.network))
        return exact.mean, exact.bonus_probability
    graded = run.grade(run.config.graded)
    return float(graded.scores.mean()), float(graded.bonuses.mean())


def write_config(folder: Path, config: Config) -> None:
    write_whole(folder / CONFIG_FILE, json.dumps(config.facts(), indent=1))


def curve(folder: Path) -> list[dict[str, Any]]:
    path = folder / "curve.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def write_curve(folder: Path, lines: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    write_whole(folder / "curve.jsonl", text)
