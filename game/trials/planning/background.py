"""A simulation that a page asks for: a process of its own works it out, at low priority.

It is the command with the same options, and what it notes is what the page shows: how far it is,
and what that says already. One at a time in this process; it comes by asking again.
"""

import logging
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from game.judgement.beside import begun
from game.trials.planning.simulated import SimulatedTrial
from game.trials.planning.simulation import Simulation, lock_of, path_of, so_far
from solver.making.maker import held

logger = logging.getLogger(__name__)
_running: dict[Path, "subprocess.Popen[bytes]"] = {}


@dataclass(frozen=True, slots=True)
class AwaitedSimulation:
    """As far as it is; ``expected``: it will come by itself, ``failed``: it was tried just now."""

    so_far: Simulation
    over: bool
    expected: bool = False
    failed: bool = False


def awaited(trial: SimulatedTrial, words: Sequence[str], seconds: int) -> AwaitedSimulation:
    """What is missing is worked out from now on, where this site does that."""
    path = path_of(trial)
    failed = _failed(path)
    found = so_far(trial)
    if found.over(seconds):
        return AwaitedSimulation(found, over=True)
    if failed:
        return AwaitedSimulation(found, over=False, failed=True)
    if settings.MAKE_TABLES and not _running and not held(lock_of(trial)):
        _begin(path, words)
    expected = bool(_running) or held(lock_of(trial))
    return AwaitedSimulation(found, over=False, expected=expected)


def command(words: Sequence[str]) -> list[str]:
    return [sys.executable, "manage.py", "trial_plan", "--json", *words]


def _begin(path: Path, words: Sequence[str]) -> None:
    try:
        _running[path] = begun(command(words))
    except OSError as error:
        logger.warning("a trial cannot be simulated: %s", error)


def _failed(path: Path) -> bool:
    """Whether this one has just ended without a result; whatever has ended is forgotten."""
    ended = {of: one.returncode for of, one in _running.items() if one.poll() is not None}
    for of in ended:
        del _running[of]
    if ended.get(path):
        logger.warning("simulating a trial ended with %s", ended[path])
    return bool(ended.get(path))
