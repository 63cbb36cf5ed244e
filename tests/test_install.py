"""uv installs where it can be had, pip elsewhere, and both look where pip is told to."""

import subprocess
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

import install

Ran = list[list[str]]


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Collection[str]], Ran]:
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
    ran: Callable[[Collection[str]], Ran], tmp_path: Path
) -> None:
    seen = ran(())
    assert install.main("play") == 0
    assert (tmp_path / ".venv" / "bin" / "python").exists()
    fetch, done = seen
    assert fetch[1:3] == ["-m", "pip"]
    assert fetch[-3:] == ["--target", str(tmp_path / ".uv"), "uv"]
    assert done[0] == str(tmp_path / ".uv" / "bin" / "uv")
    assert done[-4:] == ["--constraint", "constraints.txt", "--editable", ".[terminal]"]


@pytest.mark.parametrize("fails", ["--target", ".uv/bin/uv"])
def test_where_uv_is_not_to_be_had_or_fails_pip_does_it(
    ran: Callable[[Collection[str]], Ran], fails: str, tmp_path: Path
) -> None:
    seen = ran([fails])
    assert install.main("dev") == 0
    assert seen[-1][:3] == [sys.executable, "-m", "pip"]
    python = str(tmp_path / ".venv" / "bin" / "python")
    assert seen[-1][seen[-1].index("--python") + 1] == python
    assert seen[-1][-1] == ".[dev]"


def test_what_could_not_be_installed_is_told_by_the_status(
    ran: Callable[[Collection[str]], Ran],
) -> None:
    ran(["pip"])
    assert install.main("play") == 1


def test_the_newest_python_is_looked_for_and_else_this_one_is_named(
    ran: Callable[[Collection[str]], Ran], capsys: pytest.CaptureFixture[str]
) -> None:
    seen = ran([install.NEWEST, "install"])
    assert install.find_newest_python() == sys.executable
    assert seen[0][0] == install.NEWEST
    (line,) = capsys.readouterr().err.splitlines()
    assert sys.executable in line
    ran(())
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
