"""What is installed beside this program: licences for people, a bill of materials for programs.

    python -m yatzy_site.packages licences > docs/licences.md
    python -m yatzy_site.packages sbom > sbom.json        # CycloneDX

Versions are those of constraints.txt; what is said of them is what their own metadata says.
"""

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
SHORT = 40  # letters; a longer "licence" is its text
MIT = "Permission is hereby granted, free of charge, to any person obtaining a"
UNSAID = "not said"
SPDX = re.compile(r"[\w.+-]+(?: (?:AND|OR|WITH) [\w.+-]+|[()])*")
HEAD = """# Licences

What is installed beside this program, and under which licence, as the packages say themselves.
Made by `python -m yatzy_site.packages licences > docs/licences.md`, and held to `constraints.txt`.

The script of the pages, htmx (0BSD), comes with django-htmx. `tests/browser/axe.min.js`, which is
not served, is under MPL-2.0. This program itself is under the MIT licence.
"""


class NotAsPinned(Exception):
    """What is installed is not what constraints.txt says."""


@dataclass(frozen=True)
class Package:
    name: str
    version: str
    licence: str
    serves: bool  # installed where the site runs, not for its development alone
    needs: tuple[str, ...]

    @property
    def address(self) -> str:
        return f"pkg:pypi/{canonicalize_name(self.name)}@{self.version}"


def packages() -> list[Package]:
    """Of constraints.txt, in its order of names."""
    pinned = dict(line.split("==") for line in _lines("constraints.txt"))
    serving = set(_closure(_project()["dependencies"]))
    found = (_package(name, version, serving) for name, version in pinned.items())
    return sorted(found, key=lambda package: canonicalize_name(package.name))


def _package(name: str, version: str, serving: set[str]) -> Package:
    try:
        installed = distribution(name)
    except PackageNotFoundError:
        raise NotAsPinned(f"{name} is not installed: make install") from None
    if installed.version != version:
        raise NotAsPinned(f"{name} {installed.version} is installed, not {version}: make install")
    needs = sorted(set(_wanted(installed.requires or [], frozenset())) & _installed())
    return Package(name, version, licence(installed), canonicalize_name(name) in serving, (*needs,))


def licence(installed: Distribution) -> str:
    """Its expression, else its short name, else what it is filed under, else what its text is."""
    facts = installed.metadata
    if "License-Expression" in facts:
        return facts["License-Expression"]
    named = facts["License"].strip() if "License" in facts else ""
    if named and len(named) <= SHORT:
        return named
    filed = [text.split(" :: ")[-1] for text in facts.get_all("Classifier") or []]
    filed = [text for text in filed if "License" in text]
    return ", ".join(filed) or _by_its_text(installed)


def _by_its_text(installed: Distribution) -> str:
    texts = [file.read_text() for file in installed.files or [] if file.name == "LICENSE"]
    return "MIT, by its text" if any(MIT in text for text in texts) else UNSAID


def _closure(requirements: Iterable[str]) -> Iterator[str]:
    """Everything that these need, and what that needs; of what is installed here."""
    waiting = [Requirement(text) for text in requirements]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        one = waiting.pop()
        asked = canonicalize_name(one.name), frozenset(one.extras)
        if asked in seen or asked[0] not in _installed():
            continue
        seen.add(asked)
        yield asked[0]
        waiting += _applying(distribution(one.name).requires or [], asked[1])


def _applying(texts: Iterable[str], extras: frozenset[str]) -> list[Requirement]:
    """Those that count with the oldest Python that the project runs with, and these extras."""
    found = [Requirement(text) for text in texts]
    return [
        one
        for one in found
        if one.marker is None or any(one.marker.evaluate(_with(e)) for e in {"", *extras})
    ]


def _with(extra: str) -> dict[str, str]:
    """The list is the same whoever makes it."""
    oldest = str(_project()["requires-python"]).removeprefix(">=")
    return {"python_version": oldest, "python_full_version": f"{oldest}.0", "extra": extra}


def _wanted(texts: Iterable[str], extras: frozenset[str]) -> Iterator[str]:
    return (canonicalize_name(one.name) for one in _applying(texts, extras))


def _installed() -> frozenset[str]:
    return frozenset(canonicalize_name(line.split("==")[0]) for line in _lines("constraints.txt"))


def _lines(name: str) -> list[str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _project() -> Mapping[str, list[str]]:
    facts: Mapping[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return facts


def licences() -> str:
    found = packages()
    parts = [HEAD]
    for title, serves in (
        ("## Where the site runs", True),
        ("## For its development alone", False),
    ):
        rows = [f"| {p.name} | {p.version} | {p.licence} |" for p in found if p.serves is serves]
        parts += [title, "", "| package | version | licence |", "| --- | --- | --- |", *rows, ""]
    return "\n".join(parts)


def sbom() -> str:
    """Without a date or a number of its own: the same versions give the same file."""
    found = packages()
    project = _project()
    root = f"pkg:generic/{project['name']}@{project['version']}"
    of_name = {str(canonicalize_name(one.name)): one.address for one in found}
    direct = sorted(set(_wanted(project["dependencies"], frozenset())))
    depends = [{"ref": root, "dependsOn": [of_name[name] for name in direct]}]
    depends += [
        {"ref": package.address, "dependsOn": [of_name[name] for name in package.needs]}
        for package in found
    ]
    facts = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": root, **_named(project)}},
        "components": [_component(package) for package in found],
        "dependencies": depends,
    }
    return json.dumps(facts, indent=2) + "\n"


def _named(project: Mapping[str, object]) -> dict[str, object]:
    return {
        "name": project["name"],
        "version": project["version"],
        "licenses": [{"expression": project["license"]}],
    }


def _component(package: Package) -> dict[str, object]:
    is_expression = SPDX.fullmatch(package.licence) and "-" in package.licence
    said = {"expression": package.licence} if is_expression else _license(package.licence)
    return {
        "type": "library",
        "bom-ref": package.address,
        "name": package.name,
        "version": package.version,
        "scope": "required" if package.serves else "excluded",
        "licenses": [said],
        "purl": package.address,
    }


def _license(name: str) -> dict[str, object]:
    return {"license": {"name": name}}


WRITTEN: dict[str, Callable[[], str]] = {"licences": licences, "sbom": sbom}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in WRITTEN:
        raise SystemExit(f"usage: python -m yatzy_site.packages {'|'.join(WRITTEN)}")
    try:
        sys.stdout.write(WRITTEN[sys.argv[1]]())
    except NotAsPinned as wrong:
        raise SystemExit(str(wrong)) from None
