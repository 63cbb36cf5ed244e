"""``yatzy``: one name for the commands of the site and of the solver; and how it is installed."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from solver.cli import summaries
from yatzy_site.command import main, site_commands

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("arguments", [[], ["--help"], ["help"]])
def test_it_lists_every_command_with_what_it_does(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 0
    told = {
        line.split()[0]: line.split(maxsplit=1)[1]
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("  ")
    }
    assert set(told) == {*site_commands(), "manage", *summaries()}
    assert all(len(sentence) > 15 for sentence in told.values())
    assert {"play", "trial_create", "solve", "distribution"} <= set(told)


def test_a_command_of_the_solver_is_the_solvers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["value", "kniffel"]) == 2
    assert "unknown ruleset 'kniffel'" in capsys.readouterr().err


def test_a_mistyped_command_is_told_from_which_program(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["slove"])
    assert ended.value.code == 2
    assert "yatzy" in capsys.readouterr().err


def test_a_command_of_the_site_is_djangos(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["play", "--help"])
    assert ended.value.code == 0
    assert "--port" in capsys.readouterr().out


def test_manage_reaches_everything_of_django() -> None:
    code = "from yatzy_site.command import main; main(['manage', 'showmigrations', '--plan', '-h'])"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert "showmigrations" in done.stdout


def test_it_is_the_entry_point_and_only_a_checkout_is_installed() -> None:
    facts = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert facts["project"]["scripts"] == {"yatzy": "yatzy_site.command:main"}
    refused = facts["tool"]["setuptools"]["cmdclass"]
    assert {name: path.rpartition(".")[0] for name, path in refused.items()} == {
        "bdist_wheel": "yatzy_site.checkout",
        "sdist": "yatzy_site.checkout",
    }
