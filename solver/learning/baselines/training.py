"""What the scripts share: their flags, the curve, and what they leave behind."""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import torch

from solver.learning.baselines.single_head import SingleHead
from solver.learning.numbering import NUMBERINGS, SLOTS
from solver.rules import find_ruleset
from solver.tables import write_whole

GRADED, GRADES_SEED = 10_000, 2_000_000  # greedy games of every point of a curve, and their dice
Torch = Any  # a module of torch, which has no types where it is not installed


def flags(about: str | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--ruleset", default="yahtzee")
    parser.add_argument("--actions", choices=NUMBERINGS, default=SLOTS)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--every", type=int, default=2_000, help="games between two grades")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.rules = find_ruleset(options.ruleset)
    options.environment = f"{''.join(map(str.capitalize, options.ruleset.split('-')))}-v0"
    torch.set_num_threads(1)  # the products are small
    torch.manual_seed(options.seed)
    return options


class TrainingCourse:
    """The curve of a run: graded on the way, ``seconds`` of the processor without the grading."""

    def __init__(self, options: argparse.Namespace, activation: str, settings: Any) -> None:
        self.options, self.activation, self.settings = options, activation, settings
        self.games, self.lines, self._graded = 0, list[dict[str, float]](), 0.0
        self._began = process_time()

    def finished(self, games: int, policy: Callable[[], Sequence[Torch]]) -> bool:
        """So many games more; whether there are to be others."""
        before, self.games = self.games, self.games + games
        if before // self.options.every < self.games // self.options.every:
            self._grade(policy())
        return self.games < int(self.options.games)

    def _grade(self, layers: Sequence[Torch]) -> None:
        stopped = process_time()
        player, out = self._player(layers), self.options.out
        seconds, mean = (
            stopped - self._began - self._graded,
            player.greedy_mean(GRADED, GRADES_SEED),
        )
        self.lines.append({"games": self.games, "seconds": round(seconds, 2), "mean": mean})
        write_whole(out / "curve.jsonl", "".join(json.dumps(one) + "\n" for one in self.lines))
        facts = {"settings": self.settings, "seed": self.options.seed, "curve": self.lines}
        player.write(out / "policy.npz", **facts)
        self._graded += process_time() - stopped

    def _player(self, layers: Sequence[Torch]) -> SingleHead:
        arrays = [
            (one.weight.detach().numpy().T.copy(), one.bias.detach().numpy().copy())
            for one in layers
        ]
        return SingleHead(self.options.rules, self.options.actions, self.activation, arrays)
