"""./yatzy update VERSION: serve a release from a new folder, and go back if it is not ready.

    BASE/current          a link to the release that is served
    BASE/releases/COMMIT  a checkout of one commit, with a .venv

The owner of the checkout runs this command. It needs no package that a release installs.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from signal import SIG_IGN, SIGHUP, signal
from time import monotonic, sleep
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

ROOT = Path(__file__).resolve().parents[2]
READY = "http://127.0.0.1:8000/readyz"
PATIENCE = 60.0  # seconds within which a new release must be ready
UNITS = ("yatzy.service", "yatzy.socket")
LETTERS = 10  # number of letters of a commit, as in `yatzy_site.version`
NAME = re.compile(r"[\w.-]+")


def read_version(given: Sequence[str]) -> str:
    """Return the version if it is the only argument of `./yatzy update`; otherwise ""."""
    versions = [word for word in given if not word.startswith("-")]
    if versions and len(given) > 1:
        raise SystemExit(f"`./yatzy update {versions[0]}` accepts nothing else: {' '.join(given)}")
    return "".join(versions)


def exchange(version: str) -> None:
    """Build the version in a new folder, serve it, and go back if it is not ready."""
    link = ROOT.parent.parent / "current"
    if ROOT.parent.name != "releases" or not link.is_symlink() or link.resolve() != ROOT:
        raise SystemExit(
            f"The link `current` does not point to {ROOT} (docs/small-host.md). In a checkout "
            "without releases, run `git pull`, then `./yatzy update` without a version."
        )
    if Path(os.environ.get("YATZY_VAR", ROOT)).resolve().is_relative_to(ROOT):
        raise SystemExit("Set YATZY_VAR to a folder outside all releases.")
    here = find_commit(ROOT, "HEAD")
    served, ready = query_server(here)
    if served and not ready:
        raise SystemExit(f"{here} is served but not ready: first fix what `./yatzy doctor` shows.")
    folder = build(version)
    there = folder.name
    signal(SIGHUP, SIG_IGN)  # the update goes on if its SSH connection is lost
    if not _try_command(folder / "yatzy", "update", cwd=folder):
        if served:  # the static files may already belong to the new release
            _try_command(ROOT / "yatzy", "update", cwd=ROOT)
        raise SystemExit(f"The update failed: the site still serves {here}.")
    replace_link(link, folder)
    if restart() and wait_until_ready(there):
        print(f"The site now serves {there}. The former release is in {ROOT}.")  # noqa: T201
        return
    replace_link(link, ROOT)
    failed = f"{there} did not become ready"
    if not served:
        raise SystemExit(
            f"{failed}, and the link points to {ROOT} again. The site did not run before the "
            "update, so its database may already have the new version. Stop the site. If a copy "
            f"was named above, run `./yatzy restore` with it in {ROOT}. Then start the site."
        )
    files = _try_command(ROOT / "yatzy", "update", cwd=ROOT)
    if restart() and wait_until_ready(here) and files:
        raise SystemExit(f"{failed}; {here} is served again.")
    raise SystemExit(f"{failed}; {here} is NOT ready either: run `./yatzy doctor` in {ROOT}.")


def restart() -> bool:
    """Restart the service, even if systemd has stopped restarting it after crashes."""
    _try_command("systemctl", "reset-failed", *UNITS)
    _try_command("systemctl", "start", UNITS[-1])
    return _try_command("systemctl", "restart", UNITS[0])


def build(version: str) -> Path:
    """Check out the version into a new folder, install its packages, and return the folder."""
    _try_command("git", "fetch", "--quiet", "--tags", cwd=ROOT)  # offline, use local commits
    if not (commit := find_commit(ROOT, version)):
        raise SystemExit(f"git knows no version {version!r}.")
    if commit == find_commit(ROOT, "HEAD"):
        raise SystemExit(f"{version} is the release that is served.")
    folder = ROOT.parent / commit
    if not folder.exists():
        _do("git", "worktree", "add", "--quiet", "--detach", folder, commit, cwd=ROOT)
    _do("git", "reset", "--quiet", "--hard", commit, cwd=folder)  # repairs an interrupted checkout
    settings = ROOT / "settings.env"
    if settings.exists() and not (folder / settings.name).exists():
        (folder / settings.name).symlink_to(settings.resolve())
    _do("python3", "install.py", "site", cwd=folder)
    return folder


def find_commit(folder: Path, version: str) -> str:
    """Return the first letters of the commit's hash, or "" if git does not know this version."""
    command = ["git", "rev-parse", "--verify", "--quiet", f"{version}^{{commit}}"]
    finished = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
    return finished.stdout.strip()[:LETTERS]


def replace_link(link: Path, folder: Path) -> None:
    """Point the link at another folder in one step, so that the link always exists."""
    new = link.with_name(".current-new")
    new.unlink(missing_ok=True)
    new.symlink_to(folder.relative_to(link.parent))
    os.replace(new, link)


def query_server(commit: str) -> tuple[bool, bool]:
    """Return whether a server of this commit answers, and whether it is ready. The server is on
    this machine, so the request uses no proxy."""
    request = Request(READY, headers={"Host": "localhost"})
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=5) as answer:
            return (served := commit in json.load(answer)["version"]), served
    except HTTPError as refused:
        with refused:
            return commit in refused.read().decode(errors="replace"), False
    except (OSError, ValueError, KeyError):
        return False, False


def wait_until_ready(commit: str) -> bool:
    """Return whether a server of this commit becomes ready in time; False after Ctrl+C."""
    end = monotonic() + PATIENCE
    try:
        while not query_server(commit)[1]:
            if monotonic() > end:
                return False
            sleep(0.2)
    except KeyboardInterrupt:
        return False
    return True


def _try_command(*command: str | Path, cwd: Path | None = None) -> bool:
    try:
        return not subprocess.run(command, cwd=cwd, check=False).returncode  # noqa: S603
    except KeyboardInterrupt:
        return False


def _do(*command: str | Path, cwd: Path | None = None) -> None:
    if not _try_command(*command, cwd=cwd):
        raise SystemExit(f"this command failed: {' '.join(map(str, command))}")


def renew() -> None:
    if list_differing_packages():
        # the system's Python, because the Python of .venv has no pip
        python = Path(sys.base_prefix) / "bin" / "python3"
        _run(python, ROOT / "install.py", "site")
    _run(sys.executable, "-m", "game.management.catalogues")


def list_differing_packages() -> list[str]:
    """Return the installed packages that differ from constraints.txt, and the missing packages."""
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    pinned = re.findall(r"^([\w.-]+)==(\S+)$", constraints, re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = [match[0] for text in project["dependencies"] if (match := NAME.match(text))]
    versions = ((name, _find_installed_version(name), wanted) for name, wanted in pinned)
    differ = [
        f"{name} {here}, not {wanted}"
        for name, here, wanted in versions
        if here not in {"", wanted}
    ]
    return differ + [f"{name} is missing" for name in required if not _find_installed_version(name)]


def _find_installed_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _run(*command: str | Path) -> None:
    if subprocess.run(command, cwd=ROOT, check=False).returncode:  # noqa: S603
        raise SystemExit(f"this command failed: {' '.join(map(str, command))}")
