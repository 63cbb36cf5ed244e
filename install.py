"""python3 install.py [play|site|parquet|dev|newest]: what it takes to play, to serve, to write a
trial as Parquet too, to develop, or to try what is new; lock pins anew what a site is made of.

`make` runs it before anything is installed: it needs Python and pip alone. uv is fetched into a
folder of this checkout, where distributions let pip write, and fetches the rest in seconds. Where
it cannot be had pip does all of it, which takes half a minute.
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
BUILDING = "setuptools"  # which makes the checkout itself a package
PINNED = ["--constraint", "constraints.txt", "--editable"]
STEPS = {
    "play": [[*PINNED, ".[terminal]"]],
    # Of every package a file whose hash is known, from wherever it is fetched.
    "site": [
        ["--require-hashes", "--requirement", LOCKED],
        ["--no-deps", "--no-build-isolation", "--editable", "."],
    ],
    "parquet": [[*PINNED, ".[parquet]"]],
    "dev": [[*PINNED, ".[dev]"]],
    # Django by itself: its newest release may be newer than what the project allows.
    "newest": [["--upgrade", "--editable", ".[dev]"], ["--upgrade", "django"]],
}
# uv reads no settings of pip: what pip calls them, what uv does, and what stands between several.
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
        # Debian's Python puts no pip into one without another package; none is needed there.
        maker = newest_python() if what == "newest" else sys.executable
        subprocess.run([maker, "-m", "venv", "--without-pip", folder], check=True)
    return 0 if all(installed(python, wanted) for wanted in STEPS[what]) else 1


def installed(python: Path, wanted: list[str]) -> bool:
    if uv_is_there():
        if runs([UV, "pip", "install", "--quiet", "--python", python, *wanted]):
            return True
        tell("uv could not install it; pip tries, which takes longer")
    return runs([*PIP, "--python", python, "install", "--quiet", *wanted])


def lock() -> bool:
    """Return the lines without addresses: the hash identifies a file from any source."""
    about = ["--universal", "--python-version", "3.11", "--no-annotate", "--no-header", "--quiet"]
    files = ["pyproject.toml", "-", "--constraint", "constraints.txt", "--output-file", LOCKED]
    command: Command = [UV, "pip", "compile", "--generate-hashes", *about, *files]
    return uv_is_there() and runs(command, text=BUILDING)


def uv_is_there() -> bool:
    fetch: Command = [*PIP, "install", "--quiet", "--target", HERE / ".uv", "uv"]
    return UV.exists() or runs(fetch, quiet=True)


def newest_python() -> str:
    """One that is here, or that uv fetches; else this one."""
    fetch: Command = [UV, "python", "install", "--quiet", "--install-dir", FETCHED, NEWEST[-4:]]
    found = kept_python()
    if found is None and uv_is_there() and runs(fetch, quiet=True):
        found = kept_python()
    if found is None:
        tell(f"no {NEWEST} here, nor to be had: the newest Django that {sys.executable} runs")
    return found or sys.executable


def kept_python() -> str | None:
    """On the path, pyenv's or uv's; a name that pyenv puts on the path may be of none."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    kept = (*pyenv.glob(f"versions/3.13*/bin/{NEWEST}"), *FETCHED.glob(f"*/bin/{NEWEST}"))
    for one in (NEWEST, *map(str, kept)):
        if runs([one, "-c", "import sqlite3"], quiet=True):
            return one
    return None


def settings_of_pip() -> dict[str, str]:
    """From its files and its variables, which come last and count most."""
    asked = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True)
    found = {}
    for line in sorted(asked.stdout.splitlines(), key=lambda line: line.startswith(":env:")):
        name, _, value = line.partition("=")
        if said := SETTINGS.get(name.rpartition(".")[2]):
            found[said[0]] = said[1].join(literal_eval(value).split())
    return found


def runs(command: Command, quiet: bool = False, text: str = "") -> bool:
    unheard = subprocess.DEVNULL if quiet else None
    surroundings = {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # the best of all indexes, as pip
    if command[0] == UV:
        surroundings |= settings_of_pip()
    try:
        done = subprocess.run(
            command,
            env=surroundings | os.environ,
            cwd=HERE,
            input=text.encode() or None,
            stdout=unheard,
            stderr=unheard,
        )
    except OSError:
        return False
    return done.returncode == 0


def tell(words: str) -> None:
    sys.stderr.write(f"{words}\n")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
