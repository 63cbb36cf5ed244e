"""TD learning of the value V of a card at the start of a turn, with known chances of the dice.

The learner plays alone and always chooses the best option by its values. After each batch of games,
it moves the value of each card s that occurred towards the expected result of the turn:

    target(s) = mean over all rolls, under the best holds, of the best box's points + V(card after)
    V(s)     <- V(s) + step * (target(s) - V(s))

The learner learns only V from games. It knows that the dice are fair and how boxes score, so within
a turn it calculates the value of every hold exactly. V starts with far more points per open box
than any box can bring (``optimism``), so untried cards look best until they are tried. Greedy play
therefore explores enough. With initial values of 0, the learner would never leave the first cards.

V is the sum of a few tables, or a small network (``players.estimates``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from solver.advice.moments import evaluate
from solver.dp.arrays import Floats, Ints
from solver.learning.loop import play_games, play_turns
from solver.players import files
from solver.players.estimates import (
    KIND,
    Floats32,
    Sums,
    ValueNetwork,
    find_keys,
    forward_pass,
    make_inputs,
)
from solver.players.values import ValuePlay
from solver.rules import PLAYED, Ruleset, find_ruleset

CHECKPOINT, VALUES_FILE = "learning of turn starts", "values.npz"
SUMS, NETWORK = "sums", "network"
GRADED = 1952  # seed of the games that grade the player


@dataclass(frozen=True)
class TdSettings:
    """The settings of a run. The step size falls linearly from ``step`` to ``step_end``."""

    ruleset: str = "yatzy"
    method: str = SUMS
    games: int = 1_000_000
    batch: int = 4_000
    optimism: float = 25.0  # points per open box
    step: float = 0.5
    step_end: float = 0.02
    width: int = 64
    seed: int = 1

    @property
    def rules(self) -> Ruleset:
        return find_ruleset(self.ruleset, PLAYED)


class BatchCards(NamedTuple):
    """The different cards in a batch of games. ``times`` is how often each card occurred.
    ``targets`` is the expected result of the turn from the card."""

    rows: Ints
    columns: Ints
    times: Ints
    targets: Floats


def collect_cards(player: ValuePlay, games: int, random: np.random.Generator) -> BatchCards:
    """Play games. Return the cards at the starts of turns, with their counts and target values."""
    columns = player.space.columns
    seen = [
        now.rows.astype(np.int64) * columns + now.upper for now in play_turns(player, games, random)
    ]
    cards, times = np.unique(np.concatenate(seen[:-1]), return_counts=True)
    at = np.divmod(cards, columns)
    return BatchCards(*at, times, player.evaluate_starts(*at, threads=1))


@dataclass
class SumsFit:
    """The training of a sum of tables. Each table in turn corrects a share of the error that the
    tables before it left, in two rounds. If all tables were corrected at once, the sum would
    overshoot."""

    estimate: Sums
    rounds = 2

    def move(self, cards: BatchCards, step: float, random: np.random.Generator) -> None:
        weights = self.estimate.weights
        keys = find_keys(self.estimate.rules, cards.rows, cards.columns)
        error = cards.targets - weights[keys].sum(axis=0)
        count = np.sqrt(cards.times)
        for _ in range(self.rounds):
            for at in keys:
                part, which = np.unique(at, return_inverse=True)
                change = step * (np.bincount(which, count * error) / np.bincount(which, count))
                weights[part] += change
                error -= change[which]

    def collect_state(self) -> dict[str, Any]:
        """Return {}: the tables of the estimate are the whole state, and stored separately."""
        return {}


@dataclass
class NetworkFit:
    """The training of a network: the optimiser Adam on squared errors, ``cards`` cards per step."""

    estimate: ValueNetwork
    moments: dict[str, tuple[Floats32, Floats32]]
    steps: int = 0
    cards = 512
    rounds = 2
    rate = 0.006  # Adam's learning rate if ``step`` is 1

    def move(self, cards: BatchCards, step: float, random: np.random.Generator) -> None:
        estimate = self.estimate
        inputs = make_inputs(estimate.rules, cards.rows, cards.columns)
        targets = cards.targets.astype(np.float32) - estimate.estimate_prior(cards.rows)
        share = np.sqrt(cards.times).astype(np.float32)
        share /= share.mean() * self.cards
        for _ in range(self.rounds):
            order = random.permutation(len(targets))
            for at in range(0, len(order), self.cards):
                some = order[at : at + self.cards]
                self.steps += 1
                for name, gradient in calculate_gradients(
                    estimate.layers, inputs[some], targets[some], share[some]
                ).items():
                    mean, square = self.moments[name]
                    mean += np.float32(0.1) * (gradient - mean)
                    square += np.float32(0.001) * (gradient * gradient - square)
                    rate = np.float32(self.rate * step / (1 - 0.9**self.steps))
                    root = np.sqrt(square / np.float32(1 - 0.999**self.steps)) + np.float32(1e-8)
                    self.estimate.layers[name] -= rate * mean / root

    def collect_state(self) -> dict[str, Any]:
        means = {f"mean.{name}": mean for name, (mean, _) in self.moments.items()}
        squares = {f"square.{name}": square for name, (_, square) in self.moments.items()}
        return {"steps": np.array(self.steps), **means, **squares}


def calculate_gradients(
    layers: Mapping[str, Floats32], inputs: Floats32, targets: Floats32, share: Floats32
) -> dict[str, Floats32]:
    """Return the gradient of half the squared errors, weighted by ``share``, per parameter."""
    hidden1, hidden2, out = forward_pass(layers, inputs @ layers["w1"] + layers["b1"])
    error = share * (out - targets)
    back2 = np.outer(error, layers["w3"]) * (hidden2 > 0)
    back1 = (back2 @ layers["w2"].T) * (hidden1 > 0)
    return {
        "w1": inputs.T @ back1,
        "b1": back1.sum(axis=0),
        "w2": hidden1.T @ back2,
        "b2": back2.sum(axis=0),
        "w3": hidden2.T @ error,
        "b3": error.sum(keepdims=True),
    }


def make_fit(settings: TdSettings) -> SumsFit | NetworkFit:
    rules, optimism = settings.rules, settings.optimism
    if settings.method == SUMS:
        return SumsFit(Sums.create_optimistic(rules, optimism))
    network = ValueNetwork.new(rules, optimism, settings.width, settings.seed)
    moments = {n: (np.zeros_like(a), np.zeros_like(a)) for n, a in network.layers.items()}
    return NetworkFit(network, moments)


@dataclass
class TdLearner:
    """A run of the learner. The random numbers of a batch depend only on the seed and the number of
    games so far, so an interrupted run continues as if it had not stopped. The run is graded
    ``grades`` times, exactly or in ``sampled`` games. ``seconds`` is processor time without
    grading."""

    settings: TdSettings
    fit: SumsFit | NetworkFit
    games: int = 0
    seconds: float = 0.0
    grades: int = 20
    sampled: int = 0

    @classmethod
    def new(cls, settings: TdSettings) -> "TdLearner":
        return cls(settings, make_fit(settings))

    @property
    def total(self) -> int:
        return self.settings.games

    @property
    def every(self) -> int:
        return max(1, self.settings.games // self.grades)

    @property
    def step(self) -> float:
        first, last = self.settings.step, self.settings.step_end
        return first + (last - first) * self.games / self.settings.games

    def play(self) -> ValuePlay:
        return ValuePlay(self.fit.estimate.make_table(), self.settings.rules)

    def train_batch(self) -> dict[str, float]:
        began = process_time()
        random = np.random.default_rng([self.settings.seed, self.games])
        games = min(self.settings.batch, self.settings.games - self.games)
        self.fit.move(collect_cards(self.play(), games, random), self.step, random)
        self.games += games
        self.seconds += process_time() - began
        return {}

    def grade_player(
        self, figures: Mapping[str, float] | None = None, folder: Path | None = None
    ) -> dict[str, Any]:
        """Grade the player exactly or in games. ``believed`` is the player's expected score."""
        play = self.play()
        if self.sampled:
            end = play_games(play, self.sampled, np.random.default_rng(GRADED))
            deviation = float(end.totals.std(ddof=1))
            figures = {
                "mean": float(end.totals.mean()),
                "standard_error": deviation / self.sampled**0.5,
                "deviation": deviation,
                "bonus_probability": float(end.earned.mean()),
                "sampled": self.sampled,
            }
        else:
            exact = evaluate(play)
            figures = {
                "mean": exact.mean,
                "deviation": exact.deviation,
                "bonus_probability": exact.bonus_probability,
            }
        believed = float(self.fit.estimate.make_table()[0, 0])
        return {"games": self.games, "seconds": self.seconds, **figures, "believed": believed}

    def save(self, path: Path) -> None:
        facts = {"settings": asdict(self.settings), "games": self.games, "seconds": self.seconds}
        arrays = {**self.fit.estimate.collect_arrays(), **self.fit.collect_state()}
        files.save(path, CHECKPOINT, facts, **arrays)

    @classmethod
    def load(cls, path: Path) -> "TdLearner":
        facts, arrays = files.load(path, CHECKPOINT)
        settings = TdSettings(**facts["settings"])
        fit: SumsFit | NetworkFit
        if settings.method == SUMS:
            fit = SumsFit(Sums(settings.rules, arrays["weights"]))
        else:
            names = [name.removeprefix("mean.") for name in arrays if name.startswith("mean.")]
            layers = {name: arrays[name] for name in names}
            moments = {name: (arrays[f"mean.{name}"], arrays[f"square.{name}"]) for name in names}
            network = ValueNetwork(settings.rules, settings.optimism, layers)
            fit = NetworkFit(network, moments, int(arrays["steps"]))
        return cls(settings, fit, facts["games"], facts["seconds"])

    def publish(self, folder: Path, lines: Sequence[Mapping[str, Any]] = ()) -> None:
        """Write the player's file, with the estimate in single precision and the training curve."""
        arrays = {n: a.astype(np.float32) for n, a in self.fit.estimate.collect_arrays().items()}
        settings = asdict(self.settings)
        facts = {"ruleset": settings["ruleset"], "method": settings["method"]}
        known = {name: settings[name] for name in ("optimism", "width")}
        facts |= known | {"settings": settings, "curve": list(lines)}
        files.save(folder / VALUES_FILE, KIND, facts, **arrays)
