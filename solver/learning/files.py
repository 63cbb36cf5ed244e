"""What was learned, as a file of plain arrays (numpy's .npz) that says what it is.

It needs numpy alone to be read; zip's checksums notice a damaged byte.
"""

import contextlib
import io
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

FORMAT = 1
# What numpy, zip and JSON raise over content that is not theirs.
UNREADABLE = (KeyError, TypeError, ValueError, EOFError, zipfile.BadZipFile, zlib.error)
ABOUT = "about"


class BadLearned(ValueError):
    """No file of this kind; the message says why."""


class Learned(NamedTuple):
    facts: dict[str, Any]
    arrays: dict[str, npt.NDArray[Any]]


def save(path: Path, kind: str, facts: Mapping[str, Any], **arrays: npt.NDArray[Any]) -> None:
    about = json.dumps({"format": FORMAT, "kind": kind, **facts})
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **{ABOUT: np.array(about)}, **arrays)
    write_whole(path, content.getvalue())


def load(path: Path, kind: str) -> Learned:
    try:
        with np.load(path, allow_pickle=False) as file:
            facts = json.loads(str(file[ABOUT]))
            _checked(path, kind, facts)
            return Learned(facts, {name: file[name] for name in file.files if name != ABOUT})
    except FileNotFoundError:
        raise BadLearned(f"there is no file {path}") from None
    except OSError as error:
        raise BadLearned(f"{path} cannot be read: {error.strerror or error}") from None
    except BadLearned:
        raise
    except UNREADABLE as error:
        raise BadLearned(f"{path} holds nothing learned, or is damaged: {error}") from None


def _checked(path: Path, kind: str, facts: dict[str, Any]) -> None:
    if facts["kind"] != kind:
        raise BadLearned(f"{path} holds {facts['kind']}, not {kind}")
    if facts["format"] != FORMAT:
        raise BadLearned(f"{path} has format {facts['format']}; this program reads {FORMAT}")


def write_whole(path: Path, content: bytes) -> None:
    """A temporary file, synced, then put in place: readers see all of it or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
