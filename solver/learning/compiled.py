"""numba for learners: machine code kept in a folder named after every source of this package.

As in ``dp.compiled``, whose folder this one lies in: a change of the rules is noticed too.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

from solver.dp import compiled as dp

inlined = dp.inlined

_SOURCES = sorted(Path(__file__).resolve().parent.rglob("*.py"))
_DIGEST = hashlib.sha256(b"".join(path.read_bytes() for path in _SOURCES)).hexdigest()


def kernel(function: Callable[..., Any]) -> Any:
    usual = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    folder = Path(usual) / f"learning-{_DIGEST[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    try:
        return dp.kernel(function)
    finally:
        numba.config.CACHE_DIR = usual  # type: ignore[attr-defined]
