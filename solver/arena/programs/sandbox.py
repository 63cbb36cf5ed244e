"""Walls around a program, made by bubblewrap: no network, nothing of the user's, little room.

What it sees is the machine's own files and the folders that its command names, all to be read
alone. It writes in two folders in memory, small and its own. Those and its processes go with it.
"""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from solver.advice.wire import BadInput
from solver.tables import tables_dir

BUBBLEWRAP = "bwrap"
ALONE = ["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"]
ALONE += ["--new-session", "--cap-drop", "ALL", "--ro-bind", "/", "/"]
WRITABLE = ("/tmp", "/dev/shm")  # noqa: S108
# What people keep there, and the sockets by which others are reached, is out of sight.
HIDDEN = ("/home", "/root", "/run", "/var/tmp", "/mnt", "/media")  # noqa: S108
PACKAGE = Path(__file__).parents[2]
TOLD = ("LANG", "LC_ALL", "TZ", "YATZY_TABLES", "YATZY_VAR")  # and no secret
INSTALL = "apt install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora)"
NEEDED = "programs and classes run within walls, which bubblewrap 0.8 or later makes on Linux"
OTHERWISE = "--trust runs them with your rights"


def walled(words: list[str], room: int, shown: Iterable[str] = ()) -> list[str]:
    """Return the command inside the walls, where each folder that it may write in has so much
    ``room``, in bytes; ``shown`` are folders that it needs besides those that it names."""
    _refuse_where_impossible()
    here, hidden = str(Path.cwd()), _hidden()
    walls = ["--proc", "/proc", "--dev", "/dev"]
    for place in (*WRITABLE, *map(str, hidden)):
        walls += ["--size", str(room), "--tmpfs", place]
    paths = set(_shown([*words, *shown], [*hidden, Path(WRITABLE[0])]))
    for path in sorted(path for path in paths if paths.isdisjoint(path.parents)):
        walls += ["--ro-bind", str(path), str(path)]
    walls += ["--dir", here, "--chdir", here]
    for place in ("/dev", *map(str, hidden)):
        walls += ["--remount-ro", place]
    return [BUBBLEWRAP, *ALONE, *walls, "--", *words]


def environment() -> dict[str, str]:
    """Without secrets. A name alone is found where it is not hidden, this Python's own at last."""
    variables = {name: os.environ[name] for name in TOLD if name in os.environ}
    path = os.pathsep.join([*os.get_exec_path(), f"{sys.base_prefix}/bin"])
    return variables | {"PATH": path, "HOME": WRITABLE[0]}


def _hidden() -> list[Path]:
    """Return the folders to hide. The system says of some users that their home is the root; it
    stays."""
    folders = dict.fromkeys([*map(Path, HIDDEN), Path.home()])
    return [folder for folder in folders if folder.is_dir() and folder != folder.parent]


def _lies_in(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _shown(named: Iterable[str], hidden: Sequence[Path]) -> Iterator[Path]:
    """Yield paths in hidden folders that stay visible: the folder of a named file, but never a
    hidden folder itself, such as a home, nor one that contains it."""
    ours = [sys.prefix, sys.base_prefix, str(PACKAGE), str(tables_dir())]
    for path in {Path(word).absolute() for word in (*named, *ours) if word}:
        if not path.exists() or not _lies_in(path, hidden):
            continue
        folder = path if path.is_dir() else path.parent
        if not any(place.is_relative_to(folder) for place in hidden):
            yield folder
        elif path.is_file():
            yield path


@cache
def _refuse_where_impossible() -> None:
    try:
        tried = subprocess.run(  # noqa: S603 - constants
            [BUBBLEWRAP, *ALONE, "true"], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise BadInput(f"{NEEDED}; it is not here: {INSTALL}. {OTHERWISE}.") from None
    if tried.returncode:
        raise BadInput(
            f"{NEEDED}, from user namespaces that it may not make here (sysctl "
            f"kernel.unprivileged_userns_clone=1): {tried.stderr.strip()}. {OTHERWISE}."
        )
