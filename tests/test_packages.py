"""Licences and the bill of materials say what is installed, and that is what is pinned."""

import json
import sys
import tomllib
from email.message import Message
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from yatzy_site import packages
from yatzy_site.packages import NotAsPinned, licence, licences, sbom

ROOT = Path(__file__).resolve().parents[1]


def pinned() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def test_the_list_of_licences_is_that_of_what_is_pinned() -> None:
    written = (ROOT / "docs" / "licences.md").read_text()
    assert written == licences(), "python -m yatzy_site.packages licences > docs/licences.md"
    rows = [line.split(" | ") for line in written.splitlines() if line.startswith("| ")]
    assert {row[0][2:]: row[1] for row in rows} == {
        **pinned(),
        "package": "version",
        "---": "---",
    }


def test_every_package_says_its_licence() -> None:
    unsaid = [package.name for package in packages.packages() if package.licence == packages.UNSAID]
    assert unsaid == []


def test_whatever_the_project_asks_for_is_pinned_within_what_it_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    apart = extras.pop("cluster")  # never installed here
    alone = [one for one in map(Requirement, apart) if not one.extras]
    assert {str(one.specifier)[:2] for one in alone} == {"=="}
    versions = {canonicalize_name(name): version for name, version in pinned().items()}
    asked = [
        Requirement(text) for texts in (project["dependencies"], *extras.values()) for text in texts
    ]
    for one in asked:
        if one.name != project["name"]:
            assert versions[canonicalize_name(one.name)] in one.specifier, one


def test_what_serves_is_what_the_project_needs_and_what_that_needs() -> None:
    serving = {package.name for package in packages.packages() if package.serves}
    assert {
        "Django",
        "sqlparse",
        "argon2-cffi",
        "cffi",
        "psycopg-binary",
        "psycopg-pool",
    } <= serving
    assert serving.isdisjoint({"pytest", "mypy", "gymnasium", "playwright", "yatzy-solver"})


def test_the_bill_of_materials_is_whole() -> None:
    facts = json.loads(sbom())
    assert (facts["bomFormat"], facts["specVersion"]) == ("CycloneDX", "1.6")
    assert {one["name"]: one["version"] for one in facts["components"]} == pinned()
    names = {one["bom-ref"] for one in facts["components"]}
    assert len(names) == len(pinned())
    assert "pkg:pypi/channels-redis@" in "".join(names)
    root = facts["metadata"]["component"]["bom-ref"]
    depends = {one["ref"]: set(one["dependsOn"]) for one in facts["dependencies"]}
    assert set(depends) == names | {root}
    assert set().union(*depends.values()) <= names
    django = next(name for name in names if name.startswith("pkg:pypi/django@"))
    assert django in depends[root]
    assert any(name.startswith("pkg:pypi/sqlparse@") for name in depends[django])
    for one in facts["components"]:
        (said,) = one["licenses"]
        assert said.get("expression") or said["license"]["name"]


class Installed:
    """What licence() asks of a distribution."""

    files: list[Any] = []

    def __init__(self, **facts: str) -> None:
        self.metadata = Message()
        for name, value in facts.items():
            self.metadata[name.replace("_", "-")] = value


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"License_Expression": "MIT", "License": "other"}, "MIT"),
        ({"License": "BSD", "Classifier": "License :: OSI Approved :: MIT License"}, "BSD"),
        (
            {"License": "x" * 80, "Classifier": "License :: OSI Approved :: MIT License"},
            "MIT License",
        ),
        ({"Classifier": "Framework :: Django"}, packages.UNSAID),
    ],
)
def test_a_licence_is_what_the_metadata_says_most_exactly(facts: dict[str, str], said: str) -> None:
    installed: Any = Installed(**facts)
    assert licence(installed) == said


def test_what_is_not_installed_as_pinned_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    (tmp_path / "constraints.txt").write_text("Django==1.0\n")
    monkeypatch.setattr(packages, "ROOT", tmp_path)
    with pytest.raises(NotAsPinned, match=r"is installed, not 1\.0"):
        packages.packages()
    (tmp_path / "constraints.txt").write_text("no-such-package==1.0\n")
    with pytest.raises(NotAsPinned, match="no-such-package is not installed"):
        packages.packages()


def test_it_is_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["packages", "sbom"])
    run_path(packages.__file__, run_name="__main__")
    assert capsys.readouterr().out == sbom()
    monkeypatch.setattr(sys, "argv", ["packages"])
    with pytest.raises(SystemExit, match="usage"):
        run_path(packages.__file__, run_name="__main__")
