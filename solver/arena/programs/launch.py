"""Run as a script: takes limits on itself, starts the program, and is its keeper until it ends.

    python -I -S launch.py MEMORY PROCESSOR TASKS FILE PROGRAM ARGUMENT...

Between a fork and an exec a process with threads may do next to nothing, so this is not done there.

On Linux whatever the program starts stays below the keeper: who leaves its session, or loses its
parent, becomes a child of the keeper's, and ends when the program does, when the keeper is told to
end (SIGTERM), and when the process that started the keeper is gone. On other systems the keeper
becomes the program.
"""

import ctypes
import os
import resource
import signal
import sys
from contextlib import suppress

NOT_STARTED = 127  # what a shell says too
LOOK = 1.0  # seconds between two looks whether anybody still waits for the program
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of linux/prctl.h
KEPT = {signal.SIGCHLD, signal.SIGTERM}


def limited(name: str, most: int) -> None:
    """Never above what this process was allowed itself."""
    kind = getattr(resource, name, None)
    if kind is None:
        return
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))


def main(memory: str, processor: str, tasks: str, file: str, *command: str) -> None:
    # Engines reserve far more addresses than they use: Linux can count what may be written alone.
    limited("RLIMIT_DATA" if sys.platform == "linux" else "RLIMIT_AS", int(memory))
    limited("RLIMIT_CPU", int(processor))
    limited("RLIMIT_CORE", 0)
    limited("RLIMIT_FSIZE", int(file))
    if int(tasks):
        limited("RLIMIT_NPROC", int(tasks))
    if sys.platform == "linux":
        keep(command)
    else:
        become(command)


def become(command: tuple[str, ...]) -> None:
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python, and that is inherited too
        signal.signal(ignored, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)  # noqa: S606
    except OSError as error:
        sys.stderr.write(f"{command[0]} cannot be started: {error.strerror}\n")
        sys.exit(NOT_STARTED)


def keep(command: tuple[str, ...]) -> None:
    prctl, parent = ctypes.CDLL(None).prctl, os.getppid()
    prctl(SUBREAPER, 1, 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, KEPT)
    program = os.fork()
    if not program:
        os.setsid()  # who ends its own group does not end its keeper
        signal.pthread_sigmask(signal.SIG_UNBLOCK, KEPT)
        become(command)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for pipe in range(3):
        os.dup2(nowhere, pipe)  # the program's alone, who may close them
    ended: int | None = None
    while ended is None and os.getppid() == parent:
        sent = signal.sigtimedwait(KEPT, LOOK)
        if sent and sent.si_signo == signal.SIGTERM:
            break
        ended = buried().get(program)
    end_all()
    end_as(signal.SIGKILL if ended is None else ended)


def buried() -> dict[int, int]:
    """Collect the ended children and return how they ended."""
    ends = {}
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            ends[ended[0]] = ended[1]
    return ends


def end_all() -> None:
    """End all children, including the orphans that become ours."""
    with suppress(OSError):
        while children := own_children():
            for child in children:
                os.kill(child, signal.SIGKILL)
            os.wait()
            buried()


def own_children() -> list[int]:
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


def end_as(status: int) -> None:
    """Exit as the program did, also by its signal."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        with suppress(OSError):  # nobody may say what SIGKILL does
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, KEPT)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main(*sys.argv[1:])
