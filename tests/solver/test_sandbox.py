"""Programs that leave, fill what is everybody's, or look around: what holds, and what walls add."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from solver.advice.wire import BadInput
from solver.arena.illegal import Disqualified
from solver.arena.programs import JsonProgram, Limits, family, sandbox
from solver.arena.programs.class_program import open_class
from solver.arena.programs.process import MEGABYTE
from solver.cli import main
from solver.rules.rulesets import YAHTZEE
from tests.solver.hostile import program

pytestmark = pytest.mark.skipif(not family.PROC.is_dir(), reason="needs Linux")
PATIENT = Limits(first=120, answer=120, goodbye=60)  # no machine is as slow as that
WALLED = replace(PATIENT, sandbox=True)
EVERYWHERE = pytest.mark.parametrize(
    "limits", [PATIENT, pytest.param(WALLED, marks=pytest.mark.needs("bwrap"))], ids=["", "walled"]
)
# What it starts leaves the session, the parent and the environment by which it was known.
LEAVES = """
def leave(environment={{}}):
    ours, theirs = os.pipe()
    if not os.fork():
        os.setsid()
        if os.fork():
            os._exit(0)
        os.execve("/bin/sh", ["sh", "-c", "while :; do sleep 0.1; done; : {name}"], environment)
    os.close(theirs)
    os.read(ours, 1)  # nothing: it ends where the other program has begun, not before

def new(message):
    leave()
    {then}
    return {{"ok": True}}
"""


def of(folder: Path, *changes: str, limits: Limits = PATIENT) -> JsonProgram:
    return JsonProgram(program(folder, *changes), YAHTZEE, limits)


def fault(agent: JsonProgram) -> str:
    with agent, pytest.raises(Disqualified) as ended:
        agent.begin(1)
    return ended.value.reason


def run_inside(folder: Path, code: str, limits: Limits) -> str:
    """Return the value of the expression in the place where the program runs."""
    return fault(of(folder, f"def new(message): return {{'error': repr(({code}))}}", limits=limits))


@pytest.fixture
def name(tmp_path: Path) -> Iterator[str]:
    """A name by which the test finds a daemon whatever it does, and ends it afterwards."""
    yield f"daemon-{tmp_path.name}-{os.getpid()}"
    for process in running(f"daemon-{tmp_path.name}-{os.getpid()}"):
        os.kill(process, signal.SIGKILL)


def running(name: str) -> list[int]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if name in (process / "cmdline").read_text():
                found.append(int(process.name))
    return found


@EVERYWHERE
@pytest.mark.parametrize(
    "then", ["os._exit(4)", "print('hm')", "os.killpg(0, 9)"], ids=["exits", "errs", "kills"]
)
def test_who_left_for_good_ends_with_the_program(
    tmp_path: Path, name: str, then: str, limits: Limits
) -> None:
    fault(of(tmp_path, LEAVES.format(name=name, then=then), limits=limits))
    assert running(name) == []


@EVERYWHERE
def test_who_left_is_counted_and_ends_when_nobody_asks_any_more(
    tmp_path: Path, name: str, limits: Limits
) -> None:
    with of(tmp_path, LEAVES.format(name=name, then=""), limits=limits) as agent:
        agent.begin(1)
        assert running(name)
        process = agent._process
        members = family.find_processes(process._mark, besides=process._program.pid)
        assert set(running(name)) <= set(members)
        assert agent.close() == 0
        assert running(name) == []


@pytest.mark.parametrize("how", ["SIGKILL", "SIGSTOP"])
def test_a_keeper_that_its_program_attacks_has_the_family_ended_nevertheless(
    tmp_path: Path, name: str, how: str
) -> None:
    """Stopped it is woken; killed, there is the mark, which this one keeps."""
    kept = "leave(dict(os.environ))" if how == "SIGKILL" else ""
    then = f"{kept}; import signal; os.kill(os.getppid(), signal.{how}); time.sleep(9)".lstrip("; ")
    change = LEAVES.format(name=name, then=then)
    if how == "SIGKILL":
        change = change.replace("    leave()\n", "")
    limits = replace(PATIENT, answer=1)
    assert "SIGKILL" in fault(of(tmp_path, change, limits=limits)) or how == "SIGSTOP"
    assert running(name) == []


@EVERYWHERE
def test_nothing_outlives_the_process_that_started_it(
    tmp_path: Path, name: str, limits: Limits
) -> None:
    """This holds also if the starter is killed."""
    stays = "import atexit; atexit.register(time.sleep, 1000)"
    command = program(tmp_path, LEAVES.format(name=name, then=""), stays)
    code = f"""
from tests.solver.test_sandbox import *
agent = JsonProgram({command!r}, YAHTZEE, {limits!r})
agent.begin(1)
os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL
    until = time.monotonic() + 60
    while running(name) and time.monotonic() < until:
        time.sleep(0.05)
    assert running(name) == []


FILLS = "def new(m): open(sys.argv[0] + '.big', 'wb').write(bytes(3 << 20))"


def test_a_file_has_an_end(tmp_path: Path) -> None:
    """Python is told, where others are ended."""
    limits = replace(PATIENT, file=2 * MEGABYTE)
    assert "File too large" in fault(of(tmp_path, FILLS, limits=limits))
    assert (tmp_path / "hostile.py.big").stat().st_size == 2 * MEGABYTE
    with pytest.raises(Disqualified, match="wrote a file of more than 2 MB"):
        JsonProgram(f"dd if=/dev/zero of={tmp_path}/big bs=1M count=3", YAHTZEE, limits)


HOARDS = """
def new(message):
    held = [{open} for n in range(8)]
    for file in held: os.write(file, bytes(5 << 20))
    time.sleep(1000)
"""


@EVERYWHERE
def test_files_in_memory_count_as_memory(tmp_path: Path, limits: Limits) -> None:
    limits = replace(limits, memory=40 * MEGABYTE)
    hoards = HOARDS.format(open="os.memfd_create(str(n))")
    assert "used more than 40 MB of memory" in fault(of(tmp_path, hoards, limits=limits))


def test_what_many_hold_counts_once(tmp_path: Path) -> None:
    """A file in memory that was inherited; it is looked at while there is no answer."""
    shares = """
def new(message):
    held = os.memfd_create("held")
    os.write(held, bytes(30 << 20))
    children = [os.fork() or time.sleep(1000) for n in range(2)]
    time.sleep(1)
    return {"ok": True}
"""
    limits = replace(PATIENT, memory=75 * MEGABYTE, goodbye=0.2)
    with of(tmp_path, shares, limits=limits) as agent:
        agent.begin(1)


def test_files_of_shared_memory_count_as_memory_while_they_are_open(tmp_path: Path) -> None:
    path = f"'/dev/shm/yatzy-{os.getpid()}-' + str(n)"
    opened = f"(os.open({path}, os.O_CREAT | os.O_RDWR), os.unlink({path}))[0]"
    hoards = HOARDS.format(open=opened)
    limits = replace(PATIENT, memory=40 * MEGABYTE)
    assert "used more than 40 MB of memory" in fault(of(tmp_path, hoards, limits=limits))


# Within walls

walled = pytest.mark.needs("bwrap")
WRITES = """
def written(path, size):
    try:
        with open(path, "wb") as file:
            file.write(bytes(size))
    except OSError as error:
        return error.strerror
"""


@walled
@pytest.mark.parametrize("folder", sandbox.WRITABLE)
def test_folders_in_memory_are_small_and_nobody_elses(tmp_path: Path, folder: str) -> None:
    limits = replace(WALLED, room=MEGABYTE)
    path = f"{folder}/{tmp_path.name}-{os.getpid()}"
    tries = f"def new(message): return {{'error': [written('{path}', n) for n in (9, 2 << 20)]}}"
    assert "[None, 'No space left on device']" in fault(of(tmp_path, WRITES, tries, limits=limits))
    assert not Path(path).exists()


@walled
def test_everything_else_is_read_only(tmp_path: Path) -> None:
    here = Path.cwd()  # in memory where it lies in /tmp
    seen = ["/dev", "/etc", "/home", "/var", tmp_path, "/" if here.is_relative_to("/tmp") else here]
    places = [f"{place}/x" for place in seen]
    tries = f"def new(message): return {{'error': {{written(p, 9) for p in {places}}}.__repr__()}}"
    assert "{'Read-only file system'}" in fault(of(tmp_path, WRITES, tries, limits=WALLED))


@walled
def test_no_network_is_there(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        calls = (
            f"__import__('socket').socket().connect_ex(('127.0.0.1', {server.getsockname()[1]}))"
        )
        assert "refused: '0'" in run_inside(tmp_path, calls, PATIENT)
        assert "refused: '0'" not in run_inside(tmp_path, calls, WALLED)


@walled
def test_its_own_folder_is_seen_and_no_others_nor_their_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    own, others = tmp_path / "own", tmp_path / "others"
    own.mkdir()
    others.mkdir()
    seen = f"os.listdir('{own}'), os.path.exists('{others}'), 'SOME_TOKEN' in os.environ"
    assert "(['hostile.py'], True, True)" in run_inside(own, seen, PATIENT)
    assert "(['hostile.py'], False, False)" in run_inside(own, seen, WALLED)
    assert "refused: 'False'" in run_inside(own, f"os.path.exists('/proc/{os.getpid()}/x')", WALLED)
    alone = "len([name for name in os.listdir('/proc') if name.isdecimal()])"
    assert "refused: '2'" in run_inside(own, alone, WALLED)  # the sandbox's first process, and it


@walled
def test_a_home_is_hidden_wherever_it_is_and_a_program_in_it_is_seen_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with tempfile.TemporaryDirectory(dir=os.environ["YATZY_VAR"]) as home:
        monkeypatch.setenv("HOME", home)
        (Path(home) / "diary").touch()
        seen = f"os.listdir('{home}'), os.environ['HOME']"
        assert "(['hostile.py'], '/tmp')" in run_inside(Path(home), seen, WALLED)


@walled
def test_who_has_no_home_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/")
    with of(tmp_path, limits=WALLED) as agent:
        assert agent.name == "hostile"


@walled
def test_an_interpreter_is_found_where_it_can_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the one of a home, though it comes first."""
    (tmp_path / "python3").write_text("#!/bin/sh\necho mine\n")
    (tmp_path / "python3").chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    own = tmp_path / "own"
    own.mkdir()
    command = program(own).replace(sys.executable, "python3")
    with JsonProgram(command, YAHTZEE, WALLED) as agent:
        assert agent.name == "hostile"


@walled
def test_where_the_command_is_given_is_there_though_it_is_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, own = tmp_path / "here", tmp_path / "own"
    here.mkdir()
    own.mkdir()
    (here / "diary").touch()
    monkeypatch.chdir(here)
    assert f"('{here}', [])" in run_inside(own, "os.getcwd(), os.listdir()", WALLED)


@walled
def test_a_device_that_is_named_shows_no_others(tmp_path: Path) -> None:
    seen = "def new(m): return {'error': str(os.path.exists('/dev/kmsg'))}"
    assert "refused: 'False'" in fault(
        JsonProgram(f"{program(tmp_path, seen)} /dev/null", YAHTZEE, WALLED)
    )


@walled
def test_it_cannot_make_walls_of_its_own_where_more_is_allowed(tmp_path: Path) -> None:
    assert "refused: 'True'" in run_inside(
        tmp_path, "__import__('ctypes').CDLL(None).unshare(1 << 28) < 0", WALLED
    )


@walled
def test_how_it_ended_is_told_through_the_walls(tmp_path: Path) -> None:
    assert "was ended by SIGSEGV" in fault(
        of(tmp_path, "def new(m): os.kill(os.getpid(), 11)", limits=WALLED)
    )


TABLE = """
from solver.players import find_player

class Dummy:
    def __new__(cls, rules):
        return find_player("DummyPlayer").open(rules)
"""


@walled
def test_a_class_with_a_table_stays_within_the_walls_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it is played from that table in this very process."""
    (tmp_path / "with_a_table.py").write_text(TABLE)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert open_class("with_a_table", "Dummy", YAHTZEE, PATIENT) is None
    asked = open_class("with_a_table", "Dummy", YAHTZEE, WALLED)
    assert asked is not None
    asked.close()


@pytest.fixture
def untried() -> Iterator[None]:
    sandbox._refuse_where_impossible.cache_clear()
    yield
    sandbox._refuse_where_impossible.cache_clear()


def test_without_bubblewrap_it_is_said_what_to_install(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    untried: None,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sandbox, "BUBBLEWRAP", "/nowhere/bwrap")
    command = program(tmp_path)
    for asked in (["bot", "check", command], ["tournament", f"cmd:{command}", "--games", "1"]):
        assert main([*asked, "--ruleset", "yahtzee"]) == 2
        told = capsys.readouterr().err
        assert "apt install bubblewrap" in told
        assert "--trust" in told


@pytest.mark.parametrize(("options", "walls"), [([], 1), (["--sandbox"], 1), (["--trust"], 0)])
def test_walls_stand_unless_the_program_is_trusted(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    walls: int,
) -> None:
    built: list[list[str]] = []

    def walled(words: list[str], *_: object) -> list[str]:
        built.append(words)
        return words

    monkeypatch.setattr(sandbox, "wrap_in_sandbox", walled)
    asked = ["tournament", f"cmd:{program(tmp_path)}", "--games", "1", "--ruleset", "yahtzee"]
    assert main([*asked, *options]) == 0
    assert (len(built), "--trust" in capsys.readouterr().err) == (walls, "--sandbox" in options)


@pytest.mark.needs("bwrap")
def test_a_stranger_sees_no_home_where_nothing_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "key").write_text("the key of the site")
    monkeypatch.setenv("HOME", str(home))
    (tmp_path / "bot").mkdir()
    bot = program(
        tmp_path / "bot",
        f"def choose(q): return {{'error': repr(os.path.exists({str(home / 'key')!r}))}}",
    )
    asked = ["tournament", f"cmd:{bot}", "--games", "1", "--ruleset", "yahtzee"]
    seen = {}
    for options in ([], ["--trust"]):
        main([*asked, *options])
        seen[bool(options)] = "True" in capsys.readouterr().out
    assert seen == {False: False, True: True}


def test_where_it_may_not_build_walls_nothing_runs_without_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, untried: None
) -> None:
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: no permission' >&2; exit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setattr(sandbox, "BUBBLEWRAP", str(tmp_path / "bwrap"))
    with pytest.raises(BadInput, match=r"unprivileged_userns_clone.*bwrap: no permission"):
        of(tmp_path, limits=WALLED)
