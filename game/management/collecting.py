"""Collects the static files if they changed: hashing and compressing them takes two seconds."""

import hashlib
import os
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command

from game.pages.requests.readiness import MANIFEST, list_stale_files

NOTE = ".collected"  # marker in the static folder, deleted together with the static files


def collect() -> bool:
    """Collect static files if they changed; return whether they did."""
    sources = hashlib.sha256("\n".join(sorted(_list_facts())).encode()).hexdigest()
    if _read_note() == _fingerprint_all(sources):
        return False
    for name in list_stale_files():  # collectstatic would keep stale files of a newer version
        (_find_root() / name).unlink(missing_ok=True)
    call_command("collectstatic", interactive=False, verbosity=0)
    (_find_root() / NOTE).write_text(_fingerprint_all(sources))
    return True


def _read_note() -> str:
    try:
        return (_find_root() / NOTE).read_text()
    except OSError:
        return ""


def _fingerprint_all(sources: str) -> str:
    """Return a fingerprint of the source files and of the collected files, to find changes."""
    try:
        manifest = (_find_root() / MANIFEST).read_bytes()
    except OSError:
        return "nothing is collected"
    return f"{sources}\n{hashlib.sha256(manifest).hexdigest()}\n"


def _list_facts() -> Iterator[str]:
    yield f"{settings.STATIC_URL} {settings.STORAGES['staticfiles']}"
    yield f"django {version('django')} whitenoise {version('whitenoise')}"
    for finder in get_finders():
        for name, storage in finder.list([]):
            path = storage.path(name)
            stat = os.stat(path)
            yield f"{path} {stat.st_size} {stat.st_mtime_ns}"


def _find_root() -> Path:
    return Path(settings.STATIC_ROOT)
