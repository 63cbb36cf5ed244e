"""Settings are read from the environment; a value that cannot be meant fails loudly."""

import errno
import fcntl
import os
import re
import secrets
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured


def flag(name: str, *, default: bool) -> bool:
    value = os.environ.get(name, "").strip().lower()
    if value in {"", "1", "true", "yes", "on", "0", "false", "no", "off"}:
        return value in {"1", "true", "yes", "on"} if value else default
    raise ImproperlyConfigured(f"{name}={value!r} is neither true nor false")


def words(name: str, *, default: list[str]) -> list[str]:
    """Return a list, separated by commas."""
    value = os.environ.get(name)
    return default if value is None else [word.strip() for word in value.split(",") if word.strip()]


def one_of(name: str, *, allowed: Sequence[str]) -> str:
    value = os.environ.get(name, "").strip().lower()
    if value and value not in allowed:
        raise ImproperlyConfigured(f"{name}={value!r} is none of: {', '.join(allowed)}")
    return value


def address(name: str) -> tuple[str, int] | None:
    """HOST:PORT, or nothing."""
    value = os.environ.get(name, "").strip()
    host, _colon, port = value.rpartition(":")
    if value and not (host and port.isascii() and port.isdecimal() and 0 < int(port) < 65_536):
        raise ImproperlyConfigured(f"{name}={value!r} is not an address such as 127.0.0.1:9100")
    return (host.strip("[]"), int(port)) if value else None


def contact(name: str) -> str:
    """Read a mail address or the address of a page, or nothing; return it as a link goes to it."""
    value = os.environ.get(name, "").strip()
    if not value or re.fullmatch(r"https?://[^\s/]\S*", value):
        return value
    if re.fullmatch(r"[^\s@:?&]+@[^\s@:?&]+", value):
        return f"mailto:{value}"
    raise ImproperlyConfigured(f"{name}={value!r} is neither a mail address nor a page (https://…)")


def whole(name: str, *, default: int) -> int:
    value = os.environ.get(name, "").strip()
    if value and not (value.isascii() and value.isdecimal()):
        raise ImproperlyConfigured(f"{name}={value!r} is not a whole number")
    return int(value) if value else default


def processes(arguments: Sequence[str]) -> int:
    """Return the number of processes that serve the site, from uvicorn's variable or option."""
    number = dict(pairwise(arguments)).get("--workers", "")
    return int(number) if number.isdecimal() else whole("WEB_CONCURRENCY", default=1)


def database(*, default: str) -> dict[str, Any]:
    """Return what DATABASE_URL names. The site ends in a sentence that shows no password."""
    value = os.environ.get("DATABASE_URL")
    if value is not None and not value.strip():
        raise SystemExit(f"DATABASE_URL is empty: name a database, or unset it for {default}")
    try:
        return dict(dj_database_url.config(default=default, conn_max_age=0))
    except ValueError:
        raise SystemExit("DATABASE_URL is no address of a database (docs/operating.md)") from None


def writable(folder: Path) -> Path:
    """Return the folder, made where it is missing. The site ends in a sentence if it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return folder
    except OSError as error:
        raise SystemExit(
            f"{folder} cannot be written ({error.strerror}): "
            "YATZY_VAR names the folder of the site's files"
        ) from None


def secret_key(kept_in: Path) -> str:
    """SECRET_KEY, or one made at the first start and kept, so that sessions survive a restart."""
    if key := os.environ.get("SECRET_KEY", "").strip():
        return key
    if key := _kept(kept_in):
        return key
    writable(kept_in.parent)
    with kept_in.with_name(f".{kept_in.name}.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two servers may start at once
        return _kept(kept_in) or _made(kept_in)


def _kept(path: Path) -> str:
    return path.read_text().strip() if path.exists() else ""


def _made(path: Path) -> str:
    """There whole or not at all, and its owner's alone."""
    descriptor, new = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(descriptor, "w") as file:
        file.write(key := secrets.token_urlsafe(50))
    os.replace(new, path)
    return key
