"""Translations are written in .po files and read from .mo files, which are made from them here.

    python -m game.management.catalogues

`make install` and the image do so, for machines where nobody may write into the checkout later; a
process that starts looks again, so that an edited catalogue needs no command. gettext is not asked
for: a player's machine has none.
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
    """Return whether the compiled file has its source's time; an older release may come after a
    newer one."""
    target = source.with_suffix(".mo")
    return target.exists() and target.stat().st_mtime_ns == source.stat().st_mtime_ns


def _compiled(source: Path) -> Path:
    """There whole or not at all, no matter who else is at it."""
    written = source.stat().st_mtime_ns  # before it is read: what is written meanwhile is newer
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
