"""numba, with its machine code kept where a change of any kernel source is noticed.

numba looks only at the file of the function that it compiles; a constant or an inlined helper
from another file could change unseen. So the cache folder is named after all of these sources.
"""

import hashlib
import os
from pathlib import Path
from typing import Any

import numba
from numba import njit

_SOURCES = Path(__file__).resolve().parents[1]
_DIGEST = hashlib.sha256(
    b"".join(
        path.read_bytes()
        for path in sorted(_SOURCES.rglob("*.py"))
        if path.parent.name in {"dp", "rules"}
    )
).hexdigest()
_CACHE = Path(os.environ.get("YATZY_VAR", _SOURCES.parent / "var")) / "compiled" / _DIGEST[:12]
if "NUMBA_CACHE_DIR" not in os.environ:
    _CACHE.mkdir(parents=True, exist_ok=True)
    numba.config.CACHE_DIR = str(_CACHE)  # type: ignore[attr-defined]

kernel: Any = njit(cache=True, nogil=True)
inlined: Any = njit(inline="always")
