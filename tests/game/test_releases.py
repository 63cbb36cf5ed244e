"""A release is exchanged for the one that is served, and taken back when it is not ready."""

import os
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from signal import SIG_DFL, SIGHUP, SIGINT, raise_signal, signal
from threading import Thread
from typing import NamedTuple

import pytest

from game.management import releases
from yatzy_site import command

UPDATE = '#!/bin/sh\npwd >> "$(dirname "$0")/../../updated"\nexec test ! -e fails\n'


# It serves what the link names, and fails to start a release that crashes.
SYSTEMCTL = """#!/bin/sh
[ "$1" = restart ] || exit 0
rm -f {base}/stopped
readlink -f {base}/current > {base}/served
[ ! -e {base}/current/crashes ]
"""


class Site(NamedTuple):
    base: Path

    @property
    def served(self) -> str:
        """The commit that runs, which is what the link named at the last restart."""
        folder = Path((self.base / "served").read_text().strip())
        return releases.find_commit(folder, "HEAD")

    def release(self, *files: str) -> str:
        folder = self.base / "releases" / "first"
        for name in files:
            (folder / name).touch()
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "--allow-empty", "--message", "a version")
        commit = releases.find_commit(folder, "HEAD")
        git(folder, "reset", "--quiet", "--hard", "HEAD~")
        return commit

    def restart(self) -> None:
        subprocess.run(["systemctl", "restart", "yatzy"], check=True)


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    base, first = tmp_path, tmp_path / "releases" / "first"
    first.mkdir(parents=True)
    (base / "current").symlink_to("releases/first")
    (first / "install.py").touch()
    (first / "yatzy").write_text(UPDATE)
    (first / "yatzy").chmod(0o755)
    git(first, "init", "--quiet")
    git(first, "add", ".")
    git(first, "commit", "--quiet", "--message", "first")
    tools = base / "tools"
    tools.mkdir()
    (tools / "systemctl").write_text(SYSTEMCTL.format(base=base))
    (tools / "systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    found = Site(base)

    class Ready(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if (base / "stopped").exists():
                return  # without an answer
            broken = (Path((base / "served").read_text().strip()) / "broken").exists()
            self.send_response(503 if broken else 200)
            self.end_headers()
            self.wfile.write(f'{{"version": "1 ({found.served})"}}'.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Ready)
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("YATZY_VAR", str(base / "var"))
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # which nobody is to ask
    monkeypatch.setattr(releases, "ROOT", first)
    monkeypatch.setattr(releases, "READY", f"http://127.0.0.1:{server.server_port}/readyz")
    monkeypatch.setattr(releases, "PATIENCE", 0.5)
    former = signal(SIGHUP, SIG_DFL)
    found.restart()
    yield found
    signal(SIGHUP, former)
    server.shutdown()
    server.server_close()


def test_a_release_that_is_ready_takes_the_place_of_the_former(site: Site) -> None:
    commit = site.release("new")
    (site.base / "releases" / "first" / "settings.env").write_text("HTTPS=1\n")
    assert command.main(["update", commit]) == 0
    assert site.served == commit
    assert (site.base / "current").resolve() == site.base / "releases" / commit
    assert (site.base / "current" / "settings.env").read_text() == "HTTPS=1\n"
    assert not (site.base / "releases" / "first" / "new").exists()  # what was served is untouched


@pytest.mark.parametrize("fault", ["broken", "crashes"])
def test_a_release_that_does_not_get_ready_goes_back_by_itself(site: Site, fault: str) -> None:
    before, commit = site.served, site.release(fault)
    with pytest.raises(SystemExit, match=f"{before} is served again"):
        releases.exchange(commit)
    assert site.served == before
    first = str(site.base / "releases" / "first")
    assert (site.base / "updated").read_text().split()[-1] == first  # its static files are back


def test_ctrl_c_while_the_new_release_starts_goes_back(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, commit = site.served, site.release("broken")
    signals = [SIGINT, SIGHUP]  # the terminal closes, then the user presses Ctrl+C
    monkeypatch.setattr(
        releases, "sleep", lambda _: raise_signal(signals.pop()) if signals else None
    )
    monkeypatch.setattr(releases, "PATIENCE", 60)
    with pytest.raises(SystemExit, match=f"{before} is served again"):
        releases.exchange(commit)
    assert site.served == before


def test_a_checkout_that_was_cut_short_is_made_whole(site: Site) -> None:
    commit = site.release("new")
    folder = site.base / "releases" / commit
    git(site.base / "releases" / "first", "worktree", "add", "--quiet", str(folder), commit)
    (folder / "new").unlink()
    releases.exchange(commit)
    assert (folder / "new").exists()


@pytest.mark.parametrize("beside", [["other"], ["--copy"]])
def test_a_version_is_given_alone(site: Site, beside: list[str]) -> None:
    with pytest.raises(SystemExit, match="nothing else"):
        command.main(["update", site.release(), *beside])


def test_an_update_that_fails_exchanges_nothing(site: Site) -> None:
    before, commit = site.served, site.release("fails")
    with pytest.raises(SystemExit, match=before):
        releases.exchange(commit)
    assert site.served == before
    first = str(site.base / "releases" / "first")
    assert (site.base / "updated").read_text().split()[-1] == first  # its static files are back


def test_the_former_server_that_still_answers_is_not_the_new_one(site: Site) -> None:
    commit = site.release("new")
    (site.base / "tools" / "systemctl").write_text("#!/bin/sh\n")  # restarts nothing
    with pytest.raises(SystemExit, match=f"{commit} did not become ready"):
        releases.exchange(commit)
    assert (site.base / "current").resolve() == site.base / "releases" / "first"


def test_a_site_that_was_stopped_is_told_the_way_back_and_not_started(site: Site) -> None:
    commit = site.release("broken")
    first = site.base / "releases" / "first"
    (site.base / "stopped").touch()
    with pytest.raises(SystemExit, match="restore"):
        releases.exchange(commit)
    assert (site.base / "current").resolve() == first
    assert site.served == commit


@pytest.mark.parametrize(("version", "says"), [("nowhere", "no version"), ("HEAD", "is served")])
def test_what_is_no_other_version_is_refused(site: Site, version: str, says: str) -> None:
    with pytest.raises(SystemExit, match=says):
        releases.exchange(version)


def test_a_site_that_is_not_ready_is_mended_first(site: Site) -> None:
    commit = site.release()
    (site.base / "releases" / "first" / "broken").touch()
    with pytest.raises(SystemExit, match="doctor"):
        releases.exchange(commit)
    assert not (site.base / "releases" / commit).exists()


def test_what_is_kept_may_not_lie_in_a_release(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YATZY_VAR", str(site.base / "releases" / "first" / "var"))
    with pytest.raises(SystemExit, match="YATZY_VAR"):
        releases.exchange(site.release())


def test_a_checkout_that_no_link_names_is_refused(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    (site.base / "current").unlink()
    with pytest.raises(SystemExit, match="git pull"):
        releases.exchange(site.release())
