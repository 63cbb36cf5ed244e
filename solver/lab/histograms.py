"""The histograms and figures that the study published, and how far ours lie from them."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import numpy as np

from solver.dp.arrays import Floats, Ints
from solver.lab.published import reported

KEYS: Mapping[str, str] = MappingProxyType(
    {
        "optimal": "optimal",
        "scorecard-based": "scorecard_based",
        "dice-based": "dice_based",
        "forced-scoring": "forced_scoring",
    }
)
HUMANS = "human_trials"
TENS = 40  # tens of scores, from 0 to 399


@dataclass(frozen=True)
class Published:
    """``counts[ten]`` of the appendix; the other figures as the text gives them."""

    counts: Ints
    mean: float
    median: float
    most: int
    least: int
    seconds: float | None

    @property
    def games(self) -> int:
        return int(self.counts.sum())

    @property
    def shares(self) -> Floats:
        shares: Floats = self.counts / self.counts.sum()
        return shares

    @property
    def mean_of_counts(self) -> float:
        """The mean, as far as tens tell it: every score in the middle of its ten."""
        return float(self.shares @ (10.0 * np.arange(TENS) + 4.5))


@cache
def published(player_id: str) -> Published | None:
    """None for a player that the study does not have."""
    if player_id in KEYS:
        return _published(KEYS[player_id], reported()["performance_test"][KEYS[player_id]])
    return _published(HUMANS, reported()[HUMANS]) if player_id == HUMANS else None


def _published(key: str, facts: Mapping[str, Any]) -> Published:
    return Published(
        _counts(key),
        facts["mean"],
        facts["median"],
        facts["max"],
        facts["min"],
        facts.get("seconds"),
    )


def _counts(key: str) -> Ints:
    text = files("solver.lab").joinpath(f"data/{key}_distribution.csv").read_text()
    counts = np.zeros(TENS, dtype=np.int64)
    for row in csv.DictReader(text.splitlines()):
        counts[int(row["from"]) // 10] += int(row["count"])
    return counts


def in_shares(tens: Floats) -> Floats:
    """Any number of tens as TENS of them."""
    shares: Floats = np.pad(tens, (0, TENS))[:TENS]
    return shares


def distance(one: Floats, other: Floats) -> float:
    """Half the sum of the differences: the share of games that lie in another ten."""
    return float(np.abs(in_shares(one) - in_shares(other)).sum() / 2)
