"""A server at an address that it keeps when it is started again."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from tests.browser.managers import ROOT
from tests.browser.server import surroundings
from tests.load.servers import PROTOCOL, UVICORN

START = 120  # seconds; other work may keep the machine busy
END = 40


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


class Site:
    def __init__(self, folder: Path, **more: str) -> None:
        self.folder, self.port = folder, free_port()
        self.environment = surroundings(folder) | {"API_REQUESTS_A_MINUTE": "100000"} | more
        self.log = folder / "server.log"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", *UVICORN, PROTOCOL, "--port", str(self.port)]
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdout=output, stderr=subprocess.STDOUT
            )

    def wait(self) -> None:
        """Until it answers at all."""
        until = time.monotonic() + START
        while True:
            try:
                with urlopen(f"{self.address}/rules/", timeout=END) as answer:
                    answer.read()
                    return
            except (URLError, OSError):
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def tracebacks(self) -> list[str]:
        """What each ends with: a fault of the program, for what is away is named in a line."""
        entries = re.split(r"^(?=\d{4}-\d\d-\d\d )", self.log.read_text(), flags=re.MULTILINE)
        found = [entry.strip().splitlines() for entry in entries if "Traceback" in entry]
        return [f"a traceback in the log: {lines[-1]}" for lines in found]

    def signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        os.kill(self.process.pid, number)

    def ended(self) -> int:
        """The status with which it ended."""
        assert self.process is not None
        return self.process.wait(timeout=END)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        self.ended()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.ended()

    def manage(self, *command: str, **more: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=self.environment | more,
            capture_output=True,
            text=True,
            timeout=600,
        )
        if done.returncode:
            raise RuntimeError(f"manage.py {command[0]}: {done.stdout}{done.stderr}")
        return done.stdout
