"""The settings of the service. Every program of this checkout uses them.

They are lines NAME=value of one file, in systemd's format: the file that YATZY_SETTINGS names, or
``settings.env`` next to the packages, which may be a link. Environment variables take precedence.
"""

import os
import re
from pathlib import Path
from typing import NamedTuple

USUAL = Path(__file__).resolve().parent.parent / "settings.env"
LINE = re.compile(r"([A-Za-z_]\w*)=(.*)")
QUOTES = {'"', "'"}


class Read(NamedTuple):
    path: Path | None
    otherwise: tuple[str, ...]  # names of settings that have another value in the environment


def read() -> Read:
    """Copy the settings file into the environment. End the program if it cannot be read."""
    named = os.environ.get("YATZY_SETTINGS")
    if named is None:
        path = USUAL if os.path.lexists(USUAL) else None  # a broken link is an error
    else:
        path = Path(named) if named else None
    if path is None:
        return Read(None, ())
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SystemExit(f"the settings cannot be read: {error}") from None
    values = {}
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        if not line or line[0] in "#;":
            continue
        if not (match := LINE.fullmatch(line)):
            # The message does not quote the line, because it may contain a password.
            raise SystemExit(f"{path}, line {number}, is not NAME=value")
        value = match[2].strip()
        quoted = len(value) > 1 and value[0] == value[-1] and value[0] in QUOTES
        values[match[1]] = value[1:-1] if quoted else value
    otherwise = [name for name, value in values.items() if os.environ.get(name, value) != value]
    os.environ.update({name: values[name] for name in values.keys() - os.environ.keys()})
    return Read(path, (*otherwise,))
