"""Tests of the run on PostgreSQL and Redis: it reports only real runs, and hides no fault."""

import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import services

ASK = "import os; print(os.environ['DATABASE_URL'], os.environ['REDIS_URL']); raise SystemExit(5)"


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "found", lambda _: None)


@pytest.mark.usefixtures("nothing_installed")
def test_who_may_install_nothing_is_told_what_was_not_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert services.main(["false"]) == 0
    said = capsys.readouterr().err
    assert "NOT RUN on PostgreSQL and Redis" in said
    assert "postgresql and redis-server" in said


@pytest.mark.usefixtures("nothing_installed")
def test_a_package_that_cannot_be_had_is_no_fault_and_its_reason_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(command: list[str], **_: object) -> None:
        raise subprocess.CalledProcessError(100, command, stderr="no such index")

    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(subprocess, "run", refused)
    assert services.main(["false"]) == 0
    assert "apt-get update: no such index" in capsys.readouterr().err


def test_a_server_that_does_not_start_fails_the_run_with_what_it_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def broken(*_: object) -> services.Service:
        command = [sys.executable, "-c", "raise SystemExit('no room on the disk')"]
        return services.Service("", tmp_path / "log", command, lambda _: False)

    monkeypatch.setattr(services, "_servant", lambda: None)
    monkeypatch.setattr(services, "programs", dict)
    monkeypatch.setattr(services, "postgres", broken)
    assert services.main(["false"]) == 1
    assert "no room on the disk" in capsys.readouterr().err


def test_the_command_is_told_of_both_and_its_failure_is_that_of_the_run(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(services, "programs", dict)
    monkeypatch.setattr(
        services, "postgres", lambda *_: nullcontext(SimpleNamespace(url="postgres://here/x"))
    )
    monkeypatch.setattr(
        services, "redis_server", lambda *_: nullcontext(SimpleNamespace(url="redis://there"))
    )
    assert services.main([sys.executable, "-c", ASK]) == 5
    assert capfd.readouterr().out.strip() == "postgres://here/x redis://there"


# Python handles SIGINT in a server; a shell starts background processes with SIGINT ignored.
HEEDS = """
import pathlib, signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)
pathlib.Path("heeds").touch()
time.sleep(1000)
"""


def test_servers_end_with_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(services, "_servant", lambda: None)
    heeds = tmp_path / "heeds"
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def noted(*arguments: object, **more: object) -> subprocess.Popen[bytes]:
        started.append(popen(*arguments, **more))  # type: ignore[call-overload]
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", noted)
    command = [sys.executable, "-c", HEEDS]
    with services.Service("", tmp_path / "log", command, lambda _: heeds.exists()):
        assert started[0].poll() is None
    assert started[0].returncode is not None
