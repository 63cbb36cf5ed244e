"""The proxy of ``deploy/``, with its own file, in front of a site: without TLS and certificates."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from tests.browser.managers import ROOT
from tests.faults.site import START, free_port

CADDYFILE = ROOT / "deploy" / "Caddyfile"


def is_installed() -> bool:
    return shutil.which("caddy") is not None


@contextmanager
def proxy(upstream: int) -> Iterator[str]:
    """Its address; it is there before the site is, and says so itself."""
    address = f"http://127.0.0.1:{free_port()}"
    with tempfile.TemporaryDirectory(prefix="yatzy-proxy-") as name:
        folder = Path(name)
        environment = os.environ | {
            "SITE": address,
            "UPSTREAMS": f"127.0.0.1:{upstream}",
            "XDG_DATA_HOME": name,
        }
        (folder / "caddy.json").write_text(_configured(environment))
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                ["caddy", "run", "--config", str(folder / "caddy.json")],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=log,
            )
        try:
            _wait(address)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=START)


def _configured(environment: dict[str, str]) -> str:
    """As it stands there, but nobody else may be told to change it over the usual port."""
    adapt = ["caddy", "adapt", "--adapter", "caddyfile", "--config", str(CADDYFILE)]
    adapted = subprocess.run(adapt, env=environment, capture_output=True, check=True)
    return json.dumps(json.loads(adapted.stdout) | {"admin": {"disabled": True}})


def _wait(address: str) -> None:
    until = time.monotonic() + START
    while True:
        try:
            urlopen(address, timeout=START).close()
        except HTTPError as answered:
            answered.close()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
            continue
        return
