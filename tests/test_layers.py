"""The plan of the house is held by import-linter: no import points up, and nothing is left out."""

import shutil
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("game", "solver", "yatzy_site")
HOUSES = ("game", "game.trials", "solver", "solver.advice")
PYTHON_ONLY = shutil.ignore_patterns("__pycache__", "locale", "*.csv", "*.json", "*.npz")


def contracts() -> list[dict[str, Any]]:
    facts = tomllib.loads((ROOT / "pyproject.toml").read_text())
    found: list[dict[str, Any]] = facts["tool"]["importlinter"]["contracts"]
    return found


def layers(package: str) -> list[list[str]]:
    (contract,) = [one for one in contracts() if one.get("containers") == [package]]
    assert contract["exhaustive"] is True
    return [[name.strip() for name in line.split("|")] for line in contract["layers"]]


def upward(package: str) -> list[tuple[str, str]]:
    rows = layers(package)
    return [
        (f"{package}.{below}", f"{package}.{above[0]}")
        for above, row in pairwise(rows)
        for below in row
    ]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=PYTHON_ONLY)
    return folder


def broken(copy: Path) -> str:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as l; l()"]
    done = subprocess.run(
        [*command, "--no-cache"], cwd=copy, check=False, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def points_up(copy: Path, below: str, above: str) -> str:
    place = copy.joinpath(*below.split("."))
    file = place / "probe.py" if place.is_dir() else place.with_suffix(".py")
    with file.open("a") as written:
        written.write(f"\nimport {above}\n")
    return f"{below}.probe" if place.is_dir() else below


def test_an_import_that_points_up_is_caught_in_every_layer(copy: Path) -> None:
    pairs = [pair for house in HOUSES for pair in upward(house)]
    pairs.append(("solver.rules", "game.models"))
    probes = [(points_up(copy, below, above), above) for below, above in pairs]
    (copy / "solver" / "probe.py").write_text("import django\n")
    told = broken(copy)
    for probe, above in probes:
        assert f"{probe} -> {above}" in told
    assert "solver.probe -> django" in told
    assert "not listed as layers:\n\n- solver.probe" in told


def test_every_package_has_a_layer() -> None:
    for house in HOUSES:
        named = {name for row in layers(house) for name in row}
        there = {
            path.stem
            for path in ROOT.joinpath(*house.split(".")).iterdir()
            if (path.is_dir() and (path / "__init__.py").exists()) or path.suffix == ".py"
        }
        assert there - {"__init__"} == named


def test_there_are_no_exceptions() -> None:
    for contract in contracts():
        assert not contract.get("ignore_imports")
        assert not contract.get("exhaustive_ignores")


def test_learners_alone_may_know_a_learning_framework() -> None:
    (contract,) = [one for one in contracts() if "gymnasium" in one.get("forbidden_modules", [])]
    everybody = {f"solver.{name}" for row in layers("solver") for name in row}
    assert everybody - set(contract["source_modules"]) == {"solver.learning"}
