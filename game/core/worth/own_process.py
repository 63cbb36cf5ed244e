"""Calculations in a process of their own, at low priority: none runs where people are served."""

import subprocess
import sys
from typing import IO

from django.conf import settings

POLITENESS = 15  # of 19: anyone who plays goes first


def solver_command(*words: str) -> list[str]:
    return [sys.executable, "-m", "solver", *words]


def begun(
    command: list[str], output: int | IO[bytes] = subprocess.DEVNULL
) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603
        ["nice", "-n", str(POLITENESS), *command],  # noqa: S607
        cwd=settings.BASE_DIR,
        stdin=subprocess.DEVNULL,
        stdout=output,
    )
