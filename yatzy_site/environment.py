"""Settings are read from the environment; a value that cannot be meant fails loudly."""

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def flag(name: str, *, default: bool) -> bool:
    value = os.environ.get(name, "").strip().lower()
    if value in {"", "1", "true", "yes", "on", "0", "false", "no", "off"}:
        return value in {"1", "true", "yes", "on"} if value else default
    raise ImproperlyConfigured(f"{name}={value!r} is neither true nor false")


def words(name: str, *, default: list[str]) -> list[str]:
    """A list, separated by commas."""
    value = os.environ.get(name)
    return default if value is None else [word.strip() for word in value.split(",") if word.strip()]


def whole(name: str, *, default: int) -> int:
    value = os.environ.get(name, "").strip()
    if value and not (value.isascii() and value.isdecimal()):
        raise ImproperlyConfigured(f"{name}={value!r} is not a whole number")
    return int(value) if value else default


def secret_key(kept_in: Path) -> str:
    """SECRET_KEY, or one made at the first start and kept, so that sessions survive a restart."""
    if key := os.environ.get("SECRET_KEY"):
        return key
    try:
        kept_in.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(kept_in, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return kept_in.read_text()
    with os.fdopen(descriptor, "w") as file:
        file.write(key := secrets.token_urlsafe(50))
    return key
