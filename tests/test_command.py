"""Tests of the command yatzy, and of all commands that pages and documents show."""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import pytest
from django.core.management import get_commands, load_command_class
from django.db import DatabaseError

from game.management.commands import judge
from solver.cli import COMMANDS, make_parser
from solver.players import base
from yatzy_site.command import main, map_site_commands

ROOT = Path(__file__).resolve().parent.parent


def commands_below(parser: argparse.ArgumentParser, *above: str) -> Iterator[tuple[str, ...]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield (*above, name)
                yield from commands_below(below, *above, name)


OF_SOLVER = dict.fromkeys(below for name in COMMANDS for below in commands_below(make_parser(name)))
EVERY_COMMAND = [*((name,) for name in map_site_commands()), *OF_SOLVER]


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
    assert set(told) == {*map_site_commands(), "manage", *COMMANDS}
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
    monkeypatch.setenv("YATZY_VAR", str(tmp_path))  # elsewhere, the lab may know every player
    # Start like a new process: another test may have opened the players with their table.
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


PROGRAMS = ("./yatzy ", "make ", "python3 ", ".venv/bin/python ")


class Printed(NamedTuple):
    document: str
    words: tuple[str, ...]
    remark: str

    def __str__(self) -> str:
        return f"{self.document}: {' '.join(self.words)}"


def printed() -> Iterator[Printed]:
    """Yield the commands in all documents. A backslash at a line's end joins the next line."""
    for document in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]):
        text = re.sub(r"\\\n\s*", "", document.read_text())
        text = re.sub(r"\$\(.*?\)", "1", text)
        for block in re.findall(r"^```\w*\n(.*?)^```|((?:^    .+\n)+)", text, re.M | re.S):
            for line in "".join(block).splitlines():
                command, _, remark = line.strip().partition(" #")
                if command.startswith(PROGRAMS):
                    words = shlex.split(command)
                    yield Printed(str(document.relative_to(ROOT)), tuple(words), remark.strip())


PRINTED = list(dict.fromkeys(printed()))


def read(words: tuple[str, ...]) -> None:
    """Let a command parse its options but do nothing else. A wrong option raises SystemExit."""
    program, *rest = words
    if program == "make":
        makefile = (ROOT / "Makefile").read_text()
        for word in rest:
            name, is_variable, _value = word.partition("=")
            found = rf"\$\({name}\)" if is_variable else f"^{name}:"
            assert re.search(found, makefile, re.M), word
    elif program == "./yatzy" and rest[0] == "manage":
        load_command_class(get_commands()[rest[1]], rest[1]).create_parser("yatzy", rest[1])
    elif program == "./yatzy" and rest[0] in map_site_commands():
        app = map_site_commands()[rest[0]]
        parser = load_command_class(app, rest[0]).create_parser("yatzy", rest[0])
        parser.parse_args(rest[1:])
    elif program == "./yatzy":
        command = rest[rest[0] == "solver" :]
        make_parser(command[0]).parse_args(command)
    elif rest[0] != "-m":
        places = [ROOT, ROOT / "docs", *(ROOT / "game").rglob("scripts")]
        assert any((folder / rest[0]).exists() for folder in places), rest[0]


@pytest.mark.parametrize("command", PRINTED, ids=str)
def test_a_printed_command_has_the_options_of_its_program(command: Printed) -> None:
    try:
        read(command.words)
    except SystemExit as ended:
        if ended.code:  # 0 after --help
            raise


# Commands that take hours or need more than a checkout; other tests run them.
NEEDS_MORE = {
    r"make |install\.py": "the whole checkout",
    r"yatzy (update|serve|restore|backup|doctor|manage|judge|forget)": "a site",
    r"too_good|verify_game": "games",
    r"my_bots|my-bot|\./bot|kit|theirs|contest:": "a bot of the reader's",
    r"verify\w*\.py|rebuild\.py": "a file or a game of the reader's",
    r"learn (train|td|measure|ablate|report|grade)|sb3|--watch|--load": "hours, or what they made",
    r"maxi|saved|yatzy prepare$|lab_prepare|--games 1000000": "an hour",
    r"score answers": "the answers of a player",
    r"my\.yaml|trial_export|--like people": "a trial of the reader's",
}


def run(words: Sequence[str], folder: Path) -> str:
    shell = {"PATH": os.defpath, "HOME": str(folder), "LANG": "C.UTF-8"}
    shell |= {"YATZY_VAR": str(folder / "var"), "YATZY_TABLES": str(ROOT / "var/test/tables")}
    ended = subprocess.run(
        words, cwd=folder, env=shell, capture_output=True, text=True, timeout=600
    )
    assert ended.returncode == 0, f"{words}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


def check(command: Printed, folder: Path) -> None:
    """Run the command. It must print, rounded, each figure in the remark next to it."""
    found = [Decimal(figure) for figure in re.findall(r"\d+\.\d+", run(command.words, folder))]
    for figure in map(Decimal, re.findall(r"\d+\.\d+", command.remark)):
        assert figure in {number.quantize(figure) for number in found}, found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (".venv", "docs", "manage.py", "yatzy"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "throws.csv").write_text("1,2,3,4,5\n6,5,4,3,2\n2,4,6,1,3\n" * 40)
    return tmp_path


ALONE = [one for one in PRINTED if not re.search("|".join(NEEDS_MORE), " ".join(one.words))]
FIRST = [line for line in ALONE if line.document == "README.md" and "solver" in line.words]


@pytest.mark.usefixtures("yatzy_tables")
@pytest.mark.parametrize("command", FIRST, ids=str)
def test_the_readmes_commands_of_the_solver_print_its_figures(
    command: Printed, folder: Path
) -> None:
    check(command, folder)


OTHERS = [command for command in ALONE if command not in FIRST]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("migrated")
    run([str(ROOT / "yatzy"), "manage", "migrate"], folder)
    return next((folder / "var").glob("*.sqlite3"))


@pytest.mark.nightly
@pytest.mark.usefixtures("all_tables")
@pytest.mark.parametrize("command", OTHERS, ids=str)
def test_a_printed_command_runs_in_a_clean_shell(
    command: Printed, folder: Path, database: Path
) -> None:
    (folder / "var").mkdir()
    shutil.copy(database, folder / "var")
    check(command, folder)
