"""./yatzy update VERSION: a release in a folder of its own, and the former one if it is not ready.

    BASE/current          a link to the release that is served
    BASE/releases/COMMIT  a checkout of one commit, with a .venv of its own

The owner of the checkout runs this; it needs nothing that a release installs.
"""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parents[2]
READY = "http://127.0.0.1:8000/readyz"
PATIENCE = 60.0  # seconds until a new release has to be ready
RESTART = ("systemctl", "restart", "yatzy")
LETTERS = 10  # of a commit; `yatzy_site.version` shows as many


def version_asked(given: Sequence[str]) -> str:
    """Return the version among the arguments of update, or nothing."""
    return next((word for word in given if not word.startswith("-")), "")


def exchange(version: str) -> None:
    """Build the version beside the one that is served, exchange them, and go back if need be."""
    link = ROOT.parent.parent / "current"
    if ROOT.parent.name != "releases" or not link.is_symlink() or link.resolve() != ROOT:
        raise SystemExit(
            f"{ROOT} is not the release that a link `current` names (docs/small-host.md). In a "
            "checkout of its own: `git pull`, then `./yatzy update` without a version."
        )
    folder = build(version)
    here, there = commit_of(ROOT, "HEAD"), folder.name
    was_served = is_ready(here)
    if not _is_done(folder / "yatzy", "update", cwd=folder):
        if was_served:  # the static files may be the new ones by now
            _do(ROOT / "yatzy", "update", cwd=ROOT)
        raise SystemExit(f"Not exchanged: the site is {here}, as before.")
    point(link, folder)
    _do(*RESTART)
    if wait_until_ready(there):
        print(f"The site is {there} now. The former release is in {ROOT}.")  # noqa: T201
        return
    point(link, ROOT)
    if not was_served:
        raise SystemExit(
            f"{there} was not ready within {PATIENCE:.0f} s, and the link names {ROOT} again. "
            " The site was stopped before, so the database may be the new version's: if a "
            f"copy was named above, `./yatzy restore` it in {ROOT}, then {' '.join(RESTART)}."
        )
    _do(ROOT / "yatzy", "update", cwd=ROOT)
    _do(*RESTART)
    back = "is served again" if wait_until_ready(here) else "is NOT ready: `./yatzy doctor`"
    raise SystemExit(f"{there} was not ready within {PATIENCE:.0f} s; {here} {back}.")


def build(version: str) -> Path:
    """Check the version out beside this one and install its packages."""
    _is_done("git", "fetch", "--quiet", "--tags", cwd=ROOT)  # without a line what is here will do
    if not (commit := commit_of(ROOT, version)):
        raise SystemExit(f"git knows no version {version!r}.")
    if commit == commit_of(ROOT, "HEAD"):
        raise SystemExit(f"{version} is the release that is served.")
    folder = ROOT.parent / commit
    if not folder.exists():
        _do("git", "worktree", "add", "--quiet", "--detach", folder, commit, cwd=ROOT)
    settings = ROOT / "settings.env"
    if settings.exists() and not (folder / settings.name).exists():
        (folder / settings.name).symlink_to(settings.resolve())
    _do("python3", "install.py", "site", cwd=folder)
    return folder


def commit_of(folder: Path, version: str) -> str:
    """Return the first letters of the commit, or nothing where git knows no such version."""
    command = ["git", "rev-parse", "--verify", "--quiet", f"{version}^{{commit}}"]
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
    return found.stdout.strip()[:LETTERS]


def point(link: Path, folder: Path) -> None:
    """Let the link name another folder, without a moment in which it names none."""
    new = link.with_name(".current-new")
    new.unlink(missing_ok=True)
    new.symlink_to(folder.relative_to(link.parent))
    os.replace(new, link)


def is_ready(commit: str) -> bool:
    """Return whether the server that answers is of this commit and ready."""
    try:
        with urlopen(Request(READY, headers={"Host": "localhost"}), timeout=5) as answer:
            return commit in json.load(answer)["version"]
    except (HTTPError, URLError, OSError, ValueError, KeyError):
        return False


def wait_until_ready(commit: str) -> bool:
    """Return whether a server of this commit is ready before the patience ends."""
    end = monotonic() + PATIENCE
    while not is_ready(commit):
        if monotonic() > end:
            return False
        sleep(0.2)
    return True


def _is_done(*command: str | Path, cwd: Path | None = None) -> bool:
    return not subprocess.run(command, cwd=cwd, check=False).returncode  # noqa: S603


def _do(*command: str | Path, cwd: Path | None = None) -> None:
    if not _is_done(*command, cwd=cwd):
        raise SystemExit(f"not done: {' '.join(map(str, command))}")
