"""A program and everything that it started: found, measured and ended together.

On Linux its keeper (``launch``) has everything below it, whatever session, parent or environment
that chose, and ends it. Should the keeper itself be killed, its family is known by a mark in the
environment that it was started with, and so are their descendants. On systems without /proc there
is the process group alone, and nothing is measured.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

MARK = "YATZY_PROGRAM"
PROC = Path("/proc")
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of linux/prctl.h
SPARE_TASKS = 1000
ROUNDS = 200
PATIENCE = 5.0  # seconds for a keeper to end its family
IN_MEMORY = ("/memfd:", "/dev/shm/", "/SYSV")  # noqa: S108
BLOCK = 512  # bytes, whatever the file system


@cache
def adopt_orphans() -> None:
    """Become the parent of orphans that a program leaves behind, to end them."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def most_tasks() -> int:
    """Return a wall behind the count of processes, for who multiplies faster than they are counted:
    so many tasks of this user, and some more. Nought, for no wall, where they cannot be counted;
    the system holds no administrator to it."""
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


def members(mark: str, *, besides: int = 0) -> list[int]:
    """Every living process that carries the mark, and all below these, ``besides`` their keeper."""
    wanted = f"{MARK}={mark}".encode()
    below: defaultdict[int, list[int]] = defaultdict(list)
    processes: list[int] = []
    for name in filter(str.isdecimal, os.listdir(PROC) if PROC.is_dir() else ()):
        facts = _read(name, "stat").rpartition(b") ")[2].split()
        if facts and facts[0] != b"Z":
            below[int(facts[1])].append(int(name))
            if wanted in _read(name, "environ"):
                processes.append(int(name))
    family = set(processes)
    while processes:
        processes = [
            child for process in processes for child in below[process] if child not in family
        ]
        family.update(processes)
    return sorted(family - {besides})


def _read(process: str, file: str) -> bytes:
    # Without pathlib: all processes of the machine are looked at while a program thinks.
    try:
        with open(f"/proc/{process}/{file}", "rb", buffering=0) as opened:
            return opened.read()
    except OSError:
        return b""


def memory(processes: list[int]) -> int:
    """Bytes: what is resident, and files in memory that somebody holds open, once each; what is
    held and mapped counts as both."""
    held = {key: size for process in processes for key, size in _held(process)}
    return sum(map(_resident, processes)) + sum(held.values())


def _resident(process: int) -> int:
    pages = _read(str(process), "statm").split()
    return int(pages[1]) * os.sysconf("SC_PAGE_SIZE") if pages else 0


def _held(process: int) -> Iterator[tuple[tuple[int, int], int]]:
    """Files of memory (memfd, /dev/shm), by device and number."""
    with suppress(OSError):
        for file in os.scandir(PROC / str(process) / "fd"):
            with suppress(OSError):
                if os.readlink(file.path).startswith(IN_MEMORY):
                    stat = file.stat()
                    yield (stat.st_dev, stat.st_ino), stat.st_blocks * BLOCK


def end(program: subprocess.Popen[bytes], mark: str) -> None:
    """End all its processes, and wait until none is left."""
    if not _ended_by_its_keeper(program):
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


def _ended_by_its_keeper(program: subprocess.Popen[bytes]) -> bool:
    """Also one that was stopped; where there is none, the group that the program led is left."""
    if sys.platform != "linux":
        return False
    for kind in (signal.SIGTERM, signal.SIGCONT):
        program.send_signal(kind)
    try:
        program.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        return False
    return True


def _bury(process: int) -> bool:
    """Return whether a child is still running; a negative number is a group."""
    try:
        while os.waitpid(process, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _listed(process: int) -> bool:
    """Also the dead until they are buried: ours comes to us only once its parent has died too."""
    return (PROC / str(process)).exists()
