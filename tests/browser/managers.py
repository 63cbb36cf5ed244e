"""`manage.py` without its start: a process a site, which is told one command after the other."""

import atexit
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST = 4  # open managers at once; an unused site needs none
PROGRAM = """
import io, json, os, sys, traceback
from contextlib import redirect_stderr, redirect_stdout
os.environ["DJANGO_SETTINGS_MODULE"] = "yatzy_site.settings"
import django
from django.core.management import execute_from_command_line
from django.db import connections
answers, sys.stdout = sys.stdout, sys.stderr
for line in sys.stdin:
    printed, complained, status = io.StringIO(), io.StringIO(), 0
    with redirect_stdout(printed), redirect_stderr(complained):
        try:
            execute_from_command_line(["manage.py", *json.loads(line)])
        except SystemExit as end:
            status = end.code
        except BaseException:
            status = 1
            traceback.print_exc()
    connections.close_all()
    for one in connections.all(initialized_only=True):
        getattr(one, "close_pool", lambda: None)()
    print(json.dumps([status, printed.getvalue(), complained.getvalue()]), file=answers, flush=True)
"""


class Manager:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, *command: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"{command} ended its process"
        status, printed, complained = json.loads(answer)
        if status:
            raise subprocess.CalledProcessError(status, command, printed, complained)
        return str(printed)

    def close(self) -> None:
        with self.process:
            assert self.process.stdin is not None
            self.process.stdin.close()


class Managers:
    def __init__(self, surroundings: Callable[[Path], dict[str, str]]) -> None:
        self.surroundings = surroundings
        self.open: dict[tuple[Path, str], Manager] = {}
        atexit.register(self.close)

    def of(self, folder: Path, more: Mapping[str, str]) -> Manager:
        key = (folder, json.dumps(more, sort_keys=True))
        found = self.open.pop(key, None) or Manager(self.surroundings(folder) | dict(more))
        while len(self.open) >= MOST:
            self.open.pop(next(iter(self.open))).close()
        self.open[key] = found  # the latest comes last
        return found

    def close(self, folder: Path | None = None) -> None:
        for key in [key for key in self.open if folder in (None, key[0])]:
            self.open.pop(key).close()
