"""A sandbox for a program, made by bubblewrap: no network, no user files, limited space.

The program sees the system's files and the folders in its command, and can only read them. It can
write in two small folders in memory, which disappear when its processes end.
"""

import os
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from solver.advice.wire import BadInput
from solver.tables import find_tables_dir

BUBBLEWRAP = "bwrap"
ALONE = ["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"]
ALONE += ["--new-session", "--cap-drop", "ALL", "--ro-bind", "/", "/"]
WRITABLE = ("/tmp", "/dev/shm")  # noqa: S108
# Folders with users' files, and folders with the sockets of other services.
HIDDEN = ("/home", "/root", "/run", "/var/tmp", "/mnt", "/media")  # noqa: S108
PACKAGE = Path(__file__).parents[2]
# Environment variables that the program gets. None of them is secret.
TOLD = ("LANG", "LC_ALL", "TZ", "YATZY_TABLES", "YATZY_VAR")
INSTALL = "apt install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora)"
NEEDED = "programs and classes run in a sandbox, which needs bubblewrap 0.8 or later on Linux"
OTHERWISE = "--trust runs them with your rights"


def wrap_in_sandbox(words: list[str], room: int, shown: Iterable[str] = ()) -> list[str]:
    """Return the sandboxed command. Each writable folder has room for ``room`` bytes. In hidden
    folders (such as home folders) the program sees only the folders of its files, but never a
    hidden folder, or a folder that contains one."""
    _refuse_where_impossible()
    folders = dict.fromkeys([*map(Path, HIDDEN), Path.home()])
    hidden = [folder for folder in folders if folder.is_dir() and folder != folder.parent]
    here = str(Path.cwd())
    walls = ["--proc", "/proc", "--dev", "/dev"]
    for place in (*WRITABLE, *map(str, hidden)):
        walls += ["--size", str(room), "--tmpfs", place]
    covered, paths = [*hidden, Path(WRITABLE[0])], set()
    ours = [sys.prefix, sys.base_prefix, str(PACKAGE), str(find_tables_dir())]
    for path in {Path(word).absolute() for word in (*words, *shown, *ours) if word}:
        if path.exists() and any(map(path.is_relative_to, covered)):
            folder = path if path.is_dir() else path.parent
            if not any(place.is_relative_to(folder) for place in covered):
                paths.add(folder)
            elif path.is_file():
                paths.add(path)
    for path in sorted(path for path in paths if paths.isdisjoint(path.parents)):
        walls += ["--ro-bind", str(path), str(path)]
    walls += ["--dir", here, "--chdir", here]
    for place in ("/dev", *map(str, hidden)):
        walls += ["--remount-ro", place]
    return [BUBBLEWRAP, *ALONE, *walls, "--", *words]


def make_environment() -> dict[str, str]:
    """Return the variables in ``TOLD``, PATH with this Python's folder, and a writable HOME."""
    variables = {name: os.environ[name] for name in TOLD if name in os.environ}
    path = os.pathsep.join([*os.get_exec_path(), f"{sys.base_prefix}/bin"])
    return variables | {"PATH": path, "HOME": WRITABLE[0]}


@cache
def _refuse_where_impossible() -> None:
    try:
        tried = subprocess.run(  # noqa: S603 - constants
            [BUBBLEWRAP, *ALONE, "true"], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise BadInput(f"{NEEDED}; it is not installed: {INSTALL}. {OTHERWISE}.") from None
    if tried.returncode:
        raise BadInput(
            f"{NEEDED} and the right to make user namespaces (sysctl "
            f"kernel.unprivileged_userns_clone=1): {tried.stderr.strip()}. {OTHERWISE}."
        )
