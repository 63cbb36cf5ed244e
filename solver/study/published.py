"""The data of the published study: its figures for programs, people and dice."""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import sqrt
from types import MappingProxyType
from typing import Any

import numpy as np

from solver.dp.arrays import Floats, Ints
from solver.exact.any_die import DieValue
from solver.rules import YATZY, Ruleset
from solver.rules.dice import FACES
from solver.statistics.fairness import DiceTest, check_fairness
from solver.statistics.inference import Z95

RULES = YATZY  # the ruleset of the study
PLAYERS = ("dice_based", "scorecard_based", "optimal")
KEYS: Mapping[str, str] = MappingProxyType(
    {
        "optimal": "optimal",
        "scorecard-based": "scorecard_based",
        "dice-based": "dice_based",
        "forced-scoring": "forced_scoring",
    }
)
HUMANS = "human_trials"
TENS = 40  # number of groups of ten points, from 0 to 399
MIDDLES: Floats = np.arange(4.5, 10 * TENS, 10.0)


@cache
def read_reported() -> Any:
    return json.loads(files("solver.study").joinpath("data/reported.json").read_text())


def list_printed_turns() -> Sequence[Any]:
    rounds: Sequence[Any] = read_reported()["same_value_test"]["rounds"]
    return rounds


def check_real_dice() -> DiceTest:
    """Test the study's real dice. The study has 510 counts, although its text mentions 500."""
    counts = read_reported()["real_dice_test"]["counts"]
    return check_fairness("the study's real dice", [counts[str(n)] for n in range(1, FACES + 1)])


def read_real_dice_value() -> DieValue:
    """Return the mean score of perfect play with the study's real dice, from the stored output of
    ``./yatzy solver solve yatzy --dice-counts 76,84,84,91,90,85 --json``."""
    facts = json.loads(files("solver.study").joinpath("data/real_dice.json").read_text())
    return DieValue(facts["value"], (facts["high"] - facts["value"]) / Z95)


@dataclass(frozen=True, slots=True)
class TenRow:
    """A row of the study's appendix: a group of ten scores, with percentages as printed."""

    low: int
    count: int
    percent: float
    up_to_here: float


@dataclass(frozen=True)
class Published:
    """The published figures of a player. ``counts`` has the number of games per group of ten
    scores, from the study's appendix. All other figures are from its text. Percentages are shares
    of ``whole``: for programs the number of games in the text, for people the sum of ``counts``."""

    counts: Ints
    stated: int
    whole: int
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
        """The mean of the groups, in which every score counts as the middle of its group."""
        return float(self.shares @ MIDDLES)

    @property
    def deviation_of_counts(self) -> float:
        """The standard deviation, estimated from the groups because the study prints none."""
        squares = float(self.counts @ (MIDDLES - self.mean_of_counts) ** 2)
        return sqrt(squares / (self.games - 1))

    @property
    def range(self) -> int:
        return self.most - self.least

    def rows(self) -> list[TenRow]:
        """Return the rows from the first to the last group that has a game."""
        filled, so_far = np.flatnonzero(self.counts), self.counts.cumsum()
        return [
            TenRow(
                10 * n,
                int(self.counts[n]),
                round_percentage(int(self.counts[n]), self.whole),
                round_percentage(int(so_far[n]), self.whole),
            )
            for n in range(int(filled[0]), int(filled[-1]) + 1)
        ]


def round_percentage(count: int, whole: int) -> float:
    """Return a percentage with two decimals. Halves are rounded up, as in the study."""
    return (20_000 * count + whole) // (2 * whole) / 100


@cache
def find_published(player_id: str, rules: Ruleset = RULES) -> Published | None:
    """Return the published figures. Return None for a player or rules that the study lacks."""
    if rules != RULES or player_id not in {*KEYS, HUMANS}:
        return None
    key, test = KEYS.get(player_id, HUMANS), read_reported()["performance_test"]
    text = files("solver.study").joinpath(f"data/{key}_distribution.csv").read_text()
    counts = np.zeros(TENS, dtype=np.int64)
    for row in csv.DictReader(text.splitlines()):
        counts[int(row["from"]) // 10] += int(row["count"])
    facts = read_reported()[HUMANS] if key == HUMANS else test[key]
    return Published(
        counts,
        stated=facts["games"] if key == HUMANS else test["games"],
        whole=int(counts.sum()) if key == HUMANS else test["games"],
        mean=facts["mean"],
        median=facts["median"],
        most=facts["max"],
        least=facts["min"],
        seconds=facts.get("seconds"),
    )


def require_published(player_id: str) -> Published:
    """Return a player's published figures. Raise KeyError if the study has none."""
    theirs = find_published(player_id)
    if theirs is None:
        raise KeyError(player_id)
    return theirs


def pad_shares(tens: Floats) -> Floats:
    """Return the shares of games per ten-point group, padded with zeros or cut to TENS groups."""
    shares: Floats = np.pad(tens, (0, TENS))[:TENS]
    return shares


def measure_distance(mine: Floats, other: Floats) -> float:
    """Return how much two histograms differ, from 0 (equal) to 1 (no common group has games)."""
    return float(np.abs(pad_shares(mine) - pad_shares(other)).sum() / 2)
