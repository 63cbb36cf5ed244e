"""Files of trained players: numpy arrays (.npz) with a description of their contents.

Reading a file needs only numpy. The checksums of the zip format detect damaged bytes.
"""

import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver import Refusal
from solver.tables import write_whole

FORMAT = 1
# Errors that numpy, zip and JSON raise for a file of another format.
UNREADABLE = (KeyError, TypeError, ValueError, EOFError, zipfile.BadZipFile, zlib.error)
ABOUT = "about"
TRAINED = Path(__file__).resolve().parent / "trained"  # folder of the program's own files


class BadLearned(Refusal, ValueError):
    """The error for a damaged file, or for a file of another kind. The message gives the reason."""

    wanted = "nothing learned"


class Learned(NamedTuple):
    facts: dict[str, Any]
    arrays: dict[str, npt.NDArray[Any]]


def save(path: Path, kind: str, facts: Mapping[str, Any], **arrays: npt.NDArray[Any]) -> None:
    about = json.dumps({"format": FORMAT, "kind": kind, **facts})
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **{ABOUT: np.array(about)}, **arrays)
    write_whole(path, content.getvalue())


@contextmanager
def open_learned(
    path: Path, kind: str, refusal: type[BadLearned] = BadLearned
) -> Iterator[Learned]:
    """Open a trained player's file and yield its contents. If the file is damaged or not of this
    kind, raise the error class ``refusal``. An empty ``kind`` accepts all kinds."""
    try:
        with path.open("rb") as content, np.load(content, allow_pickle=False) as file:
            facts = json.loads(str(file[ABOUT]))
            if kind and facts["kind"] != kind:
                raise refusal(f"{path} holds {facts['kind']}, not {kind}")
            if facts["format"] != FORMAT:
                raise refusal(f"{path} has format {facts['format']}; this program reads {FORMAT}")
            yield Learned(facts, {name: file[name] for name in file.files if name != ABOUT})
    except BadLearned:
        raise
    except OSError as error:
        raise refusal(f"{path} cannot be read: {error.strerror or error}") from None
    except UNREADABLE as error:
        raise refusal(f"{path} holds {refusal.wanted}, or is damaged: {error}") from None


def load(path: Path, kind: str) -> Learned:
    if not path.exists():
        raise BadLearned(f"there is no file {path}")
    with open_learned(path, kind) as learned:
        return learned
