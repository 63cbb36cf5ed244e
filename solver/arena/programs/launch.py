"""Run as a script: takes limits on itself, then becomes the program. What it starts inherits them.

    python -I -S launch.py MEMORY PROCESSOR TASKS PROGRAM ARGUMENT...

Between a fork and an exec a process with threads may do next to nothing, so this is not done there.
"""

import os
import resource
import signal
import sys

NOT_STARTED = 127  # what a shell says too


def limited(name: str, most: int) -> None:
    """Never above what this process was allowed itself."""
    kind = getattr(resource, name, None)
    if kind is None:
        return
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))


def main(memory: str, processor: str, tasks: str, *command: str) -> None:
    # Engines reserve far more addresses than they use: Linux can count what may be written alone.
    limited("RLIMIT_DATA" if sys.platform == "linux" else "RLIMIT_AS", int(memory))
    limited("RLIMIT_CPU", int(processor))
    limited("RLIMIT_CORE", 0)
    if int(tasks):
        limited("RLIMIT_NPROC", int(tasks))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and that is inherited too
    try:
        os.execvp(command[0], command)  # noqa: S606
    except OSError as error:
        sys.stderr.write(f"{command[0]} cannot be started: {error.strerror}\n")
        sys.exit(NOT_STARTED)


if __name__ == "__main__":
    main(*sys.argv[1:])
