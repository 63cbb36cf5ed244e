"""A Python of its own, with an environment of its own: settings are read once a process."""

import os
import subprocess
import sys
from pathlib import Path

from solver.tables import tables_dir

ROOT = Path(__file__).resolve().parents[2]


def python(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME"}}
    folders = {"YATZY_VAR": str(folder), "YATZY_TABLES": str(tables_dir())}
    told = {**kept, "MAKE_TABLES": "off", **environment, **folders}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=told, capture_output=True, text=True, timeout=120, check=False
    )
