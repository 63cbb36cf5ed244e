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
    """Compile the outdated .po files, and return the .mo files. Replace each in a single step."""
    compiled = []
    for source in find_outdated(locale):
        # Read the file's time before its text, so that a later write counts as newer.
        written = source.stat().st_mtime_ns
        target = source.with_suffix(".mo")
        new = target.with_name(f".{os.getpid()}.mo")
        with new.open("wb") as file:
            file.write(polib.pofile(str(source)).to_binary())
            file.flush()
            os.fsync(file.fileno())
        os.utime(new, ns=(written, written))
        compiled.append(new.replace(target))
    return compiled


def find_outdated(locale: Path = LOCALE) -> list[Path]:
    """Return the .po files without a .mo file of the same time."""
    outdated = []
    for source in list_catalogues(locale):
        target = source.with_suffix(".mo")
        if not target.exists() or target.stat().st_mtime_ns != source.stat().st_mtime_ns:
            outdated.append(source)
    return outdated


if __name__ == "__main__":
    compile_catalogues()
