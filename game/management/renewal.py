"""Packages and translations that a new version needs before it can be loaded.

The owner of the checkout runs this, because the service may not write there. This module needs only
Python's standard library, as new packages may be missing.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
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
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    pinned = re.findall(r"^([\w.-]+)==(\S+)$", text, re.MULTILINE)
    versions = ((name, _find_installed_version(name), wanted) for name, wanted in pinned)
    differ = [
        f"{name} {here}, not {wanted}"
        for name, here, wanted in versions
        if here not in {"", wanted}
    ]
    return differ + [
        f"{name} is missing" for name in _list_required() if not _find_installed_version(name)
    ]


def _list_required() -> Iterator[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for requirement in project["dependencies"]:
        if name := NAME.match(requirement):
            yield name[0]


def _find_installed_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _run(*command: str | Path) -> None:
    if subprocess.run(command, cwd=ROOT, check=False).returncode:  # noqa: S603
        raise SystemExit(f"this command failed: {' '.join(map(str, command))}")
