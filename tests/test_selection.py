"""Tests of how a run selects its tests, of the mutants (broken lines), and of the ceilings."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.budgets import broken
from tests.mutants import ROOT, _changed_lines, importing, mutants_of

TOP = Path(__file__).resolve().parents[1]
CASES = """
import pytest

@pytest.mark.nightly
def test_exhaustive(): pass

@pytest.mark.sampled("rules")
@pytest.mark.parametrize("rules", ["one", "two", "three"])
@pytest.mark.parametrize("seats", [1, 2])
def test_contract(rules, seats): pass

@pytest.mark.needs("sh", "no-such-program")
def test_foreign(): pass

def test_always(): pass

def test_asked(request):
    from tests.selection import examples, exhaustive
    assert exhaustive() == request.config.getoption("--nightly")
    assert examples(5) == (5 if exhaustive() else 2)
"""


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "test_cases.py"
    path.write_text(CASES)
    return path


def said(cases: Path, *options: str) -> str:
    config = ["-c", str(TOP / "pyproject.toml"), "--rootdir", str(cases.parent)]
    command = [sys.executable, "-m", "pytest", *config, "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *options, str(cases)], cwd=TOP, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_a_change_tries_one_of_what_is_sampled_and_says_what_it_left_out(cases: Path) -> None:
    """A worker process reports to the process that started it."""
    tells_what_is_left_out(said(cases, "-v", "--randomly-seed=2", "--numprocesses=1"))


@pytest.mark.nightly
def test_the_same_case_is_tried_in_every_order_of_collection(cases: Path) -> None:
    alone = said(cases, "-v", "--randomly-seed=1")
    tells_what_is_left_out(alone)
    assert ran(alone) == ran(said(cases, "-v", "--randomly-seed=2", "--numprocesses=1"))


def tells_what_is_left_out(told: str) -> None:
    assert "4 passed" in told
    assert "5 run nightly (make test-all)" in told
    assert "1 need no-such-program" in told


def ran(told: str) -> set[str]:
    return {word for word in told.split() if "::" in word}


def test_everything_runs_at_night_but_what_cannot(cases: Path) -> None:
    told = said(cases, "--nightly")
    assert "9 passed" in told
    assert "Left out: 1 need no-such-program." in told


def test_every_file_that_the_makefile_names_exists() -> None:
    """If one of the named files is missing, pytest runs no test at all."""
    targets = ("test-postgres", "test-newest")
    done = subprocess.run(
        ["make", "--dry-run", *targets], cwd=TOP, check=True, capture_output=True, text=True
    )
    named = set(re.findall(r"tests/\S+\.py", done.stdout))
    assert len(named) > 50
    assert [name for name in sorted(named) if not (TOP / name).exists()] == []


DIFF = """diff --git a/game/apps.py b/game/apps.py
--- a/game/apps.py
+++ b/game/apps.py
@@ -3 +3,2 @@ class Game
-old
+new
+newer
@@ -9,2 +10,0 @@ def ready
-gone
-as well
@@ -20 +19 @@
-old
+new
diff --git a/solver/gone.py b/solver/gone.py
--- a/solver/gone.py
+++ /dev/null
@@ -1,2 +0,0 @@
-old
-old
diff --git a/game/data/x.json b/game/data/x.json
--- a/game/data/x.json
+++ b/game/data/x.json
@@ -1 +1 @@
-0
+1
"""


def test_lines_that_are_new_or_different_are_broken_and_none_else() -> None:
    assert dict(_changed_lines(DIFF)) == {ROOT / "game/apps.py": {3, 4, 19}}


def test_what_imports_a_module_is_asked_about_it() -> None:
    assert importing([ROOT / "solver/charts/frame.py"]) == ["tests/solver/test_charts.py"]
    assert importing([ROOT / "nowhere/module.py"]) == ["tests"]


def test_a_mutant_is_the_file_with_one_thing_in_it_broken() -> None:
    file = ROOT / "solver/charts/frame.py"
    for mutant in mutants_of(file):
        assert mutant.source != file.read_text()
        assert mutant.source.count("\n") >= file.read_text().count("\n") - mutant.old.count("\n")
        compile(mutant.source, file.name, "exec")


@pytest.mark.parametrize(
    ("figure", "ceiling", "sinks", "is_broken"),
    [
        (100, 100, True, False),
        (101, 100, True, True),
        (101, 100, False, True),
        (98, 100, True, False),
        (97, 100, True, True),
        (10, 100, False, False),
    ],
)
def test_a_ceiling_is_broken_from_above_and_follows_what_sinks(
    figure: int, ceiling: int, sinks: bool, is_broken: bool
) -> None:
    assert bool(broken("lines", figure, ceiling, sinks=sinks)) == is_broken
