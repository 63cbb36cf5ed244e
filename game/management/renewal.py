"""Packages and translations that a new version needs before it can be loaded.

The owner of the checkout runs this, because the service may not write there. This module needs only
Python's standard library, as new packages may be missing.
"""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = re.compile(r"[\w.-]+")


def renew() -> None:
    if list_differing_packages():
        # the system's Python, because the Python of .venv has no pip
        python = Path(sys.base_prefix) / "bin" / "python3"
        _run(python, ROOT / "install.py", "site")
    _run(sys.executable, "-m", "game.management.catalogues")


def list_differing_packages() -> list[str]:
    """Return the installed packages that differ from constraints.txt, and the missing ones."""
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
