"""A program and everything that it started: found, measured and ended together.

A process group is ended as one, so that nothing can be born while it dies. Who has left the group
is known by a mark in the environment that it was started with. On systems without /proc there is
the group alone, and nothing is measured.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

MARK = "YATZY_PROGRAM"
PROC = Path("/proc")
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of linux/prctl.h
SPARE_TASKS = 1000
ROUNDS = 200


@cache
def adopt_orphans() -> None:
    """What a program leaves behind becomes ours to end and to bury, and not that of process 1."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def most_tasks() -> int:
    """A wall behind the count of processes, for who multiplies faster than they are counted: so
    many tasks of this user, and some more. Nought, for no wall, where they cannot be counted; the
    system holds no administrator to it."""
    if not PROC.is_dir() or not os.getuid():
        return 0
    mine = [process for process in PROC.glob("[0-9]*") if _owner(process) == os.getuid()]
    return sum(_tasks(process) for process in mine) + SPARE_TASKS


def _owner(process: Path) -> int | None:
    with suppress(OSError):
        return process.stat().st_uid
    return None


def _tasks(process: Path) -> int:
    with suppress(OSError):
        return len(os.listdir(process / "task"))
    return 0


def members(mark: str) -> list[int]:
    """Every living process that carries the mark."""
    wanted = f"{MARK}={mark}".encode()
    if not PROC.is_dir():
        return []
    return [int(name) for name in os.listdir(PROC) if name.isdecimal() and _carries(name, wanted)]


def _carries(process: str, wanted: bytes) -> bool:
    # Read without pathlib: all processes of the machine are looked at while a program thinks.
    try:
        with open(f"/proc/{process}/environ", "rb", buffering=0) as file:
            return wanted in file.read()
    except OSError:
        return False


def resident(processes: list[int]) -> int:
    """Bytes in memory."""
    return sum(map(_resident, processes))


def _resident(process: int) -> int:
    try:
        pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def end(program: subprocess.Popen[bytes], mark: str) -> None:
    """Returns when nothing of it is left."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, signal.SIGKILL)
    program.wait()
    seen: set[int] = set()
    for _ in range(ROUNDS):
        left = members(mark)
        seen.update(left)
        for process in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        dying = [process for process in (*seen, -program.pid) if _bury(process)]
        if not left and not dying and not any(map(_listed, seen)):
            return
        time.sleep(0.01)


def _bury(process: int) -> bool:
    """Whether a child of ours is still dying; below nought is a group."""
    try:
        while os.waitpid(process, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _listed(process: int) -> bool:
    """Also the dead until they are buried: ours comes to us only once its parent has died too."""
    return (PROC / str(process)).exists()
