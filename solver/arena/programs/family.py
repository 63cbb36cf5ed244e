"""Functions that find, measure and end a program and all processes that the program started.

On Linux a keeper process (``launch``) is the ancestor of all these processes, even of processes
that changed their session or parent. The keeper ends them. If the keeper itself is killed, an
environment variable (the mark) identifies the processes. Without /proc these functions end the
process group and measure nothing.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import suppress
from functools import cache
from pathlib import Path

MARK = "YATZY_PROGRAM"
PROC = Path("/proc")
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of linux/prctl.h
SPARE_TASKS = 1000
ROUNDS = 200
PATIENCE = 5.0  # seconds that a keeper gets to end its processes
IN_MEMORY = ("/memfd:", "/dev/shm/", "/SYSV")  # noqa: S108
BLOCK = 512  # bytes per block in ``st_blocks``, the same on every file system


@cache
def adopt_orphans() -> None:
    """Make this process the parent of a program's orphaned processes, so that it can end them."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def find_task_limit() -> int:
    """Return a limit for the number of this user's tasks: the present number plus ``SPARE_TASKS``.
    The system must enforce this limit, because a program can start processes faster than this
    module counts them. Return 0 (no limit) if /proc is missing or the user is root."""
    if not PROC.is_dir() or not os.getuid():
        return 0
    tasks = 0
    for process in PROC.glob("[0-9]*"):
        with suppress(OSError):
            if process.stat().st_uid == os.getuid():
                tasks += len(os.listdir(process / "task"))
    return tasks + SPARE_TASKS


def find_processes(mark: str, *, besides: int = 0) -> list[int]:
    """Return the ids of processes that have the mark (an environment variable), and of their
    descendants. Omit the ids in ``besides``."""
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
        processes = [child for pid in processes for child in below[pid] if child not in family]
        family.update(processes)
    return sorted(family - {besides})


def _read(process: str, file: str) -> bytes:
    # ``pathlib`` is too slow here: this loop reads all processes while a program thinks.
    try:
        with open(f"/proc/{process}/{file}", "rb", buffering=0) as opened:
            return opened.read()
    except OSError:
        return b""


def measure_memory(processes: list[int]) -> int:
    """Return the bytes that the processes use: resident memory, plus open files in memory. A file
    that a process also maps counts twice."""
    pages, in_memory = 0, {}  # bytes of files in memory, by device and inode
    for process in processes:
        sizes = _read(str(process), "statm").split()
        pages += int(sizes[1]) if sizes else 0
        with suppress(OSError):
            for file in os.scandir(PROC / str(process) / "fd"):
                with suppress(OSError):
                    if os.readlink(file.path).startswith(IN_MEMORY):
                        stat = file.stat()
                        in_memory[stat.st_dev, stat.st_ino] = stat.st_blocks * BLOCK
    return pages * os.sysconf("SC_PAGE_SIZE") + sum(in_memory.values())


def kill_program(program: subprocess.Popen[bytes], mark: str) -> None:
    """Kill all processes of the program, and wait until all processes have ended."""
    ended = False
    if sys.platform == "linux":  # signal the keeper, which may be stopped, to end the program
        for kind in (signal.SIGTERM, signal.SIGCONT):
            program.send_signal(kind)
        with suppress(subprocess.TimeoutExpired):
            program.wait(PATIENCE)
            ended = True
    if not ended:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(program.pid, signal.SIGKILL)
        program.wait()
    seen: set[int] = set()
    for _ in range(ROUNDS):
        left = find_processes(mark)
        seen.update(left)
        for process in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        dying = False  # whether a process still runs after this loop has reaped exited children
        for process in (*seen, -program.pid):  # a negative number is a process group
            with suppress(ChildProcessError):
                while os.waitpid(process, os.WNOHANG)[0]:
                    pass
                dying = True
        # /proc lists an ended process until its parent has reaped the process.
        if not left and not dying and not any((PROC / str(process)).exists() for process in seen):
            return
        time.sleep(0.01)
