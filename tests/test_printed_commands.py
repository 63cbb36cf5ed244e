"""Every command that a document prints: its options are read, and it is run in a clean shell.

A change runs the quick ones whose result the document prints; each night runs all but those of
``NEEDS_MORE``, which says of each what a checkout alone does not have.
"""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import pytest
from django.core.management import get_commands, load_command_class

from solver.cli import make_parser
from yatzy_site.command import list_site_commands

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ("./yatzy ", "make ", "python3 ", ".venv/bin/python ")


class Printed(NamedTuple):
    document: str
    words: tuple[str, ...]
    remark: str

    def __str__(self) -> str:
        return f"{self.document}: {' '.join(self.words)}"


def printed() -> Iterator[Printed]:
    """Yield the commands of all documents; a line that ends in a backslash goes on in the next."""
    for document in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]):
        text = re.sub(r"\\\n\s*", "", document.read_text())
        text = re.sub(r"\$\(.*?\)", "1", text)
        for block in re.findall(r"^```\w*\n(.*?)^```|((?:^    .+\n)+)", text, re.M | re.S):
            for line in "".join(block).splitlines():
                command, _, remark = line.strip().partition(" #")
                if command.startswith(PROGRAMS):
                    words = shlex.split(command)
                    yield Printed(str(document.relative_to(ROOT)), tuple(words), remark.strip())


COMMANDS = list(dict.fromkeys(printed()))


def read(words: tuple[str, ...]) -> None:
    """Let the program of a command read its options; what is wrong ends in SystemExit."""
    program, *rest = words
    if program == "make":
        makefile = (ROOT / "Makefile").read_text()
        for word in rest:
            name, is_variable, _value = word.partition("=")
            found = rf"\$\({name}\)" if is_variable else f"^{name}:"
            assert re.search(found, makefile, re.M), word
    elif program == "./yatzy" and rest[0] == "manage":
        load_command_class(get_commands()[rest[1]], rest[1]).create_parser("yatzy", rest[1])
    elif program == "./yatzy" and rest[0] in list_site_commands():
        parser = load_command_class("game", rest[0]).create_parser("yatzy", rest[0])
        parser.parse_args(rest[1:])
    elif program == "./yatzy":
        command = rest[rest[0] == "solver" :]
        make_parser(command[0]).parse_args(command)
    elif rest[0] != "-m":
        places = [ROOT, ROOT / "docs", *(ROOT / "game").rglob("scripts")]
        assert any((folder / rest[0]).exists() for folder in places), rest[0]


@pytest.mark.parametrize("command", COMMANDS, ids=str)
def test_a_printed_command_has_the_options_of_its_program(command: Printed) -> None:
    try:
        read(command.words)
    except SystemExit as ended:
        if ended.code:  # none after --help
            raise


# What a checkout alone does not have, or hours: other tests try these with what they need.
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


def runs_alone(command: Printed) -> bool:
    return not any(re.search(needed, " ".join(command.words)) for needed in NEEDS_MORE)


def run(words: Sequence[str], folder: Path) -> str:
    shell = {"PATH": os.defpath, "HOME": str(folder), "LANG": "C.UTF-8"}
    shell |= {"YATZY_VAR": str(folder / "var"), "YATZY_TABLES": str(ROOT / "var/test/tables")}
    ended = subprocess.run(
        words, cwd=folder, env=shell, capture_output=True, text=True, timeout=600
    )
    assert ended.returncode == 0, f"{words}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


def check(command: Printed, folder: Path) -> None:
    """Run it; each figure of the remark beside it is one that it printed, rounded."""
    found = [Decimal(figure) for figure in re.findall(r"\d+\.\d+", run(command.words, folder))]
    for figure in map(Decimal, re.findall(r"\d+\.\d+", command.remark)):
        assert figure in {number.quantize(figure) for number in found}, found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (".venv", "docs", "manage.py", "yatzy"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "throws.csv").write_text("1,2,3,4,5\n6,5,4,3,2\n2,4,6,1,3\n" * 40)
    return tmp_path


ALONE = [command for command in COMMANDS if runs_alone(command)]
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
