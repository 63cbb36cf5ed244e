"""Compiles the translations: it makes the .mo files that Django reads from the .po files.

    python -m game.management.catalogues

`make install` and the container image run this command, because the checkout may be read-only
later. Every process checks the files again at its start, so an edited .po file needs no command.
The module does not use gettext's tools, because a player's machine may not have them.
"""

import os
from pathlib import Path

import polib

LOCALE = Path(__file__).resolve().parents[1] / "locale"


def list_catalogues(locale: Path = LOCALE) -> list[Path]:
    return sorted(locale.glob("*/LC_MESSAGES/django.po"))


def compile_catalogues(locale: Path = LOCALE) -> list[Path]:
    return [_compile(source) for source in find_outdated(locale)]


def find_outdated(locale: Path = LOCALE) -> list[Path]:
    return [source for source in list_catalogues(locale) if not _is_current(source)]


def _is_current(source: Path) -> bool:
    target = source.with_suffix(".mo")
    return target.exists() and target.stat().st_mtime_ns == source.stat().st_mtime_ns


def _compile(source: Path) -> Path:
    """Compile a .po file into a .mo file and return the .mo file. Replace it in a single step."""
    # Read the file's time before its text, so that a later write counts as newer.
    written = source.stat().st_mtime_ns
    target = source.with_suffix(".mo")
    new = target.with_name(f".{os.getpid()}.mo")
    with new.open("wb") as file:
        file.write(polib.pofile(str(source)).to_binary())
        file.flush()
        os.fsync(file.fileno())
    os.utime(new, ns=(written, written))
    return new.replace(target)


if __name__ == "__main__":
    compile_catalogues()
