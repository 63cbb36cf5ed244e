"""Tests that each program of a checkout reads the same settings as the installed service."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Collection
from contextlib import closing, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import install
from game.management import releases
from tests.game.processes import ROOT
from yatzy_site import command, settings_file


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "settings.env"
    monkeypatch.setenv("YATZY_SETTINGS", str(path))
    for name in ("HERE_A", "HERE_B", "HERE_C"):
        monkeypatch.setenv(name, "")  # pytest restores the variable, whatever the program changes
        monkeypatch.delenv(name)
    return path


def test_what_the_file_says_holds_where_the_environment_says_nothing(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written.write_text('# a\n; b\n\n HERE_A = "one=1 # \'"\n'.replace(" = ", "=") + "HERE_B= 2 \n")
    assert settings_file.read() == (written, ())
    assert (os.environ["HERE_A"], os.environ["HERE_B"]) == ("one=1 # '", "2")
    monkeypatch.setenv("HERE_B", "3")
    assert settings_file.read() == (written, ("HERE_B",))
    assert os.environ["HERE_B"] == "3"


@pytest.mark.parametrize(("value", "meant"), [("'a", "'a"), ('"', '"'), ("'a\"", "'a\""), ("", "")])
def test_only_quotes_around_a_value_are_none_of_it(written: Path, value: str, meant: str) -> None:
    written.write_text(f"HERE_A={value}\n")
    settings_file.read()
    assert os.environ["HERE_A"] == meant


def test_a_line_that_cannot_be_meant_is_named_and_not_shown(written: Path) -> None:
    written.write_text("HERE_A=1\nexport SECRET_KEY=hidden\n")
    with pytest.raises(SystemExit, match=r"line 2, is not NAME=value$"):
        settings_file.read()
    assert "HERE_A" not in os.environ


def test_a_file_that_is_named_and_cannot_be_read_stops_everything(written: Path) -> None:
    with pytest.raises(SystemExit, match="cannot be read"):
        settings_file.read()


def test_without_a_name_the_one_of_the_checkout_is_read_even_where_its_link_leads_nowhere(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("YATZY_SETTINGS")
    monkeypatch.setattr(settings_file, "USUAL", written)
    assert settings_file.read() == (None, ())
    written.symlink_to(written.with_name("elsewhere"))
    with pytest.raises(SystemExit, match="cannot be read"):
        settings_file.read()
    written.with_name("elsewhere").write_text("HERE_C=1")
    assert settings_file.read() == (written, ())
    monkeypatch.setenv("YATZY_SETTINGS", "")
    assert settings_file.read() == (None, ())


def ask(written: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    told = {**kept, "YATZY_SETTINGS": str(written), "MAKE_TABLES": "off"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=told, capture_output=True, text=True, check=False)


YATZY = ("-c", "import sys; from yatzy_site.command import main; sys.exit(main())")


def test_a_copy_made_next_to_a_service_is_of_its_database(written: Path) -> None:
    """A backup once copied an empty database, without any message."""
    database = written.with_name("of the site.sqlite3")
    written.write_text(f"YATZY_VAR={written.parent}/var\nDATABASE_URL=sqlite:///{database}\n")
    none = ask(written, "manage.py", "backup", str(written.with_name("copy")))
    assert none.returncode == 1
    assert f"SQLite {database} has no tables" in none.stderr
    assert not written.with_name("copy").exists()
    with closing(sqlite3.connect(database)) as site:
        site.execute("CREATE TABLE game_game (id)")
    done = ask(written, *YATZY, "backup", str(written.with_name("copy")))
    assert f"bytes of SQLite {database}, games: 0" in done.stdout


def test_the_solver_has_them_too(written: Path) -> None:
    written.write_text(f"YATZY_TABLES={written.parent}/tables\n")
    assert f"{written.parent}/tables" in ask(written, *YATZY, "verify").stderr


@pytest.mark.parametrize(
    ("name", "value", "key"),
    [
        ("DATABASE_URL", "", ""),
        ("DATABASE_URL", " ", ""),
        ("DATABASE_URL", "the-password", "SECRET_KEY=k"),
        ("YATZY_VAR", "/dev/null/var", ""),
        ("YATZY_VAR", "/dev/null/var", "SECRET_KEY=k"),
    ],
)
def test_a_setting_that_cannot_be_meant_ends_in_one_sentence(
    written: Path, name: str, value: str, key: str
) -> None:
    told = {"YATZY_VAR": f"{written.parent}/var"} | {name: value}
    written.write_text("\n".join([key, *(f"{one}={what}" for one, what in told.items())]))
    ended = ask(written, "-c", "import yatzy_site.settings")
    assert ended.returncode == 1
    (line,) = ended.stderr.splitlines()
    assert line.startswith(value if name == "YATZY_VAR" else name)
    assert "the-password" not in line


@pytest.fixture
def became(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, object]]:
    """Pretend that root runs the program. Return the list of its later changes of user."""
    seen: list[tuple[str, object]] = []
    monkeypatch.setenv("YATZY_VAR", str(tmp_path))
    monkeypatch.setenv("HOME", "/root")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for name in ("setgroups", "setgid", "setuid"):
        monkeypatch.setattr(os, name, lambda value, name=name: seen.append((name, value)))
    return seen


def owned(monkeypatch: pytest.MonkeyPatch, user: int) -> None:
    monkeypatch.setattr(Path, "stat", lambda *_, **__: SimpleNamespace(st_uid=user, st_gid=7))
    monkeypatch.setattr(Path, "exists", lambda *_: True)


def test_root_becomes_the_service_whose_files_these_are(
    became: list[tuple[str, object]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    owned(monkeypatch, 10001)
    command.become_the_service()
    assert became == [("setgroups", []), ("setgid", 7), ("setuid", 10001)]
    assert os.environ["HOME"] == str(tmp_path)


def test_nobody_else_becomes_anybody(
    became: list[tuple[str, object]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("YATZY_VAR", str(tmp_path / "not yet"))
    command.become_the_service()
    monkeypatch.delenv("YATZY_VAR")
    command.become_the_service()
    owned(monkeypatch, 0)
    monkeypatch.setenv("YATZY_VAR", str(tmp_path))
    command.become_the_service()
    owned(monkeypatch, 10001)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    command.become_the_service()
    assert became == []


# Parts that a new version needs


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    seen: list[str] = []

    def run(*words: str | Path) -> None:
        seen.append(" ".join(str(word) for word in words[1:]))

    monkeypatch.setattr(releases, "_run", run)
    monkeypatch.setattr(releases, "ROOT", tmp_path)
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["pytest[a]>=1"]\n')
    return seen


def test_packages_are_installed_where_they_are_others_or_missing(
    ran: list[str], tmp_path: Path
) -> None:
    pinned, pyproject = tmp_path / "constraints.txt", tmp_path / "pyproject.toml"
    pinned.write_text(f"# pins\npytest=={pytest.__version__}\nnot-there==1.0\n")
    releases.renew()
    assert ran == ["-m game.management.catalogues"]
    pinned.write_text("pytest==0.1\n")
    assert releases.list_differing_packages() == [f"pytest {pytest.__version__}, not 0.1"]
    pinned.write_text("")
    pyproject.write_text('[project]\ndependencies = ["not-there~=1.0"]\n')
    assert releases.list_differing_packages() == ["not-there is missing"]
    releases.renew()
    assert ran[1:] == [f"{tmp_path}/install.py site", "-m game.management.catalogues"]


def test_what_fails_ends_the_update(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(releases, "list_differing_packages", list)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(
        SystemExit, match=r"command failed: /bin/false -m game.management.catalogues"
    ):
        releases.renew()


def test_only_an_update_renews_the_checkout(
    ran: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "constraints.txt").write_text("")
    for arguments in (["help"], ["update", "--help"], ["backup", "--help"]):
        with suppress(SystemExit):
            command.main(arguments)
    assert ran == []
    with pytest.raises(SystemExit):
        command.main(["update", "--no-such-thing"])
    assert ran == ["-m game.management.catalogues"]


Ran = list[list[str]]


@pytest.fixture
def installs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Collection[str]], Ran]:
    seen: Ran = []
    monkeypatch.setattr(install, "HERE", tmp_path)
    monkeypatch.setattr(install, "UV", tmp_path / ".uv" / "bin" / "uv")

    def failing(words: Collection[str]) -> Ran:
        def run(command: install.Command, **_: Any) -> bool:
            seen.append([str(word) for word in command])
            return not any(word in part for word in words for part in seen[-1])

        monkeypatch.setattr(install, "try_command", run)
        return seen

    return failing


def test_uv_is_fetched_into_the_checkout_and_installs_what_is_pinned(
    installs: Callable[[Collection[str]], Ran], tmp_path: Path
) -> None:
    seen = installs(())
    assert install.main("play") == 0
    assert (tmp_path / ".venv" / "bin" / "python").exists()
    fetch, done = seen
    assert fetch[1:3] == ["-m", "pip"]
    assert fetch[-3:] == ["--target", str(tmp_path / ".uv"), "uv"]
    assert done[0] == str(tmp_path / ".uv" / "bin" / "uv")
    assert done[-4:] == ["--constraint", "constraints.txt", "--editable", ".[terminal]"]


@pytest.mark.parametrize("fails", ["--target", ".uv/bin/uv"])
def test_where_uv_is_not_to_be_had_or_fails_pip_does_it(
    installs: Callable[[Collection[str]], Ran], fails: str, tmp_path: Path
) -> None:
    seen = installs([fails])
    assert install.main("dev") == 0
    assert seen[-1][:3] == [sys.executable, "-m", "pip"]
    python = str(tmp_path / ".venv" / "bin" / "python")
    assert seen[-1][seen[-1].index("--python") + 1] == python
    assert seen[-1][-1] == ".[dev]"


def test_what_could_not_be_installed_is_told_by_the_status(
    installs: Callable[[Collection[str]], Ran],
) -> None:
    installs(["pip"])
    assert install.main("play") == 1


def test_the_newest_python_is_looked_for_and_else_this_one_is_named(
    installs: Callable[[Collection[str]], Ran], capsys: pytest.CaptureFixture[str]
) -> None:
    seen = installs([install.NEWEST, "install"])
    assert install.find_newest_python() == sys.executable
    assert seen[0][0] == install.NEWEST
    (line,) = capsys.readouterr().err.splitlines()
    assert sys.executable in line
    installs(())
    seen.clear()
    assert install.find_newest_python() == install.NEWEST
    assert len(seen) == 1


def test_uv_looks_where_pip_is_told_to_and_a_variable_counts_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = [
        ":env:.index-url='https://new.example/simple'",
        "global.cert='/etc/ssl/own.pem'",
        "global.extra-index-url='https://a.example/simple\\nhttps://b.example/simple'",
        "global.find-links='/a /b'",
        "global.index-url='https://old.example/simple'",
        "global.timeout='60'",
    ]

    def run(*_: Any, **__: Any) -> Any:
        return subprocess.CompletedProcess((), 0, "\n".join(told))

    monkeypatch.setattr("subprocess.run", run)
    assert install.read_pip_settings() == {
        "UV_DEFAULT_INDEX": "https://new.example/simple",
        "UV_INDEX": "https://a.example/simple https://b.example/simple",
        "UV_FIND_LINKS": "/a,/b",
        "SSL_CERT_FILE": "/etc/ssl/own.pem",
    }
