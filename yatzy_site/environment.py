"""Reads settings from environment variables, and raises an error if a value is impossible."""

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


def read_flag(name: str, *, default: bool) -> bool:
    value = os.environ.get(name, "").strip().lower()
    if value in {"", "1", "true", "yes", "on", "0", "false", "no", "off"}:
        return value in {"1", "true", "yes", "on"} if value else default
    raise ImproperlyConfigured(f"{name}={value!r}: set it to true or false")


def read_list(name: str, *, default: list[str]) -> list[str]:
    """Return a variable's items, which are separated by commas, or the default if it is not set."""
    value = os.environ.get(name)
    return default if value is None else [word.strip() for word in value.split(",") if word.strip()]


def read_choice(name: str, *, allowed: Sequence[str]) -> str:
    value = os.environ.get(name, "").strip().lower()
    if value and value not in allowed:
        raise ImproperlyConfigured(f"{name}={value!r}: set it to one of: {', '.join(allowed)}")
    return value


def read_address(name: str) -> tuple[str, int] | None:
    """Return the host and the port of a variable HOST:PORT, or None if the variable is empty."""
    value = os.environ.get(name, "").strip()
    host, _colon, port = value.rpartition(":")
    if value and not (host and port.isascii() and port.isdecimal() and 0 < int(port) < 65_536):
        raise ImproperlyConfigured(f"{name}={value!r} is not an address such as 127.0.0.1:9100")
    return (host.strip("[]"), int(port)) if value else None


def read_contact(name: str) -> str:
    """Return a mail address as a mailto: link. Return the address of a page, or "", unchanged."""
    value = os.environ.get(name, "").strip()
    if not value or re.fullmatch(r"https?://[^\s/]\S*", value):
        return value
    if re.fullmatch(r"[^\s@:?&]+@[^\s@:?&]+", value):
        return f"mailto:{value}"
    raise ImproperlyConfigured(f"{name}={value!r} is neither a mail address nor a page (https://…)")


def read_integer(name: str, *, default: int) -> int:
    value = os.environ.get(name, "").strip()
    if value and not (value.isascii() and value.isdecimal()):
        raise ImproperlyConfigured(f"{name}={value!r} is not a whole number")
    return int(value) if value else default


def count_processes(arguments: Sequence[str]) -> int:
    """Return the number of processes that serve the site, from a variable or uvicorn's option."""
    number = dict(pairwise(arguments)).get("--workers", "")
    return int(number) if number.isdecimal() else read_integer("WEB_CONCURRENCY", default=1)


def read_database(*, default: str) -> dict[str, Any]:
    """Return Django's settings for DATABASE_URL. Error messages never contain the password."""
    value = os.environ.get("DATABASE_URL")
    if value is not None and not value.strip():
        raise SystemExit(f"DATABASE_URL is empty: name a database, or unset it to use {default}")
    try:
        return dict(dj_database_url.config(default=default, conn_max_age=0))
    except ValueError:
        raise SystemExit("DATABASE_URL is not a database address: see docs/operating.md") from None


def require_writable(folder: Path) -> Path:
    """Return the folder, and make it if it is missing. End the program if it is not writable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return folder
    except OSError as error:
        raise SystemExit(
            f"{folder} cannot be written ({error.strerror}): "
            "set YATZY_VAR to a folder that the site can write"
        ) from None


def load_secret_key(kept_in: Path) -> str:
    """Return SECRET_KEY or, if it is not set, the key that the first start has stored."""
    if key := os.environ.get("SECRET_KEY", "").strip():
        return key
    if key := _read_key(kept_in):
        return key
    require_writable(kept_in.parent)
    with kept_in.with_name(f".{kept_in.name}.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two servers that start at once must use the same key
        if key := _read_key(kept_in):
            return key
        # Only the owner can read the new file.
        descriptor, new = tempfile.mkstemp(dir=kept_in.parent, prefix=f".{kept_in.name}.")
        with os.fdopen(descriptor, "w") as file:
            file.write(key := secrets.token_urlsafe(50))
        os.replace(new, kept_in)
        return key


def _read_key(path: Path) -> str:
    return path.read_text().strip() if path.exists() else ""
