"""Collects the static files if they changed: hashing and compressing them takes seven seconds."""

import hashlib
import os
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command

from game.pages.requests.readiness import MANIFEST, stale_files

NOTE = ".collected"  # marker in the static folder, deleted together with the static files


def collect() -> bool:
    """Collect static files if they changed; return whether they did."""
    sources = _fingerprint_sources()
    if _read_note() == _note(sources):
        return False
    for name in stale_files():  # collectstatic would keep stale files of a newer version
        (_root() / name).unlink(missing_ok=True)
    call_command("collectstatic", interactive=False, verbosity=0)
    (_root() / NOTE).write_text(_note(sources))
    return True


def _read_note() -> str:
    try:
        return (_root() / NOTE).read_text()
    except OSError:
        return ""


def _note(sources: str) -> str:
    """Return a fingerprint of the source files and of the collected files, to find changes."""
    try:
        manifest = (_root() / MANIFEST).read_bytes()
    except OSError:
        return "nothing is collected"
    return f"{sources}\n{hashlib.sha256(manifest).hexdigest()}\n"


def _fingerprint_sources() -> str:
    return hashlib.sha256("\n".join(sorted(_list_facts())).encode()).hexdigest()


def _list_facts() -> Iterator[str]:
    yield f"{settings.STATIC_URL} {settings.STORAGES['staticfiles']}"
    yield f"django {version('django')} whitenoise {version('whitenoise')}"
    for finder in get_finders():
        for name, storage in finder.list([]):
            path = storage.path(name)
            stat = os.stat(path)
            yield f"{path} {stat.st_size} {stat.st_mtime_ns}"


def _root() -> Path:
    return Path(settings.STATIC_ROOT)
