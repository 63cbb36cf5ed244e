"""Calculations in a separate process with low priority, so that requests stay fast."""

import subprocess
import sys
from typing import IO

from django.conf import settings

POLITENESS = 15  # niceness out of 19, so that players are served first


def make_solver_command(*words: str) -> list[str]:
    return [sys.executable, "-m", "solver", *words]


def start_process(
    command: list[str], output: int | IO[bytes] = subprocess.DEVNULL
) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603
        ["nice", "-n", str(POLITENESS), *command],  # noqa: S607
        cwd=settings.BASE_DIR,
        stdin=subprocess.DEVNULL,
        stdout=output,
    )
