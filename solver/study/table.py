"""A table of a report, for a page and for a terminal alike."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextTable:
    """The first ``left`` columns are words, the others numbers."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
