"""A training run of a policy gradient, and the folder of the run.

The folder has ``config.json``, the files of ``learning.loop``, ``best.npz`` (the policy with the
best grade), and at the end ``policy.npz`` (the last policy). The random numbers of a batch depend
on the seed and the number of the batch.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from solver.advice.moments import evaluate
from solver.dp.sweep import Progress
from solver.learning import loop
from solver.learning.loop import play_games
from solver.learning.policy_gradient.config import BadConfig, Config, parse_config
from solver.learning.policy_gradient.games import GameTable
from solver.learning.policy_gradient.update import (
    KEEPS,
    Adam,
    PolicySlope,
    calculate_rate,
    make_initial_parameters,
    make_views,
)
from solver.players import files
from solver.players.agent import GamesInPlay
from solver.players.learned import NetworkPlay
from solver.players.network import POLICY, Floats32, Network, parse_shape
from solver.rules import find_ruleset
from solver.tables import write_whole

CHECKPOINT = "policy-gradient checkpoint"
GRADING, PLAYING = 1, 0  # seeds of the two random streams of a batch
CONFIG_FILE = "config.json"


class TrainingRun:
    """The state of a training run. The vector ``flat`` has all parameters of the policy."""

    def __init__(self, config: Config, flat: Floats32 | None = None) -> None:
        self.config, self.rules = config, find_ruleset(config.ruleset)
        shape = config.shape
        sizes = shape.list_parameters(self.rules)
        rng = np.random.default_rng([config.seed])
        self.flat = (
            make_initial_parameters(shape, self.rules, rng, config.initial)
            if flat is None
            else flat
        )
        self.gradient = np.zeros_like(self.flat)
        self.adam = Adam(len(self.flat), KEEPS[config.optimiser])
        self.network = Network(self.rules, shape, make_views(self.flat, sizes))
        self.learning = PolicySlope(config, self.network, make_views(self.gradient, sizes))
        self.table = GameTable(config, self.network, config.batch)
        self.done, self.seconds, self.best = 0, 0.0, -1.0

    @property
    def games(self) -> int:
        return self.done * self.config.batch

    @property
    def total(self) -> int:
        return self.config.batches * self.config.batch

    @property
    def every(self) -> int:
        return max(1, round(self.config.every / self.config.batch)) * self.config.batch

    def train_batch(self) -> dict[str, float]:
        began = process_time()
        rng = np.random.default_rng([self.config.seed, self.done, PLAYING])
        batch = self.table.play(rng, self.config.starts * (1 - self.done / self.config.batches))
        config, share = self.config, self.done / self.config.batches
        holds, boxes, explained = self.learning.prepare_batch(batch, share)
        parts = max(1, round((len(holds.chosen) + len(boxes.chosen)) / config.part))
        rate = calculate_rate(config, (self.done + 1) / config.batches)
        beta = config.interpolate("entropy", share)
        for _ in range(config.epochs):
            orders = (
                np.array_split(rng.permutation(len(part.chosen)), parts) for part in (holds, boxes)
            )
            for some_holds, some_boxes in zip(*orders, strict=True):
                self.gradient[:] = 0
                moved = self.learning.add_gradient(
                    holds.select(some_holds), boxes.select(some_boxes), beta
                )
                self.adam.step(self.flat, self.gradient, rate, config.clip_norm)
            if config.most_kl and moved.kl > config.most_kl:
                break
        self.done += 1
        self.seconds += process_time() - began
        mean = float(batch.scores.mean())
        return {"training_mean": mean, "explained": explained, **moved._asdict()}

    def grade(self, games: int) -> GamesInPlay:
        """Play greedy games by the current policy, with the code of a finished player."""
        rng = np.random.default_rng([self.config.seed, self.done, GRADING])
        return play_games(NetworkPlay(self.network), games, rng)

    def grade_player(self, figures: Mapping[str, float], folder: Path | None) -> dict[str, Any]:
        """Grade the policy and, if it is the best, write ``best.npz``. Return the curve's line."""
        if self.config.exact_curve:
            exact = evaluate(NetworkPlay(self.network))
            mean, bonus = exact.mean, exact.bonus_probability
        else:
            played = self.grade(self.config.graded)
            mean, bonus = float(played.totals.mean()), float(played.earned.mean())
        if mean > self.best:
            self.best = mean
            if folder:
                self.write_policy(folder / "best.npz")
        facts = {"games": self.games, "greedy_mean": mean, "greedy_bonus": bonus}
        return {**facts, "cpu_seconds": round(self.seconds, 2), **figures}

    def publish(self, folder: Path, lines: Sequence[Mapping[str, Any]]) -> None:
        self.write_policy(folder / "policy.npz", lines)

    def save(self, path: Path) -> None:
        facts = {"config": self.config.facts(), "done": self.done, "seconds": self.seconds}
        facts |= {"steps": self.adam.steps, "best": self.best}
        files.save(path, CHECKPOINT, facts, flat=self.flat, **self.adam.collect_arrays())

    @classmethod
    def load(cls, path: Path, games: int | None = None) -> "TrainingRun":
        """Read a run from a checkpoint. Another number of ``games`` also changes the schedules."""
        facts, arrays = files.load(path, CHECKPOINT)
        config = parse_config(facts["config"])
        run = cls(replace(config, games=games or config.games), arrays["flat"])
        run.adam.mean, run.adam.square = arrays["adam_mean"], arrays["adam_square"]
        run.adam.steps, run.done = facts["steps"], facts["done"]
        run.seconds, run.best = facts["seconds"], facts["best"]
        return run

    def write_policy(self, path: Path, lines: Sequence[Mapping[str, Any]] = ()) -> None:
        """Write the policy and its curve as a player that ``players.network.read`` can read."""
        config, network = self.config, self.network
        facts: dict[str, Any] = {"ruleset": self.rules.id, "shape": asdict(network.shape)}
        facts |= {"config": config.facts(), "games": self.games}
        names = {"games": "games", "seconds": "cpu_seconds", "mean": "greedy_mean"}
        facts["curve"] = [{short: line[name] for short, name in names.items()} for line in lines]
        files.save(path, POLICY, facts, **network.parameters)

    def start_from(self, path: Path) -> None:
        """Copy another run's parameters, except the value head, because its task may differ."""
        facts, arrays = files.load(path, POLICY)
        if parse_shape(facts) != self.network.shape:
            raise BadConfig(f"{path} has another shape: {facts['shape']}")
        if facts["ruleset"] != self.rules.id:
            raise BadConfig(f"{path} plays {facts['ruleset']}")
        for name, array in self.network.parameters.items():
            if not name.startswith("value."):
                array[:] = arrays[name]


def train(
    run: TrainingRun, folder: Path, progress: Progress | None = None
) -> Iterator[dict[str, Any]]:
    write_whole(folder / CONFIG_FILE, json.dumps(run.config.facts(), indent=1))
    yield from loop.train(run, folder, progress)
