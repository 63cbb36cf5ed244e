"""A simulation that is worked out bit by bit: how far it is lies in a small file, by what is asked.

Trials are numbered, and each is always the same one: anyone who goes on where the file stops comes
to the same figures as who never stopped. It ends when its own error is small enough, or when the
time
is over that it was given; with more time it goes on.

A simulation that a page asks for: a process of its own works it out, at low priority.

It is the command with the same options, and what it notes is what the page shows: how far it is,
and what that says already. One at a time in this process; it comes by asking again.
"""

import contextlib
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from time import monotonic

from django.conf import settings

from game.core.worth.own_process import begun
from game.trials.planning.one_trial import (
    EFFECT,
    NONE,
    SimulatedTrial,
    TrialFinding,
    findings,
    worlds,
)
from solver.statistics.tallies import TrialTally
from solver.tables import tables_dir
from solver.tables.maker import held, only_one

SECONDS = 60  # that it takes at most, unless more is asked for
SELDOM = 0.5  # seconds between two notes of how far it is
LEAST = 100  # trials: before so many no error is known well enough to stop by
PRECISE = {EFFECT: 0.02, NONE: 0.01}  # half a 95 % range of how often something is found

NOTHING = TrialTally()

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class WorldTallies:
    """The simulated trials of a scenario; ``found`` and ``any_found`` are shares."""

    found: TrialTally = NOTHING
    any_found: TrialTally = NOTHING
    half: TrialTally = NOTHING
    gained: TrialTally = NOTHING
    people: TrialTally = NOTHING

    def plus(self, one: TrialFinding) -> "WorldTallies":
        added = {
            field.name: getattr(self, field.name).plus(getattr(one, field.name))
            for field in fields(self)
        }
        return WorldTallies(**added)


@dataclass(frozen=True)
class Simulation:
    """``seconds`` it has taken so far, all together."""

    trial: SimulatedTrial
    trials: int
    seconds: float
    worlds: Mapping[str, WorldTallies]

    @property
    def precise(self) -> bool:
        return self.trials >= LEAST and all(
            self.worlds[world].any_found.share_margin <= margin
            for world, margin in PRECISE.items()
            if world in self.worlds
        )

    @property
    def needed(self) -> int:
        """About how many trials will make it precise, by what is known so far."""
        wanted = [
            self.trials * (self.worlds[world].any_found.share_margin / margin) ** 2
            for world, margin in PRECISE.items()
            if world in self.worlds
        ]
        return max(LEAST, self.trials, round(max(wanted, default=0)))

    def over(self, seconds: float) -> bool:
        return self.precise or self.seconds >= seconds

    def further(self) -> "Simulation":
        """Return the simulation with one more trial."""
        found = findings(self.trial, self.trials)
        added = {world: of.plus(found[world]) for world, of in self.worlds.items()}
        return replace(self, trials=self.trials + 1, worlds=added)


def path_of(trial: SimulatedTrial) -> Path:
    return tables_dir() / "plans" / f"{trial.key}.json"


def lock_of(trial: SimulatedTrial) -> Path:
    return path_of(trial).with_suffix(".lock")


def so_far(trial: SimulatedTrial) -> Simulation:
    """Return the stored simulation; an unreadable one starts anew."""
    try:
        told = json.loads(path_of(trial).read_text(encoding="utf-8"))
        known = {
            world: WorldTallies(**{name: TrialTally(*sums) for name, sums in of.items()})
            for world, of in told["worlds"].items()
        }
        return Simulation(trial, int(told["trials"]), float(told["seconds"]), known)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Simulation(trial, 0, 0.0, {world: WorldTallies() for world in worlds(trial)})


def worked_out(
    trial: SimulatedTrial, seconds: float, progress: Progress | None = None
) -> Simulation:
    """Run the simulation; a second caller waits and gets the same result."""
    with only_one(lock_of(trial), wait=True):
        found = so_far(trial)
        while not found.over(seconds):
            found = _a_bit_further(found, seconds)
            _store(found)
            if progress:
                progress(found.trials, found.needed)
    return found


def _a_bit_further(found: Simulation, seconds: float) -> Simulation:
    """Simulate until the next note, at least one trial."""
    began, before, spent = monotonic(), found.seconds, 0.0
    while spent < SELDOM and not found.over(seconds):
        found = found.further()
        spent = monotonic() - began
        found = replace(found, seconds=before + spent)
    return found


def _store(found: Simulation) -> None:
    """Store the result; a full disk loses the notes, never the work."""
    told = {
        "trials": found.trials,
        "seconds": found.seconds,
        "worlds": {world: _sums(of) for world, of in found.worlds.items()},
    }
    path = path_of(found.trial)
    new = path.with_suffix(".new")
    with contextlib.suppress(OSError):
        new.write_text(json.dumps(told), encoding="utf-8")
        os.replace(new, path)


def _sums(of: WorldTallies) -> dict[str, list[float]]:
    return {name: list(tally.values()) for name, tally in asdict(of).items()}


logger = logging.getLogger(__name__)
_running: dict[Path, "subprocess.Popen[bytes]"] = {}


@dataclass(frozen=True, slots=True)
class AwaitedSimulation:
    """A simulation so far; ``expected``: it will come by itself, ``failed``: it was just tried."""

    so_far: Simulation
    over: bool
    expected: bool = False
    failed: bool = False


def awaited(trial: SimulatedTrial, words: Sequence[str], seconds: int) -> AwaitedSimulation:
    """Return the simulation, and start it if this site calculates simulations."""
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
    """Return whether it has just ended without a result; forget ended processes."""
    ended = {of: one.returncode for of, one in _running.items() if one.poll() is not None}
    for of in ended:
        del _running[of]
    if ended.get(path):
        logger.warning("simulating a trial ended with %s", ended[path])
    return bool(ended.get(path))
