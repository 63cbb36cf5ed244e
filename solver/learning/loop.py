"""The training loop of every learner that plays batches of games, and the games that grade it.

The folder of a run has ``curve.jsonl``, a line per grading, and ``checkpoint.npz``, from which the
run goes on bit for bit. At the end the run writes there what plays.
"""

import ctypes
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from solver.dp.arrays import random_throws
from solver.dp.sweep import Progress
from solver.players.agent import GamesInPlay, Lockstep
from solver.tables import write_whole

CHECKPOINT_FILE, CURVE_FILE = "checkpoint.npz", "curve.jsonl"
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # of mallopt(3)
MUCH = 2**25  # bytes: more than any array of a step, and the most that glibc takes for the second
Line = dict[str, Any]


class BatchLearner(Protocol):
    @property
    def games(self) -> int: ...

    @property
    def total(self) -> int:
        """The games of the whole run."""
        ...

    @property
    def every(self) -> int:
        """The games between two gradings."""
        ...

    def batch(self) -> Mapping[str, float]:
        """Play a batch and learn from it; return what the curve shows of it."""
        ...

    def graded(self, figures: Mapping[str, float], folder: Path | None) -> Line:
        """Return the line of a grading after a batch that had this to show."""
        ...

    def save(self, path: Path) -> None: ...

    def publish(self, folder: Path, lines: Sequence[Line]) -> None:
        """Write what plays, with the curve of its run."""
        ...


def train(
    run: BatchLearner, folder: Path | None = None, progress: Progress | None = None
) -> Iterator[Line]:
    """Go on to the end, and yield every grading once it is written."""
    lines = [line for line in read_curve(folder) if line["games"] <= run.games]
    if folder:
        write_curve(folder, lines)
    while run.games < run.total:
        due = run.games // run.every
        figures = run.batch()
        if progress:
            progress(run.games, run.total)
        if run.games >= run.total or run.games // run.every > due:
            lines.append(run.graded(figures, folder))
            if folder:
                write_curve(folder, lines)
                run.save(folder / CHECKPOINT_FILE)
            yield lines[-1]
    if folder:
        run.publish(folder, lines)


def read_curve(folder: Path | None) -> list[Line]:
    """Return the lines of a folder; none if it has no curve."""
    path = folder / CURVE_FILE if folder else None
    if path is None or not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def write_curve(folder: Path, lines: Sequence[Line]) -> None:
    write_whole(folder / CURVE_FILE, "".join(json.dumps(line) + "\n" for line in lines))


def turns_by(player: Lockstep, games: int, rng: np.random.Generator) -> Iterator[GamesInPlay]:
    """Yield the same games as they stand before every turn, and last at their end.

    The player has no luck of its own, and the dice are the same for all that are asked alike.
    """
    rules = player.rules
    played = GamesInPlay.new(rules, games)
    no_luck = np.zeros((rules.throws, 1), dtype=np.uint32)
    yield played
    for _ in rules.categories:
        player.turns(played, random_throws(rng, rules, games), no_luck, threads=1)
        yield played


def played_by(player: Lockstep, games: int, rng: np.random.Generator) -> GamesInPlay:
    *_, end = turns_by(player, games, rng)
    return end


def keep_freed_memory() -> bool:
    """Let this process keep freed memory; return whether its C library can (glibc).

    A training step frees arrays of half a megabyte by the dozen. The C library hands such pieces
    to the system at once, and every page of them comes back zeroed: a third of a step's time.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return bool(mallopt(MMAP_THRESHOLD, MUCH)) and bool(mallopt(TRIM_THRESHOLD, 8 * MUCH))
