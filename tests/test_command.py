"""``yatzy``: one name for the commands of the site and of the solver; and how it is installed."""

import argparse
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import DatabaseError

from game.management.commands import judge
from solver.cli import COMMANDS, make_parser
from solver.players import base
from yatzy_site.command import list_site_commands, main

ROOT = Path(__file__).resolve().parent.parent


def commands_below(parser: argparse.ArgumentParser, *above: str) -> Iterator[tuple[str, ...]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield (*above, name)
                yield from commands_below(below, *above, name)


OF_SOLVER = dict.fromkeys(below for name in COMMANDS for below in commands_below(make_parser(name)))
EVERY_COMMAND = [*((name,) for name in list_site_commands()), *OF_SOLVER]


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
    assert set(told) == {*list_site_commands(), "manage", *COMMANDS}
    assert all(len(sentence) > 15 for sentence in told.values())
    assert {"play", "trial_create", "solve", "distribution"} <= set(told)


def test_every_command_that_a_module_adds_has_a_line() -> None:
    assert {name for name, *_ in OF_SOLVER} == set(COMMANDS)


@pytest.mark.parametrize("above", [[], ["solver"]])
def test_a_command_of_the_solver_is_the_solvers(
    above: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*above, "value", "kniffel"]) == 2
    assert "unknown ruleset 'kniffel'" in capsys.readouterr().err


def test_a_mistyped_command_is_told_from_which_program(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["slove"])
    assert ended.value.code == 2
    assert "yatzy" in capsys.readouterr().err


def test_a_command_of_the_site_is_djangos(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["play", "--help"])
    assert ended.value.code == 0
    assert "--port" in capsys.readouterr().out


@pytest.mark.parametrize("command", EVERY_COMMAND, ids=" ".join)
def test_every_command_explains_itself(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command, "--help"])
    assert ended.value.code == 0
    assert "usage:" in capsys.readouterr().out


WITHOUT_TABLES = """
verify
value yatzy
advise yatzy --dice 1,2,3,4,5 --rolls-left 2
win yatzy --target 5
audit
distribution optimal
evaluate optimal
simulate optimal --games 1
same-value --games 1
study
learn grade greedy
learn report --ruleset yatzy
bench study
drill_pool --ruleset yatzy
lab_prepare
peers --ruleset yatzy
"""


@pytest.mark.parametrize("command", WITHOUT_TABLES.strip().splitlines())
def test_what_needs_a_table_says_how_to_make_one(
    command: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("YATZY_TABLES", str(tmp_path))
    monkeypatch.setenv("YATZY_VAR", str(tmp_path))  # whose lab knows every player after a whole run
    # As in a new process: another test may have opened the players with their table.
    monkeypatch.setattr(base, "_open_agent", base._open_agent.__wrapped__)
    assert status_of(command) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines()[-1].endswith("run `./yatzy solver solve yatzy`")


def status_of(command: str) -> object:
    try:
        return main(command.split())
    except SystemExit as ended:
        return ended.code


@pytest.mark.sampled("command")
@pytest.mark.parametrize(
    "command", ["judge", "trial_export people --out x", "createsuperuser --noinput"]
)
def test_a_database_that_was_never_made_is_told_in_a_line(command: str, tmp_path: Path) -> None:
    who = {"DJANGO_SUPERUSER_USERNAME": "anna", "DJANGO_SUPERUSER_EMAIL": ""}
    environment = os.environ | who | {"YATZY_VAR": str(tmp_path)}
    environment.pop("DATABASE_URL", None)
    asked = [sys.executable, "manage.py", *command.split(), "--skip-checks"]
    done = subprocess.run(asked, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "the database is not ready: run `./yatzy update`\n"


@pytest.mark.django_db
def test_a_fault_of_our_own_is_not_told_as_a_lack(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise DatabaseError("no such column")

    monkeypatch.setattr(judge.Command, "handle", fails)
    with pytest.raises(DatabaseError):
        main(["judge"])


def test_manage_reaches_everything_of_django(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of("manage showmigrations --plan -h") == 0
    assert "showmigrations" in capsys.readouterr().out


def test_it_is_the_entry_point_and_only_a_checkout_is_installed() -> None:
    facts = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert facts["project"]["scripts"] == {"yatzy": "yatzy_site.command:main"}
    refused = facts["tool"]["setuptools"]["cmdclass"]
    assert {name: path.rpartition(".")[0] for name, path in refused.items()} == {
        "bdist_wheel": "yatzy_site.checkout",
        "sdist": "yatzy_site.checkout",
    }


def run_launcher(launcher: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [launcher, *arguments],
        check=False,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin"},
        cwd="/",
    )


def test_the_launcher_needs_no_activation() -> None:
    done = run_launcher(ROOT / "yatzy", "solver", "value", "kniffel")
    assert (done.returncode, done.stdout) == (2, "")
    assert "kniffel" in done.stderr


def test_the_launcher_of_a_fresh_clone_says_what_to_run(tmp_path: Path) -> None:
    launcher = tmp_path / "yatzy"
    launcher.write_bytes((ROOT / "yatzy").read_bytes())
    launcher.chmod(0o755)
    done = run_launcher(launcher, "play")
    assert (done.returncode, done.stdout) == (2, "")
    assert "make play" in done.stderr
