"""Numba with a cache that notices a change of any kernel's source.

For a cached function, Numba checks only the function's own file. It would not notice a changed
constant or inlined helper in another file. The name of the cache folder therefore contains a hash
of all sources.
"""

import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numba
from numba import njit


def _hash_sources(sources: Iterable[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]


_HERE = Path(__file__).resolve().parents[1]
_SOURCES = [path for path in sorted(_HERE.rglob("*.py")) if path.parent.name in {"dp", "rules"}]
_CACHE = (
    Path(os.environ.get("YATZY_VAR", _HERE.parent / "var")) / "compiled" / _hash_sources(_SOURCES)
)
if "NUMBA_CACHE_DIR" not in os.environ:
    _CACHE.mkdir(parents=True, exist_ok=True)
    numba.config.CACHE_DIR = str(_CACHE)  # type: ignore[attr-defined]

kernel: Any = njit(cache=True, nogil=True)
inlined: Any = njit(inline="always")


def make_kernel_for(package: Path) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator like ``kernel``, whose cache also depends on this package's sources."""
    name = f"{package.name}-{_hash_sources(sorted(package.rglob('*.py')))}"

    def compile_kernel(function: Callable[..., Any]) -> Any:
        usual = numba.config.CACHE_DIR  # type: ignore[attr-defined]
        folder = Path(usual) / name
        folder.mkdir(parents=True, exist_ok=True)
        numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
        try:
            return kernel(function)
        finally:
            numba.config.CACHE_DIR = usual  # type: ignore[attr-defined]

    return compile_kernel
