"""What is left out of a run is told in a line, whoever runs it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
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
    config = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(cases.parent)]
    command = [sys.executable, "-m", "pytest", *config, "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *options, str(cases)], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_a_change_tries_one_of_what_is_sampled_and_says_what_it_left_out(cases: Path) -> None:
    """A worker tells who started it."""
    tells_what_is_left_out(said(cases, "-v", "--randomly-seed=2", "--numprocesses=1"))


@pytest.mark.nightly
def test_the_same_one_is_tried_whoever_collects_them_in_whatever_order(cases: Path) -> None:
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
    """Pytest runs nothing at all if one of many files is missing."""
    targets = ("test-postgres", "test-newest")
    done = subprocess.run(
        ["make", "--dry-run", *targets], cwd=ROOT, check=True, capture_output=True, text=True
    )
    named = set(re.findall(r"tests/\S+\.py", done.stdout))
    assert len(named) > 50
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
