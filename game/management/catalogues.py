"""The compiler of translations: programs read .mo files, which it makes from the .po files.

    python -m game.management.catalogues

`make install` and the image run it, for machines on which no one may write into the checkout later.
A process that starts checks again, so an edited catalogue needs no command. It does not use
gettext's tools, which a player's machine lacks.
"""

import os
from pathlib import Path

import polib

LOCALE = Path(__file__).resolve().parents[1] / "locale"


def sources(locale: Path = LOCALE) -> list[Path]:
    return sorted(locale.glob("*/LC_MESSAGES/django.po"))


def compile_catalogues(locale: Path = LOCALE) -> list[Path]:
    return [_compiled(source) for source in outdated(locale)]


def outdated(locale: Path = LOCALE) -> list[Path]:
    return [source for source in sources(locale) if not _is_current(source)]


def _is_current(source: Path) -> bool:
    """Return whether the compiled file has its source's time; an older release may come later."""
    target = source.with_suffix(".mo")
    return target.exists() and target.stat().st_mtime_ns == source.stat().st_mtime_ns


def _compiled(source: Path) -> Path:
    """Compile a catalogue; other processes see the whole file or no file."""
    # Before reading, so that a later write makes the source newer.
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
