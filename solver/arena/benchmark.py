"""The learning benchmark, docs/benchmark.md: what a row says, and the board that rows make.

A row is a learner under one ruleset, with a run for each seed; it is a file, and the board are the
files of its folder.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from math import hypot, inf, isfinite
from pathlib import Path
from statistics import mean, median, median_high, stdev
from typing import Any

from solver.arena.learners import REPORTS, rounded
from solver.rules import Ruleset

PROTOCOL = 1
SEEDS = 5
MODEL_FREE, MODEL_BASED, FIXED = CLASSES = ("model-free", "model-based", "fixed")
BUDGETS = {"games": (20_000, 100_000, 1_000_000), "seconds": (60, 600, 3_600)}
TARGETS, APART = 3, 5.0  # so many multiples of so many points, below perfect play
BOARD = REPORTS / "board"


class BadRow(ValueError):
    """No row of the benchmark, or no curve; the message says why."""


@dataclass(frozen=True, slots=True)
class Point:
    """Of a curve: after so many games and seconds of the processor it was worth ``mean``."""

    games: int
    seconds: float
    mean: float


@dataclass(frozen=True, slots=True)
class GradedRun:
    """``mean`` is perfect play less what the decisions of a game cost, and ``error`` the standard
    error of both; ``lost`` are those costs, by kind of decision. ``policy`` is a fingerprint."""

    seed: int
    policy: str
    how: str
    graded: int
    mean: float
    error: float
    sd: float
    bonus: float
    lost: tuple[float, ...]
    curve: tuple[Point, ...]

    def reached(self, target: float, what: str) -> float:
        """Games or seconds until a grade was no lower; without end where none was."""
        return next((getattr(one, what) for one in self.curve if one.mean >= target), inf)

    def within(self, most: float, what: str) -> float | None:
        """What it was worth after so many games, or seconds; None where it was not graded by
        then."""
        graded = [one.mean for one in self.curve if getattr(one, what) <= most]
        return graded[-1] if graded else None


@dataclass(frozen=True)
class BoardRow:
    protocol: int
    name: str
    knew: str  # one of CLASSES
    ruleset: str
    by: str
    about: str
    optimum: float
    kinds: tuple[str, ...]
    runs: tuple[GradedRun, ...]

    @property
    def mean(self) -> float:
        return mean(run.mean for run in self.runs)

    @property
    def spread(self) -> float | None:
        """The standard deviation over the seeds."""
        return stdev(run.mean for run in self.runs) if len(self.runs) > 1 else None

    @property
    def margin(self) -> float:
        """Half of a 95 % range: of how its runs were graded, not of how they came to be."""
        return 1.96 * hypot(*(run.error for run in self.runs)) / len(self.runs)

    @property
    def lost(self) -> list[float]:
        return [mean(costs) for costs in zip(*(run.lost for run in self.runs), strict=True)]

    @property
    def learned(self) -> bool:
        return self.knew != FIXED

    @property
    def whole(self) -> bool:
        """Whether it has all its seeds; who learned nothing needs one."""
        return len(self.runs) >= SEEDS or not self.learned

    def trained(self, what: str) -> float:
        """Games or seconds, of the seed in the middle."""
        return median(getattr(run.curve[-1], what) if run.curve else 0 for run in self.runs)

    def reached(self, target: float, what: str) -> float | None:
        """By the seed in the middle; None where that one did not get there."""
        found = median_high([run.reached(target, what) for run in self.runs])
        return found if isfinite(found) else None

    def within(self, most: float, what: str) -> float | None:
        found = [run.within(most, what) for run in self.runs]
        known = [one for one in found if one is not None]
        return mean(known) if len(known) == len(found) else None

    @property
    def typical(self) -> GradedRun:
        """The seed in the middle, by what it is worth."""
        ordered = sorted(self.runs, key=lambda run: run.mean)
        return ordered[len(ordered) // 2]

    def facts(self) -> dict[str, Any]:
        """As its file has it."""
        facts: dict[str, Any] = rounded(asdict(self))
        return facts


def targets(optimum: float) -> list[float]:
    """240, 245 and 250 in Yahtzee, whose perfect play has 254.6."""
    first = optimum // APART * APART
    return [first - APART * n for n in reversed(range(TARGETS))]


def row_of(facts: Any, source: str) -> BoardRow:
    try:
        runs = tuple(_run(one) for one in facts["runs"])
        row = BoardRow(**{**facts, "kinds": tuple(facts["kinds"]), "runs": runs})
        if row.protocol != PROTOCOL:
            raise BadRow(f"{source} is of protocol {row.protocol}; this is protocol {PROTOCOL}")
        if row.knew not in CLASSES or not runs:
            raise ValueError("its class is unknown, or it has no run")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, BadRow):
            raise
        raise BadRow(f"{source} is no row of the benchmark: {error}") from None
    return row


def _run(facts: Any) -> GradedRun:
    curve = tuple(Point(**point) for point in facts["curve"])
    return GradedRun(**{**facts, "lost": tuple(facts["lost"]), "curve": curve})


def read_row(path: Path) -> BoardRow:
    try:
        return row_of(json.loads(path.read_text(encoding="utf-8")), str(path))
    except OSError as error:
        raise BadRow(f"{path} cannot be read: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise BadRow(f"{path} is no JSON: {error}") from None


def board(rules: Ruleset, others: Iterable[Path] = ()) -> list[BoardRow]:
    """A class after the other, the best of each first; with rows that are not on the board yet."""
    rows = [read_row(path) for path in (*sorted(BOARD.glob("*.json")), *others)]
    found = [row for row in rows if row.ruleset == rules.id]
    return sorted(found, key=lambda row: (CLASSES.index(row.knew), -row.mean))


def read_curve(path: Path) -> tuple[Point, ...]:
    """JSON lines of games, seconds and mean."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadRow(f"{path} cannot be read: {error}") from None
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(json.loads(line))
        except ValueError:
            raise BadRow(f"{path}, line {number} is no JSON") from None
    return curve_of(found, str(path))


def curve_of(points: Sequence[Any], source: str) -> tuple[Point, ...]:
    """Points as files tell them, in their order, which must be that of time."""
    found: list[Point] = []
    for number, told in enumerate(points, start=1):
        try:
            point = Point(int(told["games"]), float(told["seconds"]), float(told["mean"]))
        except (KeyError, TypeError, ValueError):
            raise BadRow(
                f"{source}, point {number} of the curve lacks games, seconds or mean"
            ) from None
        last = found[-1] if found else Point(0, 0.0, 0.0)
        if not (isfinite(point.mean) and isfinite(point.seconds)):
            raise BadRow(f"{source}, point {number} of the curve is not finite")
        if point.games <= last.games or point.seconds <= last.seconds:
            raise BadRow(f"{source}, point {number} of the curve is not after the one before it")
        found.append(point)
    return tuple(found)
