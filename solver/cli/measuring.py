"""Functions that measure time, in this process or in a new one."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time
from typing import Any

REPEATS = 9
ENOUGH = 3.0  # seconds; a longer measurement is not repeated


def measure_seconds(action: Callable[[], Any], *, calls: int = 1, repeats: int = REPEATS) -> float:
    """Return the median seconds of a call over several repeats of ``calls`` calls."""
    times: list[float] = []
    while len(times) < repeats and sum(times) * calls < ENOUGH:
        began = perf_counter()
        for _ in range(calls):
            action()
        times.append((perf_counter() - began) / calls)
    return median(times)


def measure_core_seconds(action: Callable[[], Any]) -> float:
    """Return the median processor seconds of a call, as the sum of all threads."""
    times = []
    for _ in range(REPEATS):
        began = process_time()
        action()
        times.append(process_time() - began)
    return median(times)


def run_in_new_process(program: str, *, nothing_cached: bool = False) -> str:
    """Run a new Python process and return its output; on request, the process has no cached
    kernels."""
    with tempfile.TemporaryDirectory() as empty:
        where = {"NUMBA_CACHE_DIR": empty} if nothing_cached else {}
        command = [sys.executable, "-c", program]
        done = subprocess.run(  # noqa: S603
            command, env={**os.environ, **where}, capture_output=True, text=True, check=True
        )
    return done.stdout
