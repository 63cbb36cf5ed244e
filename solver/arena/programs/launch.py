"""A script that limits its own resources, starts a program and ends all processes of the program.

    python -I -S launch.py MEMORY PROCESSOR TASKS FILE PROGRAM ARGUMENT...

This is a separate script, because a process with threads may do very little between fork and exec.

On Linux this script, the keeper, stays the ancestor of every process that the program starts. A
process that leaves its session or loses its parent becomes the keeper's child. The keeper ends all
these processes when the program ends, when the keeper gets SIGTERM, or when the process that
started the keeper has ended. On other systems the script becomes the program.
"""

import ctypes
import os
import resource
import signal
import sys
from contextlib import suppress

NOT_STARTED = 127  # the exit status for a missing command, as in a shell
LOOK = 1.0  # seconds between checks whether the tournament's process still runs
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of linux/prctl.h
KEPT = {signal.SIGCHLD, signal.SIGTERM}


def limit_resource(name: str, most: int) -> None:
    """Limit a resource to ``most``, or to the hard limit of this process if that is lower."""
    kind = getattr(resource, name, None)
    if kind is None:
        return
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))


def main(memory: str, processor: str, tasks: str, file: str, *command: str) -> None:
    # Language runtimes reserve more memory than they use. Only Linux can limit the part they write
    # to.
    limit_resource("RLIMIT_DATA" if sys.platform == "linux" else "RLIMIT_AS", int(memory))
    limit_resource("RLIMIT_CPU", int(processor))
    limit_resource("RLIMIT_CORE", 0)
    limit_resource("RLIMIT_FSIZE", int(file))
    if int(tasks):
        limit_resource("RLIMIT_NPROC", int(tasks))
    if sys.platform == "linux":
        keep(command)
    else:
        become(command)


def become(command: tuple[str, ...]) -> None:
    # Python ignores these two signals. Without this line a program would ignore them too.
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
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
        os.setsid()  # the keeper survives if the program kills its process group
        signal.pthread_sigmask(signal.SIG_UNBLOCK, KEPT)
        become(command)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for pipe in range(3):
        os.dup2(nowhere, pipe)  # only the program has the pipes open, and may close them
    ended: int | None = None
    while ended is None and os.getppid() == parent:
        sent = signal.sigtimedwait(KEPT, LOOK)
        if sent and sent.si_signo == signal.SIGTERM:
            break
        ended = collect_exited_children().get(program)
    with suppress(OSError):
        while True:
            with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
                children = file.read().split()
            if not children:
                break
            for child in children:
                os.kill(int(child), signal.SIGKILL)
            os.wait()
            collect_exited_children()
    # Exit as the program did: with its status, or by the signal that ended it.
    code = os.waitstatus_to_exitcode(signal.SIGKILL if ended is None else ended)
    if code < 0:
        with suppress(OSError):  # SIGKILL has no handler
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, KEPT)
        os.kill(os.getpid(), -code)
    os._exit(code)


def collect_exited_children() -> dict[int, int]:
    """Reap exited children. Return their exit statuses by process id."""
    ends = {}
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            ends[ended[0]] = ended[1]
    return ends


if __name__ == "__main__":
    main(*sys.argv[1:])
