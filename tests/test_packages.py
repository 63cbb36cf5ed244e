"""What is installed is pinned, has a licence, and is locked where it serves."""

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import install

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# To build, for older Pythons, for other systems.
ELSEWHERE = {"setuptools", "async-timeout", "tzdata"}


def pinned() -> dict[str, str]:
    found = re.findall(r"(?m)^([\w.-]+)==(\S+)", (ROOT / "constraints.txt").read_text("utf-8"))
    return {canonicalize_name(name): version for name, version in found}


def test_every_package_that_is_pinned_has_a_licence_in_the_list() -> None:
    """docs/licences.md says how it is made."""
    lines = (ROOT / "docs" / "licences.md").read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:4]] for line in lines if line[:1] == "|"]
    assert {canonicalize_name(name): at for name, at, _ in rows[2:]} == pinned()
    unsaid = [name for name, _, licence in rows if licence in {"", "UNKNOWN"}]
    assert unsaid == ["resvg_py"]  # whose text is the MIT licence


def test_whatever_the_project_asks_for_is_pinned_within_what_it_asks_for() -> None:
    extras = dict(PROJECT["optional-dependencies"])
    apart = extras.pop("cluster")  # never installed here
    alone = [one for one in map(Requirement, apart) if not one.extras]
    assert {str(one.specifier)[:2] for one in alone} == {"=="}
    asked = [
        Requirement(text) for texts in (PROJECT["dependencies"], *extras.values()) for text in texts
    ]
    for one in asked:
        if one.name != PROJECT["name"]:
            assert pinned()[canonicalize_name(one.name)] in one.specifier, one


def needed(texts: list[str], extras: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield what these require, and what that requires, with the oldest Python of the project."""
    for one in map(Requirement, texts):
        surroundings = [{"extra": extra, "python_version": "3.11"} for extra in ("", *extras)]
        applies = one.marker is None or any(map(one.marker.evaluate, surroundings))
        if applies and (name := canonicalize_name(one.name)) in pinned():
            yield name
            yield from needed(requires(name) or [], frozenset(one.extras))


def test_every_package_of_a_site_is_locked_at_its_pinned_version_and_nothing_says_where() -> None:
    text = (ROOT / install.LOCKED).read_text("utf-8")
    requirement = r"(?m)^([\w.-]+)==([\w.+]+)[^\n]*\\\n(?: +--hash=sha256:[0-9a-f]{64}[ \\]*\n)+"
    locked = dict(re.findall(requirement, text))
    serving = set(needed(PROJECT["dependencies"]))
    assert {"django", "sqlparse", "argon2-cffi", "psycopg-binary"} <= serving
    assert serving.isdisjoint({"pytest", "mypy", "gymnasium", "playwright"})
    assert {name: at for name, at in locked.items() if name not in ELSEWHERE} == {
        name: pinned()[name] for name in serving
    }
    assert len(locked) == sum("==" in line for line in text.splitlines())
    assert "://" not in text
