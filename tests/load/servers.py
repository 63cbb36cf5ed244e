"""Server processes behind one port, as ``manage.py play`` runs them, and what they have used."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

from tests.browser.managers import ROOT
from tests.browser.server import prepare, surroundings

UVICORN = ["uvicorn", "yatzy_site.asgi:application", "--log-level", "warning", "--http"]
PROTOCOL = "yatzy_site.connections:PatientProtocol"
PATIENCE = 120  # seconds; other work may keep the machine busy
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Servers:
    address: str
    processes: list["subprocess.Popen[bytes]"]
    log: Path

    def wait(self) -> None:
        """Wait until it answers. Requests that come while it starts wait at its open port."""
        with urlopen(f"{self.address}/healthz", timeout=PATIENCE) as answer:
            answer.read()

    @property
    def cpu_seconds(self) -> float:
        return sum(map(_cpu_seconds, self.processes))

    @property
    def megabytes(self) -> float:
        return sum(map(_peak, self.processes))


@contextmanager
def serving(folder: Path, many: int, more: dict[str, str]) -> Iterator[Servers]:
    environment = surroundings(folder) | more
    prepare(folder, **more)
    log = folder / "server.log"
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listener, log.open("ab") as output:
        command = [sys.executable, "-m", *UVICORN, PROTOCOL, "--fd", str(listener.fileno())]
        processes = [
            subprocess.Popen(
                command,
                cwd=ROOT,
                env=environment,
                pass_fds=[listener.fileno()],
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            for _ in range(many)
        ]
        port = listener.getsockname()[1]
        try:
            servers = Servers(f"http://127.0.0.1:{port}", processes, log)
            servers.wait()
            yield servers
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait(timeout=30)


def _cpu_seconds(process: "subprocess.Popen[bytes]") -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _peak(process: "subprocess.Popen[bytes]") -> float:
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0
