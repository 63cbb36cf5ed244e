"""Install the packages: python3 install.py [play|site|parquet|dev|newest|lock].

``site`` installs what a server needs, ``parquet`` adds the package for Parquet files, ``newest``
installs the newest Python and Django, and ``lock`` chooses new versions for a site. `make` runs
this file before any package is installed, so it needs only Python and pip. It installs uv into this
checkout, because distributions let pip write there; uv is faster than pip.
"""

import os
import shutil
import subprocess
import sys
from ast import literal_eval
from pathlib import Path

Command = list[str | Path]
HERE = Path(__file__).resolve().parent
UV = HERE / ".uv" / "bin" / "uv"
FETCHED = HERE / ".uv" / "python"
PIP: Command = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
NEWEST = "python3.13"
LOCKED = "deploy/requirements.txt"
BUILDING = "setuptools"  # this package installs the checkout itself
PINNED = ["--constraint", "constraints.txt", "--editable"]
STEPS = {
    "play": [[*PINNED, ".[terminal]"]],
    # Every file must have a known hash, whichever index it comes from.
    "site": [
        ["--require-hashes", "--requirement", LOCKED],
        ["--no-deps", "--no-build-isolation", "--editable", "."],
    ],
    "parquet": [[*PINNED, ".[parquet]"]],
    "dev": [[*PINNED, ".[dev]"]],
    # Django is installed in a separate step: its newest release may be too new for the project.
    "newest": [["--upgrade", "--editable", ".[dev]"], ["--upgrade", "django"]],
}
# uv ignores pip's settings. Each row has pip's name, uv's variable, and the separator of values.
SETTINGS = {
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "cert": ("SSL_CERT_FILE", " "),
}


def main(what: str = "play") -> int:
    if what == "lock":
        return 0 if lock() else 1
    folder = HERE / (".venv-newest" if what == "newest" else ".venv")
    python = folder / "bin" / "python"
    if not python.exists():
        shutil.rmtree(folder, ignore_errors=True)
        # Debian's Python has pip only with another package; this environment needs no pip.
        maker = find_newest_python() if what == "newest" else sys.executable
        subprocess.run([maker, "-m", "venv", "--without-pip", folder], check=True)
    return 0 if all(install_packages(python, wanted) for wanted in STEPS[what]) else 1


def install_packages(python: Path, wanted: list[str]) -> bool:
    if ensure_uv():
        if try_command([UV, "pip", "install", "--quiet", "--python", python, *wanted]):
            return True
        print_message("uv could not install the packages; pip tries now, which takes longer")
    return try_command([*PIP, "--python", python, "install", "--quiet", *wanted])


def lock() -> bool:
    """Write the chosen versions and their hashes to ``LOCKED``. Return whether this succeeded."""
    about = ["--universal", "--python-version", "3.11", "--no-annotate", "--no-header", "--quiet"]
    files = ["pyproject.toml", "-", "--constraint", "constraints.txt", "--output-file", LOCKED]
    command: Command = [UV, "pip", "compile", "--generate-hashes", *about, *files]
    return ensure_uv() and try_command(command, text=BUILDING)


def ensure_uv() -> bool:
    fetch: Command = [*PIP, "install", "--quiet", "--target", HERE / ".uv", "uv"]
    return UV.exists() or try_command(fetch, quiet=True)


def find_newest_python() -> str:
    """Return a Python of version ``NEWEST``, which uv may download, or else this Python."""
    fetch: Command = [UV, "python", "install", "--quiet", "--install-dir", FETCHED, NEWEST[-4:]]
    python = find_kept_python()
    if python is None and ensure_uv() and try_command(fetch, quiet=True):
        python = find_kept_python()
    if python is None:
        print_message(
            f"cannot find or fetch {NEWEST}: installing the newest Django for {sys.executable}"
        )
    return python or sys.executable


def find_kept_python() -> str | None:
    """Return a ``NEWEST`` that runs, from the path, pyenv or uv, or None."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    kept = (*pyenv.glob(f"versions/3.13*/bin/{NEWEST}"), *FETCHED.glob(f"*/bin/{NEWEST}"))
    for python in (NEWEST, *map(str, kept)):
        if try_command([python, "-c", "import sqlite3"], quiet=True):
            return python
    return None


def read_pip_settings() -> dict[str, str]:
    """Return pip's settings as variables of uv. Variables of pip have priority over its files."""
    listed = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True)
    variables = {}
    for line in sorted(listed.stdout.splitlines(), key=lambda line: line.startswith(":env:")):
        name, _, value = line.partition("=")
        if setting := SETTINGS.get(name.rpartition(".")[2]):
            variable, separator = setting
            variables[variable] = separator.join(literal_eval(value).split())
    return variables


def try_command(command: Command, quiet: bool = False, text: str = "") -> bool:
    output = subprocess.DEVNULL if quiet else None
    surroundings = {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # as pip chooses
    if command[0] == UV:
        surroundings |= read_pip_settings()
    try:
        done = subprocess.run(
            command,
            env=surroundings | os.environ,
            cwd=HERE,
            input=text.encode() or None,
            stdout=output,
            stderr=output,
        )
    except OSError:
        return False
    return done.returncode == 0


def print_message(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
