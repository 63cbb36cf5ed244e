"""The training loop of learners that play batches of games, and games without training.

The folder of a run has ``curve.jsonl``, with a line per grading, and ``checkpoint.npz``, from which
the run continues bit for bit. At the end the run also writes its player to the folder.
"""

import ctypes
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from solver.dp.arrays import make_random_rolls
from solver.dp.sweep import Progress
from solver.players.agent import GamesInPlay, Lockstep
from solver.tables import write_whole

CHECKPOINT_FILE, CURVE_FILE = "checkpoint.npz", "curve.jsonl"
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # numbers of parameters of the C function mallopt
MUCH = 2**25  # bytes: more than any array of a training step, and the most that glibc accepts
Line = dict[str, Any]


class BatchLearner(Protocol):
    @property
    def games(self) -> int: ...

    @property
    def total(self) -> int: ...

    @property
    def every(self) -> int:
        """The number of games between two gradings."""
        ...

    def train_batch(self) -> Mapping[str, float]:
        """Play a batch of games and learn from it. Return figures for the training curve."""
        ...

    def grade_player(self, figures: Mapping[str, float], folder: Path | None) -> Line:
        """Grade the player. Return a line of the training curve, which includes ``figures``."""
        ...

    def save(self, path: Path) -> None: ...

    def publish(self, folder: Path, lines: Sequence[Line]) -> None: ...


def train(
    run: BatchLearner, folder: Path | None = None, progress: Progress | None = None
) -> Iterator[Line]:
    """Train until the end. After each grading, add a line to the training curve and yield it."""
    lines = [line for line in read_curve(folder) if line["games"] <= run.games]
    if folder:
        write_curve(folder, lines)
    while run.games < run.total:
        due = run.games // run.every
        figures = run.train_batch()
        if progress:
            progress(run.games, run.total)
        if run.games >= run.total or run.games // run.every > due:
            lines.append(run.grade_player(figures, folder))
            if folder:
                write_curve(folder, lines)
                run.save(folder / CHECKPOINT_FILE)
            yield lines[-1]
    if folder:
        run.publish(folder, lines)


def read_curve(folder: Path | None) -> list[Line]:
    """Return the lines of the folder's training curve, or [] if the folder has none."""
    path = folder / CURVE_FILE if folder else None
    if path is None or not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def write_curve(folder: Path, lines: Sequence[Line]) -> None:
    write_whole(folder / CURVE_FILE, "".join(json.dumps(line) + "\n" for line in lines))


def play_turns(player: Lockstep, games: int, rng: np.random.Generator) -> Iterator[GamesInPlay]:
    """Play games. Yield their states before every turn and at the end. ``rng`` rolls the dice."""
    rules = player.rules
    played = GamesInPlay.new(rules, games)
    no_luck = np.zeros((rules.throws, 1), dtype=np.uint32)
    yield played
    for _ in rules.categories:
        player.turns(played, make_random_rolls(rng, rules, games), no_luck, threads=1)
        yield played


def play_games(player: Lockstep, games: int, rng: np.random.Generator) -> GamesInPlay:
    *_, end = play_turns(player, games, rng)
    return end


def keep_freed_memory() -> bool:
    """Make the C library keep freed memory in this process; return whether it can (glibc).

    A training step frees dozens of arrays of half a megabyte. By default the C library returns this
    memory to the system at once, and the system clears every page before it is used again. This
    takes a third of a step's time.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return bool(mallopt(MMAP_THRESHOLD, MUCH)) and bool(mallopt(TRIM_THRESHOLD, 8 * MUCH))
